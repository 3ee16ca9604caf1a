"""The types of a model's inputs and outputs, with symbolic dimensions resolved."""

from __future__ import annotations

from collections.abc import Mapping

from onnx import ValueInfoProto

from glow.importers.onnx.problems import Unsupported
from glow.importers.onnx.records import text_of
from glow.importers.onnx.tensors import check_extents, dtype_of_onnx
from glow.support.errors import InvalidModelError
from glow.support.types import Tensor, element_type_of, tensor


class Dimensions:
    """The extents that the caller gives to symbolic dimensions, by name."""

    def __init__(self, given: Mapping[str, int]):
        for name, extent in given.items():
            if extent < 0:
                raise InvalidModelError(
                    f'dimension "{name}" is given as {extent}, expected at least 0'
                )
        self._given = given
        self._seen: set[str] = set()

    def extent(self, name: str, owner: str) -> int:
        """Return the extent of symbolic dimension `name`, which `owner` has."""
        self._seen.add(name)
        if name not in self._given:
            raise InvalidModelError(
                f'{owner} has the symbolic dimension "{name}"; '
                f'give its extent: dims={{"{name}": ...}} or --dim "{name}=..."'
            )
        return self._given[name]

    def check_all_used(self) -> None:
        """Raise where the caller gives a dimension that the model does not have."""
        unknown = sorted(set(self._given) - self._seen)
        if unknown:
            known = ", ".join(f'"{name}"' for name in sorted(self._seen)) or "none"
            raise InvalidModelError(
                f'the model has no symbolic dimension "{unknown[0]}" (it has {known})'
            )


def type_of(info: ValueInfoProto, dims: Dimensions, owner: str) -> Tensor:
    """
    Return the type of an input.

    A dimension without extent and name goes by its place: `data[0]`.
    Errors: another kind than tensor, no shape, a dimension that `dims` lacks.
    """
    kind = info.type.WhichOneof("value")
    if kind is None:
        raise InvalidModelError(f"{owner} has no type")
    if kind != "tensor_type":
        raise Unsupported(f"values of kind {kind.removesuffix('_type')}")
    found = info.type.tensor_type
    dtype = dtype_of_onnx(found.elem_type, owner)
    if not found.HasField("shape"):
        raise InvalidModelError(f"{owner} has no shape, expected a static one")
    shape: list[int] = []
    for index, dim in enumerate(found.shape.dim):
        if dim.HasField("dim_value"):
            shape.append(dim.dim_value)
        else:
            name = text_of(dim.dim_param, "a dimension") or f"{info.name}[{index}]"
            shape.append(dims.extent(name, owner))
    check_extents(tuple(shape), dtype.itemsize, owner)
    return tensor(element_type_of(dtype), shape)


def axes_of(info: ValueInfoProto) -> tuple[str, ...]:
    """Return what the model says that each axis means; empty where it says nothing."""
    found = tuple(dim.denotation for dim in info.type.tensor_type.shape.dim)
    return found if any(found) else ()


def declared_type(info: ValueInfoProto) -> Tensor | None:
    """Return the type that the model declares for a value, if it is a static one."""
    try:
        return type_of(info, Dimensions({}), "")
    except (InvalidModelError, Unsupported):
        return None
