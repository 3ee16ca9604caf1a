"""Sets of byte ranges that count the overlaps with another range."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort

from numpy.lib.array_utils import byte_bounds

from glow.support.arrays import Array

Range = tuple[int, int]
"""The first byte, and the one after the last."""


def range_of(array: Array) -> Range | None:
    """Return the range of bytes that `array` spans; None if it has none."""
    return byte_bounds(array) if array.nbytes else None


class ByteRanges:
    """
    Ranges of bytes; counting those that overlap another takes O(log n) comparisons.

    The count is that of the ranges that begin before the other ends, less those that
    end before it begins.
    """

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add(self, extent: Range) -> None:
        insort(self._starts, extent[0])
        insort(self._ends, extent[1])

    def remove(self, extent: Range) -> None:
        """Remove a range that was added."""
        for bounds, bound in zip((self._starts, self._ends), extent, strict=True):
            del bounds[bisect_left(bounds, bound)]

    def overlapped_by(self, extent: Range) -> int:
        """Return how many ranges share a byte with this one."""
        start, end = extent
        return bisect_left(self._starts, end) - bisect_right(self._ends, start)
