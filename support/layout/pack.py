"""Bytes of a tensor in a layout and back, with NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glow.support.arrays import aligned
from glow.support.layout.address import Shape, physical_shape
from glow.support.layout.physical import Layout, LayoutError

Array = NDArray[Any]


def pack(layout: Layout, array: Array) -> Array:
    """Return the physical array that stores `array`, aligned; padding is zero."""
    shape = array.shape
    physical = physical_shape(layout, shape, array.itemsize)
    digits, order = _digits(layout, shape)
    counts = [int(np.prod(extents, dtype=np.int64)) for extents in digits]
    if any(pad != (0, 0) for pad in layout.halo) or tuple(counts) != shape:
        widths = [
            (before, count - before - extent)
            for count, extent, (before, _) in zip(
                counts, shape, layout.halo, strict=True
            )
        ]
        array = np.pad(array, widths)
    split = array.reshape([extent for extents in digits for extent in extents])
    found = split.transpose(order)
    if found.shape != physical:
        gaps = zip(physical, found.shape, strict=True)
        found = np.pad(found, [(0, whole - used) for whole, used in gaps])
    return aligned(found).reshape(physical)


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
