"""Which elements of a buffer hold a value, and whether zeros surround them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from glow.dialects.layout.attribute import LayoutAttr, physical_shape_of
from glow.dialects.memory.address import Addressing, find_addressing
from glow.dialects.memory.base import Buffer

Mask = NDArray[np.bool_]
Widths = Sequence[tuple[int, int]]


class Written:
    """
    The elements of an allocation of `type_` that hold a value.

    Its border is what it stores besides its logical elements: a halo, or what alignment
    adds. A blocked allocation is only written and read as a whole.
    """

    def __init__(self, type_: Buffer, whole: bool = False):
        self._own = find_addressing(type_)
        self._stored = prod(physical_shape_of(type_))
        self._whole = whole or 0 in type_.get_shape()
        self._zero_border = False
        self._mask: Mask | None = None

    @property
    def _has_border(self) -> bool:
        return self._own is None or prod(self._own.shape) != self._stored

    def write(self, view: Buffer) -> None:
        """Note that each element of `view` has been written."""
        place = find_addressing(view)
        if place is None or self._own is None or place == self._own:
            self._whole = True
        else:
            if self._has_border and not self._marked(self._logical, place):
                self._zero_border = False
            if not self._whole:
                if self._mask is None:
                    self._mask = np.zeros(self._stored, np.bool_)
                _at(self._mask, place)[...] = True

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
        if place == self._own and not self._whole:
            self._whole = self._mask is not None and self._marked(self._mask, place)
            return self._whole
        if self._whole and (place == self._own or not self._has_border):
            return True
        return self._marked(self._defined(), place)

    def has_zeros_around(self, view: Buffer, widths: Widths) -> bool:
        """
        Return whether `widths` (before, after) of zeros surround `view` on each axis.

        Zeros are those of the border: elements that ops have written are none.
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
        around = np.zeros(self._stored, np.bool_)
        _at(around, wider)[...] = True
        _at(around, place)[...] = False
        return not (around & self._logical).any()

    @cached_property
    def _logical(self) -> Mask:
        mask = np.zeros(self._stored, np.bool_)
        if self._own is not None:
            _at(mask, self._own)[...] = True
        return mask

    def _defined(self) -> Mask:
        """Return which stored elements have a value."""
        mask = self._mask
        if self._whole:
            mask = self._logical if mask is None else mask | self._logical
        elif mask is None:
            mask = np.zeros(self._stored, np.bool_)
        return mask | ~self._logical if self._zero_border else mask

    def _marked(self, mask: Mask, place: Addressing) -> bool:
        low, high = place.bounds
        return low >= 0 and high < self._stored and bool(_at(mask, place).all())


def _contains(halo: Widths, widths: Widths) -> bool:
    return all(
        has >= wanted
        for pair, wanted_pair in zip(halo, widths, strict=True)
        for has, wanted in zip(pair, wanted_pair, strict=True)
    )


def _at(mask: NDArray[Any], place: Addressing) -> NDArray[Any]:
    """Return the elements of a flat array at the addresses of `place`."""
    if 0 in place.shape:
        return mask[:0]
    strides = [stride * mask.itemsize for stride in place.strides]
    return as_strided(mask[place.offset :], place.shape, strides)
