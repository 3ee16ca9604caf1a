"""Written elements of buffers, and whether zeros surround them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import gcd, prod

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from glow.dialects.layout.attribute import LayoutAttr, physical_shape_of
from glow.dialects.memory.address import Addressing, find_addressing
from glow.dialects.memory.base import Buffer
from glow.support.arrays import check_room

Mask = NDArray[np.bool_]
Widths = Sequence[tuple[int, int]]


class Written:
    """
    The elements of an allocation of `type_` that hold a value.

    Its border is what it stores besides its logical elements: a halo, or what alignment
    adds. A blocked allocation is only written and read as a whole. Masks have an entry
    for each run of `_unit` elements, the longest that all places have whole: large
    buffers that are written in large parts take few.
    """

    def __init__(self, type_: Buffer, whole: bool = False):
        self._own = find_addressing(type_)
        self._stored = prod(physical_shape_of(type_))
        self._whole = whole or 0 in type_.get_shape()
        self._zero_border = False
        self._mask: Mask | None = None
        self._unit = max(self._stored, 1)

    @property
    def _has_border(self) -> bool:
        return self._own is None or prod(self._own.shape) != self._stored

    def write(self, view: Buffer) -> None:
        """Note that each element of `view` has been written."""
        place = find_addressing(view)
        if place is None or self._own is None or place == self._own:
            self._whole = True
        else:
            self._refine(place)
            if self._has_border and not self._marked(self._logical, place):
                self._zero_border = False
            if not self._whole:
                if self._mask is None:
                    self._mask = self._nothing()
                self._at(self._mask, place)[...] = True

    def zero_border(self) -> None:
        """Note that the border has become zero."""
        self._zero_border = True

    def holds(self, view: Buffer) -> bool:
        """Return whether each element of `view` has a value."""
        place = find_addressing(view)
        if self._own is None:
            return self._whole
        if place is None:  # in blocks, it shows all elements
            place = self._own
        self._refine(place)
        if place == self._own and not self._whole:
            self._whole = self._mask is not None and self._marked(self._mask, place)
            return self._whole
        if self._whole and (place == self._own or not self._has_border):
            return True
        return self._marked(self._defined(), place)

    def has_zeros_around(self, view: Buffer, widths: Widths) -> bool:
        """
        Return whether `widths` (before, after) of zeros surround `view` on each axis.

        Only zeros of the border count, not elements that ops have written.
        """
        if not self._stored or not any(map(any, widths)):
            return True
        if not self._zero_border:
            return False
        place = find_addressing(view)
        blocked = place is None or self._own is None
        if isinstance(view.layout, LayoutAttr) and (blocked or place == self._own):
            return _contains(view.layout.data.halo, widths)
        if place is None or self._own is None:
            return False
        wider = Addressing(
            tuple(n + sum(w) for n, w in zip(place.shape, widths, strict=True)),
            place.strides,
            place.offset
            - sum(s * w[0] for s, w in zip(place.strides, widths, strict=True)),
        )
        low, high = wider.bounds
        if low < 0 or high >= self._stored:
            return False
        self._refine(wider, place)
        around = self._nothing()
        self._at(around, wider)[...] = True
        self._at(around, place)[...] = False
        return not (around & self._logical).any()

    @cached_property
    def _logical(self) -> Mask:
        mask = self._nothing()
        if self._own is not None:
            self._at(mask, self._own)[...] = True
        return mask

    def _nothing(self) -> Mask:
        count = self._stored // self._unit
        check_room(count, "to check each element", share=4)
        return np.zeros(count, np.bool_)

    def _refine(self, *places: Addressing) -> None:
        """Let masks have an entry for each part that lies in some of `places` only."""
        own = [self._own] if self._has_border and self._own is not None else []
        unit = gcd(self._unit, *map(_unit_of, (*places, *own)))
        if unit != self._unit:
            if self._mask is not None:
                check_room(self._stored // unit, "to check each element", share=4)
                self._mask = np.repeat(self._mask, self._unit // unit)
            self._unit = unit
            self.__dict__.pop("_logical", None)

    def _at(self, mask: Mask, place: Addressing) -> Mask:
        """Return the entries for the elements of `place`, which are whole units."""
        if 0 in place.shape:
            return mask[:0]
        run, rest, start = _runs(place)
        extents, steps = [run // self._unit], [1]
        for step, extent in rest:
            extents.append(extent)
            steps.append(step // self._unit)
        return as_strided(mask[start // self._unit :], extents, steps)

    def _defined(self) -> Mask:
        """Return which stored elements have a value."""
        mask = self._mask
        if self._whole:
            mask = self._logical if mask is None else mask | self._logical
        elif mask is None:
            mask = self._nothing()
        return mask | ~self._logical if self._zero_border else mask

    def _marked(self, mask: Mask, place: Addressing) -> bool:
        low, high = place.bounds
        return low >= 0 and high < self._stored and bool(self._at(mask, place).all())


def _contains(halo: Widths, widths: Widths) -> bool:
    return all(
        has >= wanted
        for pair, wanted_pair in zip(halo, widths, strict=True)
        for has, wanted in zip(pair, wanted_pair, strict=True)
    )


def _unit_of(place: Addressing) -> int:
    """Return the longest run that begins at a multiple of itself wherever it lies."""
    if 0 in place.shape:
        return 0
    run, rest, start = _runs(place)
    return gcd(run, start, *(step for step, _ in rest))


def _runs(place: Addressing) -> tuple[int, list[tuple[int, int]], int]:
    """
    Return the addresses of `place` as runs of neighbors.

    They are: how long a run is, strides and extents of where runs begin, the first.
    """
    strides = zip(map(abs, place.strides), place.shape, strict=True)
    run, rest = 1, list[tuple[int, int]]()
    for step, extent in sorted(pair for pair in strides if pair[0] and pair[1] > 1):
        if step == run and not rest:
            run *= extent
        else:
            rest.append((step, extent))
    return run, rest, place.bounds[0]
