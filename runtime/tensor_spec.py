"""Tensors that an executable takes and returns, and those that it keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import prod
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from glow.runtime.copies import copy_into
from glow.support.arrays import (
    Array,
    Extents,
    Shape,
    aligned_array,
    filled,
    shares_bytes,
)
from glow.support.class_names import Class, classes_of_text
from glow.support.dimensions import AT_MOST
from glow.support.dtypes import dtype_named, name_in_files
from glow.support.errors import BindingError, OutOfMemoryError
from glow.support.names import with_article

if TYPE_CHECKING:
    from glow.support.layout import Layout


UNKNOWN: Extents = ("...",)
"""The extents of an output that is unknown until it is compiled."""


def describe(
    extents: Sequence[object],
    dtype: object,
    layout: str = "",
    whole: Sequence[object] = (),
    axes: Sequence[str] = (),
) -> str:
    """Return `float32[1, 8, 8, 3] (NHWC of [1, 3, 8, 8])`, as far as it is known."""
    notes = [f"{layout} of [{', '.join(map(str, whole))}]"] if layout else []
    most = [axis.startswith(AT_MOST) for axis in axes]
    if any(most):
        pairs = zip(extents, most, strict=True)
        extents = [f"<={extent}" if is_most else extent for extent, is_most in pairs]
        axes = ["" if m else axis for axis, m in zip(axes, most, strict=True)]
    if any(axes):
        notes.append("axes " + ", ".join(axis or "?" for axis in axes))
    text = f"{dtype}[{', '.join(map(str, extents))}]"
    return f"{text} ({'; '.join(notes)})" if notes else text


@dataclass(frozen=True)
class TensorSpec:
    """
    The name, shape and element type of one input, output or state.

    `shape` is that of the array to pass. Where the tensor has a layout, the array holds
    it in that order: `pack` makes such an array of a tensor as the model means it.
    With symbolic dimensions, `shape` and `tensor_shape` have -1 where an extent is not
    known, and `dtype` is void where that of an output is not.
    """

    name: str
    shape: Shape
    dtype: np.dtype[Any]
    layout: str = ""
    """In which order the array holds the tensor; empty: in that of the model."""
    tensor_shape: Shape | None = None
    """The shape that the tensor has in the model, where the array has another order."""
    axes: tuple[str, ...] = ()
    """The meaning of each axis, as far as the model states it."""
    extents: Extents | None = None
    """The shape in the model with the names of symbolic dimensions, if it has some."""

    def __str__(self) -> str:
        return f"{self.name}: {self.description}"

    @property
    def counted(self) -> tuple[int, str] | None:
        """The axis with a data-dependent extent, and the output that holds it."""
        for axis, meaning in enumerate(self.axes):
            if meaning.startswith(AT_MOST):
                return axis, meaning.removeprefix(AT_MOST)
        return None

    @property
    def is_typed(self) -> bool:
        """Whether the element type is known."""
        return self.dtype != np.dtype("V")

    @property
    def is_shaped(self) -> bool:
        """Whether anything is known of the shape."""
        return self.extents != UNKNOWN

    @property
    def nbytes(self) -> int:
        """The bytes of the array; a BindingError where they depend on dimensions."""
        if -1 in self.shape:
            raise BindingError(f"{self} has no size before its dimensions are known")
        return prod(self.shape) * self.dtype.itemsize

    def empty(self) -> Array:
        """Return a fresh array; an OutOfMemoryError names the tensor and its bytes."""
        try:
            return np.empty(self.shape, self.dtype)
        except MemoryError:
            raise OutOfMemoryError(
                f"{self} takes {self.nbytes} bytes, more than there are"
            ) from None

    @property
    def description(self) -> str:
        """The array to pass: `float32[batch, 8, 8, 3] (NHWC of [batch, 3, 8, 8])`."""
        extents: Sequence[object] = self.shape
        if self.extents is not None:
            extents = self._array_extents() if self.layout else self.extents
        whole = self.tensor_shape or () if self.extents is None else self.extents
        dtype = self.dtype if self.is_typed else "?"
        return describe(extents, dtype, self.layout, whole, self.axes)

    @property
    def classes(self) -> tuple[Class, ...]:
        """The classes that its numbers, or else its columns, stand for."""
        return classes_of_text(self.axes[-1]) if self.axes else ()

    def labeled(self, array: Array) -> Any:
        """
        Return labels for an array of class numbers, dicts for rows of scores.

        Labels are an array of objects, rows a list of dicts by class, as ONNX Runtime
        gives them. An array that stands for neither is returned as it is.
        """
        classes = self.classes
        if not classes:
            return array
        tensor = self.unpack(array)
        if self.dtype.kind == "i":
            return np.array(classes, object)[tensor]
        return [dict(zip(classes, row, strict=True)) for row in tensor.tolist()]

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

    def relaid(self, layout: Layout) -> TensorSpec:
        """Return this tensor as an array in `layout`, whose blocks divide its axes."""
        from glow.support.layout import print_layout, row_major

        if not self.is_shaped or layout == row_major(layout.rank):
            return self
        relaid = replace(self, layout=print_layout(layout), tensor_shape=self.shape)
        return replace(relaid, shape=_known(relaid._array_extents()))

    def shape_for(self, dims: Mapping[str, int]) -> Shape:
        """Return the shape of the array where dimensions are `dims`."""
        shape = self._tensor_shape_for(dims)
        if not self.layout:
            return shape
        from glow.support.layout import physical_shape

        return physical_shape(self.order, shape)

    def _tensor_shape_for(self, dims: Mapping[str, int]) -> Shape:
        return tuple(e if isinstance(e, int) else dims[e] for e in self.extents or ())

    def problem_for(self, dims: Mapping[str, int]) -> str | None:
        """Return why no array holds the tensor for these extents; None if one does."""
        shape = self._tensor_shape_for(dims)
        if prod(self.shape_for(dims)) == prod(shape):
            return None
        return (
            f'expected blocks that divide the axes of "{self.name}", which is '
            f"{list(shape)}, got {self.layout}"
        )

    def tensor_shape_of(self, shape: Shape) -> Shape:
        """Return the shape that a tensor has in the model, by that of the array."""
        if not self.layout or (self.tensor_shape and -1 not in self.tensor_shape):
            return self.tensor_shape or shape
        layout = self.order
        return tuple(
            prod(shape[i] for i in layout.digits(axis)) for axis in range(layout.rank)
        )

    def _array_extents(self) -> Extents:
        """Return the shape of the array with names; `n/8` stands for blocks of 8."""
        extents: list[int | str] = []
        for dim in self.order.dims:
            extent = (self.extents or ())[dim.axis]
            if dim.extent is not None:
                extents.append(dim.extent)
            elif isinstance(extent, int):
                extents.append(extent // dim.stride)
            else:
                extents.append(extent if dim.stride == 1 else f"{extent}/{dim.stride}")
        return tuple(extents)

    def entry(self) -> dict[str, Any]:
        """Return the tensor as a file has it; `of` reads that."""
        return asdict(self) | {"dtype": name_in_files(self.dtype)}

    @staticmethod
    def of(entry: Mapping[str, Any]) -> TensorSpec:
        """Return the tensor that an entry of a file describes."""
        extents, stored = entry.get("extents"), entry["tensor_shape"]
        return TensorSpec(
            entry["name"],
            tuple(entry["shape"]),
            dtype_named(entry["dtype"]),
            entry["layout"],
            None if stored is None else tuple(stored),
            tuple(entry["axes"]),
            None if extents is None else tuple(extents),
        )

    def problem_with(self, value: object, is_written: bool = False) -> str | None:
        """Return why `value` cannot be this tensor, or be written; None if it can."""
        if not isinstance(value, np.ndarray | np.generic):
            return f"expected {self.description}, got {_kind_of(value)}"
        array = cast(Array, value)
        if not self.fits(array):
            got = describe(array.shape, array.dtype)
            return f"expected {self.description}, got {got}"
        if is_written and not array.flags.writeable:
            return "expected a writeable array"
        if is_written and shares_bytes(array):
            return "expected elements that share no bytes with each other"
        return None

    def fits(self, array: Array) -> bool:
        """Return whether `array` has the type and, where it is known, the shape."""
        return (
            len(self.shape) == array.ndim
            and all(e in (-1, a) for e, a in zip(self.shape, array.shape, strict=True))
            and array.dtype == self.dtype
        )


def symbolic_spec(
    name: str,
    extents: Extents | None,
    dtype: np.dtype[Any] | None,
    axes: tuple[str, ...] = (),
) -> TensorSpec:
    """Return the spec of a tensor; None stands for an unknown shape or type."""
    known = UNKNOWN if extents is None else extents
    shape, dtype = _known(known), dtype or np.dtype("V")
    return TensorSpec(name, shape, dtype, axes=axes, extents=known)


def _known(extents: Extents) -> Shape:
    return tuple(e if isinstance(e, int) else -1 for e in extents)


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
        array = aligned_array(self.spec.shape, self.spec.dtype, what=str(self.spec))
        copy_into(array, self.initial)
        return array


def _kind_of(value: object) -> str:
    """Return what `value` is, and why it cannot be an array if it should."""
    kind = with_article(type(value).__name__)
    if hasattr(value, "__array__"):
        try:
            np.asarray(value)
        except Exception as error:  # such as for a tensor that requires a gradient
            return f"{kind}: {str(error).partition(chr(10))[0]}"
    return kind
