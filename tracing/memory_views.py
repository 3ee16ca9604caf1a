"""Arrays that are views of others, with their base and the part that they show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from glow.support.arrays import Array, address_of


@dataclass(frozen=True)
class View:
    """`base[index].transpose(order).reshape(shape)`, where `base` is another array."""

    index: tuple[int | slice, ...]
    order: tuple[int, ...]
    shape: tuple[int, ...]

    def of(self, base: Any) -> Any:
        """Return that part of a tensor that has the elements of the array."""
        return base[self.index].transpose(*self.order).reshape(*self.shape)


def owner_of(array: Array) -> Array:
    """Return the array whose memory `array` is a view of; itself if it has its own."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    return owner


def view_of(base: Array, array: Array) -> View | None:
    """
    Return the view of `base` that has the elements of `array`, in the same memory.

    None if there is none, or only one that repeats elements or merges axes of a part.
    """
    if base.dtype != array.dtype or not array.size:
        return None
    offset = address_of(array) - address_of(base)
    if offset == 0 and base.size == array.size and _are_contiguous(base, array):
        whole = tuple(slice(0, extent, 1) for extent in base.shape)
        return View(whole, tuple(range(base.ndim)), array.shape)
    starts = _starts(base, offset)
    if starts is None:
        return None
    steps: dict[int, tuple[int, int, int]] = {}
    for axis, (extent, stride) in enumerate(
        zip(array.shape, array.strides, strict=True)
    ):
        if extent == 1:
            continue
        for along in _descending(base):
            unit = base.strides[along]
            step = stride // unit
            last = starts[along] + (extent - 1) * step
            fits = step and not stride % unit and 0 <= last < base.shape[along]
            if fits and along not in steps:
                steps[along] = axis, step, last
                break
        else:
            return None
    index = tuple(
        _range(starts[along], *steps[along][1:]) if along in steps else starts[along]
        for along in range(base.ndim)
    )
    kept = sorted(steps)
    order = tuple(sorted(range(len(kept)), key=lambda at: steps[kept[at]][0]))
    return View(index, order, array.shape)


def _range(start: int, step: int, last: int) -> slice:
    stop = last + (1 if step > 0 else -1)
    return slice(start, None if stop < 0 else stop, step)


def _are_contiguous(*arrays: Array) -> bool:
    return all(array.flags.c_contiguous for array in arrays)


def _descending(array: Array) -> list[int]:
    """Return the axes with several elements, from the one of the largest stride on."""
    axes = [axis for axis, extent in enumerate(array.shape) if extent > 1]
    return sorted(axes, key=lambda axis: -array.strides[axis])


def _starts(base: Array, offset: int) -> list[int] | None:
    """Return the index of the element `offset` bytes after the first of `base`."""
    starts = [0] * base.ndim
    reach = base.itemsize
    for axis in reversed(_descending(base)):
        if base.strides[axis] < reach:
            return None
        reach = base.strides[axis] * base.shape[axis]
    for axis in _descending(base):
        starts[axis], offset = divmod(offset, base.strides[axis])
        if not 0 <= starts[axis] < base.shape[axis]:
            return None
    return None if offset else starts
