"""Conversion of arrays to the bytes of a layout and back, in NumPy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any

import numpy as np

from glow.support.arrays import ALIGNMENT, Array, Shape, aligned_array
from glow.support.layout.address import physical_shape
from glow.support.layout.physical import Layout, LayoutError
from glow.support.mapped_files import forget
from glow.support.sharing import for_each

Box = tuple[slice, ...]


_PIECE_BYTES = 4 << 20
"""The bytes of a mapped file that are in memory at a time while it is packed."""

_CACHE_SETS_BYTES = 2048
"""Lines at multiples of this are at most two sets of a first-level cache apart."""


def pack(layout: Layout, array: Array) -> Array:
    """Return the physical array that stores `array`, aligned; padding is zero."""
    physical, used, axes, pieces = _plan_of(layout, array.shape, array.itemsize)
    make = np.empty if array.size == prod(physical) else np.zeros
    packed = aligned_array(physical, array.dtype, make)
    by_axis = packed[used].transpose(axes)

    def move(piece: tuple[Any, Any]) -> None:
        source, target = piece
        part, room = array[source], by_axis[target]
        rows = _spread(part) if axes and layout.dims[-1].axis == 0 else part
        room[...] = rows.reshape(room.shape)
        forget(part)

    for_each(move, pieces, array.nbytes)
    return packed


@lru_cache(1 << 8)
def _plan_of(
    layout: Layout, shape: Shape, itemsize: int
) -> tuple[Shape, Any, Sequence[int], Sequence[tuple[Any, Any]]]:
    """Return the stored shape, what of it is used, its axes in order, and pieces."""
    digits, order = _digits(layout, shape)
    flat = [extent for extents in digits for extent in extents]
    used = (*(slice(flat[i]) for i in order), ...)
    axes = sorted(range(len(order)), key=order.__getitem__)
    pieces = tuple(
        _pieces(digits, [before for before, _ in layout.halo], shape, itemsize)
    )
    return physical_shape(layout, shape, itemsize), used, axes, pieces


def _spread(rows: Array) -> Array:
    """Return `rows`, copied if their starts compete for few places of a cache."""
    row_bytes = rows[:1].nbytes
    if not row_bytes or row_bytes % _CACHE_SETS_BYTES:
        return rows
    gap = ALIGNMENT // rows.itemsize
    spread = np.empty((len(rows), row_bytes // rows.itemsize + gap), rows.dtype)
    spread[:, :-gap] = rows.reshape(len(rows), -1)
    return spread[:, :-gap].reshape(rows.shape)


def _pieces(
    digits: Sequence[Sequence[int]], starts: Sequence[int], shape: Shape, itemsize: int
) -> Iterator[tuple[Any, Any]]:
    """Yield parts of an array to take at a time, and the digits where they go."""
    size_bytes = prod(shape) * itemsize
    if not size_bytes:
        return
    first = next((axis for axis, extent in enumerate(shape) if extent > 1), None)
    rows = None if first is None else _PIECE_BYTES * shape[first] // size_bytes
    axes = [
        runs(extents, starts[axis], shape[axis], rows if axis == first else None)
        for axis, extents in enumerate(digits)
    ]
    for parts in product(*axes):
        source = tuple(part for part, _ in parts)
        target = tuple(digit for _, box in parts for digit in box)
        yield (*source, ...), (*target, ...)


def unpack(layout: Layout, stored: Array, shape: Sequence[int]) -> Array:
    """
    Return the tensor of `shape` that `stored` holds; the inverse of `pack`.

    Errors: an array of another size than the layout gives the shape.
    """
    shape = tuple(shape)
    physical = physical_shape(layout, shape, stored.itemsize)
    if stored.size != np.prod(physical, dtype=np.int64):
        raise LayoutError(
            f"expected {list(physical)} stored elements, got {list(stored.shape)}"
        )
    digits, order = _digits(layout, shape)
    flat = [extent for extents in digits for extent in extents]
    used = stored.reshape(physical)[tuple(slice(flat[i]) for i in order)]
    whole = used.transpose(np.argsort(order, kind="stable")).reshape(
        [int(np.prod(extents, dtype=np.int64)) for extents in digits]
    )
    inside = tuple(
        slice(before, before + extent)
        for extent, (before, _) in zip(shape, layout.halo, strict=True)
    )
    return np.ascontiguousarray(whole[inside]).reshape(shape)


def _digits(layout: Layout, shape: Shape) -> tuple[list[list[int]], list[int]]:
    """Return the extents of each axis' digits, and the digit that each dim is."""
    # Without alignment there is no gap, so this is what the elements alone take.
    extents: list[list[int]] = []
    number: dict[int, int] = {}
    for axis in range(layout.rank):
        before, after = layout.halo[axis]
        length = before + shape[axis] + after
        mine = layout.digits(axis)
        for i in mine:
            number[i] = len(number)
        extents.append(
            [layout.dims[i].extent or -(-length // layout.dims[i].stride) for i in mine]
        )
    return extents, [number[i] for i in range(len(layout.dims))]


def runs(
    extents: Sequence[int], start: int, count: int, longest: int | None = None
) -> Iterator[tuple[slice, Box]]:
    """
    Yield the runs that make up `count` numbers from `start` on, in order.

    The slice says which of the numbers, the box which values each digit takes; digits
    have `extents`. In a run of more than `longest` numbers the first digit, the most
    significant, has one value.
    """
    done = 0
    for box in _boxes(extents, start, start + count, longest):
        size = prod(digit.stop - digit.start for digit in box)
        yield slice(done, done + size), box
        done += size


def _boxes(
    extents: Sequence[int], start: int, stop: int, longest: int | None = None
) -> Iterator[Box]:
    if start >= stop:
        return
    if not extents:
        yield ()
        return
    inner = extents[1:]
    size = prod(inner)
    first, last = -(-start // size), stop // size
    if first > last:  # it begins and ends within one value of the first digit
        yield from _within(last, inner, start, stop)
        return
    if start < first * size:
        yield from _within(first - 1, inner, start, first * size)
    step = last - first if longest is None else max(1, longest // size)
    for value in range(first, last, step or 1):
        rest = (slice(0, extent) for extent in inner)
        yield slice(value, min(value + step, last)), *rest
    if last * size < stop:
        yield from _within(last, inner, last * size, stop)


def _within(value: int, inner: Sequence[int], start: int, stop: int) -> Iterator[Box]:
    """Yield the boxes from `start` to `stop` where the first digit is `value`."""
    skipped = value * prod(inner)
    for box in _boxes(inner, start - skipped, stop - skipped):
        yield slice(value, value + 1), *box
