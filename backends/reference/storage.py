"""Where an interpreted run keeps its values: as tensors, or as physical bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from glow.dialects.layout.attribute import layout_of
from glow.support.layout import address_map, row_major, size_of
from glow.support.types import dtype_of, element_of, shape_of

Array = NDArray[Any]

# What padding holds; no model gets far if it reads one of these.
_POISON = -77


class TensorStorage:
    """Keeps each value as the tensor that it is; layouts do not matter."""

    def __init__(self) -> None:
        self._values: dict[SSAValue, Array] = {}

    def write(self, value: SSAValue, array: Array) -> None:
        self._values[value] = array

    def read(self, value: SSAValue) -> Array:
        return self._values[value]

    def free(self, value: SSAValue) -> None:
        del self._values[value]


def poisoned(size: int, dtype: np.dtype[Any]) -> Array:
    """Return `size` elements that spoil what is computed from them."""
    if dtype.kind == "f":
        return np.full(size, np.nan, dtype)
    return np.full(size, _POISON, np.int8).astype(dtype)


class PhysicalStorage(TensorStorage):
    """
    Keeps each value as the flat bytes that its layout describes, padding poisoned.

    Elements are placed and found through the address map alone, so a value comes
    back whole only if its layout gives every element a place of its own.
    """

    def write(self, value: SSAValue, array: Array) -> None:
        super().write(value, stored(value, array))

    def read(self, value: SSAValue) -> Array:
        return super().read(value)[addresses(value)]


def stored(value: SSAValue, array: Array) -> Array:
    """Return the bytes of `value` when it is `array`, in its layout."""
    shape = shape_of(value)
    layout = layout_of(value) or row_major(len(shape))
    flat = poisoned(size_of(layout, shape, array.itemsize), array.dtype)
    flat[addresses(value)] = array
    return flat


def addresses(value: SSAValue) -> NDArray[np.intp]:
    """Return the position of every element of `value` in its bytes."""
    shape = shape_of(value)
    layout = layout_of(value) or row_major(len(shape))
    itemsize = dtype_of(element_of(value)).itemsize
    found = np.zeros(shape, np.intp)
    for axis, digits in enumerate(address_map(layout, shape, itemsize)):
        position = np.arange(shape[axis]) + layout.halo[axis][0]
        offset = sum(
            (position // step % extent * stride for step, extent, stride in digits),
            start=np.zeros(shape[axis], np.intp),
        )
        found += offset.reshape([-1] + [1] * (len(shape) - axis - 1))
    return found
