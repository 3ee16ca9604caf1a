"""The types of a model's inputs and outputs, with symbolic dimensions resolved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ValueInfoProto

from glow.importers.onnx.dimensions import Dimensions, extents_of
from glow.importers.onnx.problems import Unsupported
from glow.importers.onnx.tensors import DTYPES, check_extents, dtype_of_onnx, type_name
from glow.support.errors import BindingError, InvalidModelError
from glow.support.types import Tensor, element_type_of, tensor


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


def type_of(info: ValueInfoProto, dims: Dimensions, owner: str) -> Tensor:
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
    Errors: a BindingError that lists what is no input, or has another type than that.
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
    """Return what the model says that each axis means; empty where it says nothing."""
    meanings = tuple(dim.denotation for dim in info.type.tensor_type.shape.dim)
    return meanings if any(meanings) else ()


def declared_type(info: ValueInfoProto) -> Tensor | None:
    """Return the type that the model declares for a value, if it is a static one."""
    try:
        return type_of(info, Dimensions({}), "")
    except (InvalidModelError, Unsupported):
        return None
