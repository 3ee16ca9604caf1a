"""The types of inputs and outputs, and extents of symbolic dimensions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, ValueInfoProto
from xdsl.dialects.builtin import AnyTensorType

from glow.dialects.graph.placeholder import RESIDENCIES
from glow.formats.onnx.problems import Unsupported
from glow.formats.onnx.records import text_of
from glow.formats.onnx.tensors import DTYPES, check_extents, dtype_of_onnx, type_name
from glow.support.dimensions import relations
from glow.support.errors import BindingError, InvalidModelError
from glow.support.types import element_type_of, tensor

STATE = "glow.state"
"""The metadata of an output with the input that gets its value in the next run."""
RESIDENCY = "glow.residency"
"""The metadata of an input that the caller need not pass: how long its value lives."""
ZEROS = "glow.zeros"
"""The metadata of an input that begins as zeros, without an initializer."""


class Dimensions:
    """
    The extents that the caller gives to symbolic dimensions of `inputs`, by name.

    Others, such as "past + 1", follow from them.
    Errors: an InvalidModelError for an extent that cannot be.
    """

    def __init__(self, given: Mapping[str, int], inputs: Iterable[ValueInfoProto] = ()):
        for name, extent in given.items():
            if not hasattr(extent, "__index__") or extent < 0:
                raise InvalidModelError(
                    f'dimension "{name}" is given as {extent!r}, expected an integer '
                    "from 0 on"
                )
        self.given = dict(given)
        """The extents known so far."""
        self._symbols = symbols_of(inputs)
        self._relations = relations(self._symbols, given)
        self._seen: set[str] = set()

    @property
    def open(self) -> tuple[str, ...]:
        """The names that an import needs the extents of, and has not, in order."""
        names: dict[str, None] = {}
        for name in self._symbols:
            relation = self._relations.get(name)
            names |= dict.fromkeys([name] if relation is None else relation.names)
        return tuple(name for name in names if name not in self.given)

    def find(self, name: str, owner: str) -> int | None:
        """Return the extent of `name`, which `owner` has, or None if it is open."""
        self._seen.add(name)
        relation = self._relations.get(name)
        given = self.given.get(name)
        if relation is None:
            return given
        self._seen.update(relation.names)
        if not self.given.keys() >= set(relation.names):
            return given
        try:
            extent = relation.extent(self.given)
        except ValueError as error:
            raise InvalidModelError(f"{owner} has a dimension where {error}") from None
        if given not in (None, extent):
            raise InvalidModelError(
                f'dimension "{name}" is given as {given}, expected {extent}'
            )
        return extent

    def extent(self, name: str, owner: str) -> int:
        """Return the extent of symbolic dimension `name`, which `owner` has."""
        extent = self.find(name, owner)
        if extent is None:
            names = self.open or (name,)
            dims = ", ".join(f'"{each}": ...' for each in names)
            options = " ".join(f'--dim "{each}=..."' for each in names)
            raise InvalidModelError(
                f'{owner} has the symbolic dimension "{name}"; '
                f"give its extent: dims={{{dims}}} or {options}"
            )
        return extent

    def take(self, expected: int | str, extent: int) -> bool:
        """Say whether `extent` fits what an input has; an open dimension takes it."""
        if isinstance(expected, int):
            return expected == extent
        known = self.find(expected, "an input")
        if known is None and expected not in self._relations:
            self.given[expected] = extent
        return known in (None, extent)

    def check_all_used(self) -> None:
        """Raise where the caller gives a dimension that the model does not have."""
        unknown = sorted(set(self.given) - self._seen)
        if unknown:
            known = ", ".join(f'"{name}"' for name in sorted(self._seen)) or "none"
            raise InvalidModelError(
                f'the model has no symbolic dimension "{unknown[0]}" (it has {known})'
            )


def extents_of(info: ValueInfoProto) -> tuple[int | str, ...] | None:
    """
    Return the extents and symbolic dimensions of a tensor; None: no tensor, no shape.

    A dimension without extent and name goes by its place: `data[0]`.
    """
    if not info.type.tensor_type.HasField("shape"):
        return None
    return tuple(
        dim.dim_value
        if dim.HasField("dim_value")
        else text_of(dim.dim_param, "a dimension") or f"{info.name}[{index}]"
        for index, dim in enumerate(info.type.tensor_type.shape.dim)
    )


def symbols_of(infos: Iterable[ValueInfoProto]) -> tuple[str, ...]:
    """Return the symbolic dimensions of tensors, each once, in order."""
    extents = (extent for info in infos for extent in extents_of(info) or ())
    return tuple(dict.fromkeys(each for each in extents if isinstance(each, str)))


def declared_tensor(
    info: ValueInfoProto, owner: str
) -> tuple[np.dtype[Any], tuple[int | str, ...]]:
    """Return the element type, extents and symbolic dimensions of an input."""
    kind = info.type.WhichOneof("value")
    if kind is None:
        raise InvalidModelError(f"{owner} has no type")
    if kind != "tensor_type":
        raise Unsupported(f"values of kind {kind.removesuffix('_type')}")
    dtype = dtype_of_onnx(info.type.tensor_type.elem_type, owner)
    extents = extents_of(info)
    if extents is None:
        raise InvalidModelError(
            f"{owner} has no shape, expected at least its rank; declare one in the "
            f'model, or give it a value: constants={{"{info.name}": ...}}'
        )
    return dtype, extents


def type_of(info: ValueInfoProto, dims: Dimensions, owner: str) -> AnyTensorType:
    """Return the type of an input, all of whose dimensions `dims` has."""
    dtype, extents = declared_tensor(info, owner)
    shape = tuple(
        dims.extent(extent, owner) if isinstance(extent, str) else extent
        for extent in extents
    )
    check_extents(shape, dtype.itemsize, owner)
    return tensor(element_type_of(dtype), shape)


def given_values(
    inputs: Iterable[ValueInfoProto], values: Mapping[str, object], dims: Dimensions
) -> dict[str, NDArray[Any]]:
    """
    Return `values`, which the caller gives to inputs, as arrays of their own.

    `dims` takes the extents that they have.
    Errors: a BindingError that lists what is not an input or has another type.
    """
    infos = {info.name: info for info in inputs}
    arrays: dict[str, NDArray[Any]] = {}
    problems: list[str] = []
    for name, value in values.items():
        if name not in infos:
            known = ", ".join(f'"{each}"' for each in infos) or "none"
            problems.append(f'the model has no input "{name}" (it has {known})')
            continue
        array = np.array(value, order="C")
        array.flags.writeable = False
        problems += _misfits(infos[name], array, dims)
        arrays[name] = array
    if problems:
        raise BindingError("; ".join(problems))
    return arrays


def _misfits(
    info: ValueInfoProto, array: NDArray[Any], dims: Dimensions
) -> Iterator[str]:
    """Say why `array` cannot stand for an input."""
    number = info.type.tensor_type.elem_type
    dtype = DTYPES.get(number)
    extents = extents_of(info)
    fits = extents is None or (
        len(extents) == array.ndim and all(map(dims.take, extents, array.shape))
    )
    if dtype != array.dtype or not fits:
        shape = ", ".join(map(str, extents)) if extents is not None else "..."
        yield (
            f'input "{info.name}" is given as {array.dtype}{list(array.shape)}, '
            f"expected {dtype or type_name(number)}[{shape}]"
        )


def axes_of(info: ValueInfoProto) -> tuple[str, ...]:
    """Return the denotation of each axis in the model; empty where it has none."""
    meanings = tuple(dim.denotation for dim in info.type.tensor_type.shape.dim)
    return meanings if any(meanings) else ()


def declared_type(info: ValueInfoProto) -> AnyTensorType | None:
    """Return the type that the model declares for a value, if it is a static one."""
    try:
        return type_of(info, Dimensions({}), "")
    except (InvalidModelError, Unsupported):
        return None


@dataclass(frozen=True)
class KeptInput:
    """The lifetime of the value of an input that a caller need not pass."""

    residency: str
    begins_as_zeros: bool


def kept_inputs(graph: GraphProto, given: Collection[str]) -> dict[str, KeptInput]:
    """Return the inputs that our metadata mark as kept, except `given` ones."""
    metadata = {i.name: _metadata_of(i) for i in graph.input if i.name not in given}
    return {
        name: KeptInput(entries[RESIDENCY], ZEROS in entries)
        for name, entries in metadata.items()
        if entries.get(RESIDENCY) in RESIDENCIES
    }


def states_of(graph: GraphProto) -> dict[str, str]:
    """Map each output to the input whose next value it is, by metadata."""
    types = {info.name: declared_type(info) for info in graph.input}
    states = {info.name: _metadata_of(info).get(STATE, "") for info in graph.output}
    declared = {info.name: declared_type(info) for info in graph.output}
    return {
        output: name
        for output, name in states.items()
        if name in types and types[name] == declared[output] is not None
    }


def _metadata_of(info: ValueInfoProto) -> dict[str, str]:
    return {entry.key: entry.value for entry in info.metadata_props}
