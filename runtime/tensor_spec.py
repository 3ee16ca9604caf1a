"""Tensors that an executable takes and returns, and those that it keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from glow.runtime.copies import Array, copy_into
from glow.support.arrays import aligned_array, filled
from glow.support.dtypes import dtype_named, name_in_files
from glow.support.errors import BindingError

if TYPE_CHECKING:
    from glow.support.layout import Layout


def describe(
    extents: Sequence[object],
    dtype: object,
    layout: str = "",
    whole: Sequence[object] = (),
    axes: Sequence[str] = (),
) -> str:
    """Return `float32[1, 8, 8, 3] (NHWC of [1, 3, 8, 8])`, as far as it is known."""
    notes = [f"{layout} of [{', '.join(map(str, whole))}]"] if layout else []
    if axes:
        notes.append("axes " + ", ".join(axis or "?" for axis in axes))
    text = f"{dtype}[{', '.join(map(str, extents))}]"
    return f"{text} ({'; '.join(notes)})" if notes else text


@dataclass(frozen=True)
class TensorSpec:
    """
    The name, shape and element type of one input or output.

    `shape` is that of the array to pass. Where the tensor has a layout, the array holds
    it in that order: `pack` makes such an array of a tensor as the model means it.
    """

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    layout: str = ""
    """In which order the array holds the tensor; empty: in that of the model."""
    tensor_shape: tuple[int, ...] | None = None
    """The shape that the tensor has in the model, where the array has another order."""
    axes: tuple[str, ...] = ()
    """The meaning of each axis, as far as the model states it."""

    def __str__(self) -> str:
        return f"{self.name}: {self.description}"

    @property
    def nbytes(self) -> int:
        """The bytes of the array."""
        return prod(self.shape) * self.dtype.itemsize

    @property
    def description(self) -> str:
        """The array to pass, as text: `float32[1, 8, 8, 3] (NHWC of [1, 3, 8, 8])`."""
        whole = self.tensor_shape or ()
        return describe(self.shape, self.dtype, self.layout, whole, self.axes)

    def pack(self, tensor: Array) -> Array:
        """Return the array that stands for `tensor`, which has the model's shape."""
        if not self.layout:
            return tensor
        from glow.support.layout import pack

        return pack(self.order, tensor)

    def unpack(self, array: Array) -> Array:
        """Return the tensor, in the model's shape, that `array` stands for."""
        if not self.layout:
            return array
        from glow.support.layout import unpack

        return unpack(self.order, array, self.tensor_shape_of(array.shape))

    @property
    def order(self) -> Layout:
        """The layout of the array; it has one."""
        from glow.support.layout import parse_layout

        return parse_layout(self.layout)

    def tensor_shape_of(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape that a tensor has in the model, by that of the array."""
        return self.tensor_shape or shape

    def entry(self) -> dict[str, Any]:
        """Return the tensor as a file has it; `fields_of` reads that."""
        return asdict(self) | {"dtype": name_in_files(self.dtype)}

    @staticmethod
    def fields_of(entry: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of the spec that `entry` was made of."""
        stored = entry["tensor_shape"]
        return {
            "name": entry["name"],
            "shape": tuple(entry["shape"]),
            "dtype": dtype_named(entry["dtype"]),
            "layout": entry["layout"],
            "tensor_shape": None if stored is None else tuple(stored),
            "axes": tuple(entry["axes"]),
        }

    def problem_with(self, value: object) -> str | None:
        """Return why `value` cannot be this tensor; None if it can."""
        if not isinstance(value, np.ndarray | np.generic):
            return f"expected {self.description}, got a {type(value).__name__}"
        array = cast(Array, value)
        if self.fits(array):
            return None
        got = describe(array.shape, array.dtype)
        return f"expected {self.description}, got {got}"

    def fits(self, array: Array) -> bool:
        """Return whether `array` has the shape and the type."""
        return array.shape == self.shape and array.dtype == self.dtype


@dataclass(frozen=True)
class State:
    """A tensor that stays in the bindings of a caller, from run to run."""

    spec: TensorSpec
    direction: str
    """in: runs read it; inout: they update it."""
    initial: Array | None = field(default=None, compare=False)
    """The value in new bindings, if any; without strides, it repeats one element."""

    @property
    def is_written(self) -> bool:
        return self.direction == "inout"

    def start(self) -> Array:
        """Return an array to start with, the initial one itself if runs only read."""
        if self.initial is None:
            raise BindingError(
                f'state "{self.spec.name}": it has no initial value, bind one with '
                f"bind, expected {self.spec.description}"
            )
        if not self.is_written:
            return self.initial
        if self.initial.size and not any(self.initial.strides):
            element = self.initial[(slice(1),) * self.initial.ndim]
            return filled(element, self.spec.shape)
        array = aligned_array(self.spec.shape, self.spec.dtype)
        copy_into(array, self.initial)
        return array
