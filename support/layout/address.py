"""Addresses under a layout: physical shape, strides, sizes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from math import gcd, prod
from operator import mul

from glow.support.arrays import Shape
from glow.support.layout.physical import Layout, LayoutError


@lru_cache(4096)
def physical_shape(
    layout: Layout, shape: Shape, itemsize: int | None = None
) -> tuple[int, ...]:
    """
    Return the extents of the dense array that stores a tensor of `shape`.

    Units: itemsize in bytes; needed by aligned layouts only.
    """
    check_shape(layout, shape)
    extents = [
        -(-_padded(layout, shape, dim.axis) // dim.stride)
        if dim.extent is None
        else dim.extent
        for dim in layout.dims
    ]
    if not layout.is_aligned:
        return tuple(extents)
    if itemsize is None:
        raise LayoutError("an aligned layout needs the size of an element")
    stride_bytes = itemsize
    for i in range(len(extents) - 1, 0, -1):
        alignment = layout.dims[i - 1].alignment
        step = alignment // gcd(alignment, stride_bytes)
        extents[i] = -(-extents[i] // step) * step
        stride_bytes *= extents[i]
    return tuple(extents)


def physical_strides(
    layout: Layout, shape: Shape, itemsize: int | None = None
) -> tuple[int, ...]:
    """Return the distance between neighbors along each dim, in elements."""
    return row_major_strides(physical_shape(layout, shape, itemsize))


def row_major_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides of a dense array of `shape`, in elements."""
    inner = accumulate(reversed(shape[1:]), mul, initial=1)
    return tuple(inner)[::-1] if shape else ()


def size_of(layout: Layout, shape: Shape, itemsize: int | None = None) -> int:
    """Return how many elements the stored array has, padding included."""
    return prod(physical_shape(layout, shape, itemsize))


def address(
    layout: Layout, shape: Shape, index: Sequence[int], itemsize: int | None = None
) -> int:
    """Return where element `index` of a tensor of `shape` lies, in elements."""
    strides = physical_strides(layout, shape, itemsize)
    if not all(0 <= i < n for i, n in zip(index, shape, strict=True)):
        raise LayoutError(f"expected an index into {list(shape)}, got {list(index)}")
    position = [i + before for i, (before, _) in zip(index, layout.halo, strict=True)]
    place = 0
    for dim, stride in zip(layout.dims, strides, strict=True):
        digit = position[dim.axis] // dim.stride
        place += stride * (digit if dim.extent is None else digit % dim.extent)
    return place


Digit = tuple[int, int, int]


@lru_cache(4096)
def address_map(
    layout: Layout, shape: Shape, itemsize: int | None = None
) -> tuple[tuple[Digit, ...], ...]:
    """
    Return each axis as digits (step, extent, stride), the most significant first.

    Position x of the axis, counted from the start of its halo, adds
    `x // step % extent * stride` to the address, over its digits. They depend on
    addresses alone: digits that are always 0 are left out, ones that continue each
    other are merged.
    Units: step in positions, stride in elements.
    """
    extents = physical_shape(layout, shape, itemsize)
    strides = row_major_strides(extents)
    axes: list[tuple[Digit, ...]] = []
    for axis in range(layout.rank):
        length = _padded(layout, shape, axis)
        digits: list[Digit] = []
        for i in layout.digits(axis):
            step = layout.dims[i].stride
            if step >= length:
                continue
            used = -(-length // step)
            extent = layout.dims[i].extent or used
            if digits and digits[-1][2] == strides[i] * extent:
                extent *= digits.pop()[1]
            if not digits:  # the most significant one never comes to its end
                extent = min(extent, used)
            digits.append((step, extent, strides[i]))
        axes.append(tuple(digits))
    return tuple(axes)


@lru_cache(4096)
def strides_of(
    layout: Layout, shape: Shape, itemsize: int | None = None
) -> tuple[tuple[int, ...], int] | None:
    """
    Return the stride of each axis and the offset of element 0; None if blocked.

    Units: elements. An axis of one position has the stride of its finest digit.
    """
    physical = physical_strides(layout, shape, itemsize)
    strides: list[int] = []
    for axis, digits in enumerate(address_map(layout, shape, itemsize)):
        if len(digits) > 1:
            return None
        finest = layout.digits(axis)[-1]
        strides.append(digits[0][2] if digits else physical[finest])
    offset = sum(s * pad[0] for s, pad in zip(strides, layout.halo, strict=True))
    return tuple(strides), offset


def equivalent(
    one: Layout, other: Layout, shape: Shape, itemsize: int | None = None
) -> bool:
    """Return whether `shape` has the same bytes, and the same halo, in both layouts."""
    if one == other:
        return True
    return (
        one.halo == other.halo
        and address_map(one, shape, itemsize) == address_map(other, shape, itemsize)
        and size_of(one, shape, itemsize) == size_of(other, shape, itemsize)
    )


def check_shape(layout: Layout, shape: Shape) -> None:
    """Raise unless tensors of `shape` can have `layout`."""
    if len(shape) != layout.rank:
        raise LayoutError(
            f"expected a layout of rank {len(shape)}, got rank {layout.rank}"
        )


def _padded(layout: Layout, shape: Shape, axis: int) -> int:
    before, after = layout.halo[axis]
    return before + shape[axis] + after
