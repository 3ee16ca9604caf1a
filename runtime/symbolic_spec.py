"""Inputs, outputs and states with symbolic dimensions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from glow.runtime.copies import Array
from glow.runtime.tensor_spec import TensorSpec, describe
from glow.support.errors import BindingError

if TYPE_CHECKING:
    from glow.support.layout import Layout

Shape = tuple[int, ...]


@dataclass(frozen=True)
class SymbolicSpec(TensorSpec):
    """
    An input, output or state with symbolic dimensions.

    `shape` and `tensor_shape` have -1 where an extent is not known, and `dtype` is void
    where that of an output is not.
    """

    extents: tuple[int | str, ...] | None = None
    """
    The shape with names, as the model declares it, whatever the order of the array.

    None, of an output: known once it is compiled.
    """

    @property
    def is_typed(self) -> bool:
        """Whether the element type is known."""
        return self.dtype != np.dtype("V")

    @property
    def nbytes(self) -> int:
        """The bytes of the array; a BindingError where they depend on dimensions."""
        if -1 in self.shape or self.extents is None:
            raise BindingError(f"{self} has no size before its dimensions are known")
        return super().nbytes

    @property
    def description(self) -> str:
        """The array to pass: `float32[batch, 8, 8, 3] (NHWC of [batch, 3, 8, 8])`."""
        dtype = self.dtype if self.is_typed else "?"
        whole = ("...",) if self.extents is None else self.extents
        extents = self._array_extents() if self.layout else whole
        return describe(extents, dtype, self.layout, whole, self.axes)

    def fits(self, array: Array) -> bool:
        """Return whether `array` can be this tensor for some extents."""
        is_fit = self.extents is None or (
            len(self.shape) == array.ndim
            and all(e in (-1, a) for e, a in zip(self.shape, array.shape, strict=True))
        )
        return is_fit and self.dtype in (array.dtype, np.dtype("V"))

    def relaid(self, layout: Layout) -> SymbolicSpec:
        """Return this tensor as an array in `layout`, whose blocks divide its axes."""
        from glow.support.layout import print_layout, row_major

        if self.extents is None or layout == row_major(layout.rank):
            return self
        known = tuple(e if isinstance(e, int) else -1 for e in self.extents)
        relaid = replace(self, layout=print_layout(layout), tensor_shape=known)
        extents = relaid._array_extents()
        shape = tuple(e if isinstance(e, int) else -1 for e in extents)
        return replace(relaid, shape=shape)

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
        if not self.layout:
            return shape
        layout = self.order
        return tuple(
            prod(shape[i] for i in layout.digits(axis)) for axis in range(layout.rank)
        )

    def _array_extents(self) -> tuple[int | str, ...]:
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


def symbolic_spec(
    name: str,
    extents: tuple[int | str, ...] | None,
    dtype: np.dtype[Any] | None,
    axes: tuple[str, ...] = (),
) -> SymbolicSpec:
    """Return the spec of a tensor; None stands for an unknown shape or type."""
    shape = tuple(e if isinstance(e, int) else -1 for e in extents or ())
    return SymbolicSpec(name, shape, dtype or np.dtype("V"), axes=axes, extents=extents)
