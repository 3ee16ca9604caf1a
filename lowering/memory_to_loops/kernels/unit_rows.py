"""Rows of an operand that a unit of work touches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glow.codegen.loops import Level

UnitSpans = tuple[NDArray[np.int64], NDArray[np.int64]]
"""
Where each unit of work begins to touch an operand, and where it ends.

Units: elements, from what the operand's pointer points to.
"""


@dataclass(frozen=True)
class UnitRows:
    """
    Rows of an operand; each unit of work touches the next `each` of them.

    Units: elements, from what the operand's pointer points to. `pitch` is the distance
    of rows, of which only the first `width` elements are touched. `each` is 0 where
    units touch other parts than whole rows.
    """

    first: int
    count: int
    width: int
    pitch: int
    each: int

    @staticmethod
    def of(
        starts: NDArray[np.int64], low: int, high: int, each: int
    ) -> UnitRows | None:
        """
        Return the rows that begin at `starts`, and are touched from `low` up to `high`.

        The pixels of a line are one row, of no unit, where lines are apart as in an
        image with a border. None where rows run into each other, or are not evenly
        apart.
        """
        steps, width = np.diff(starts), high - low
        if not len(steps) or steps.min() < width:
            return None
        first, step = int(starts[0]) + low, int(steps[0])
        if np.all(steps == step):
            return UnitRows(first, len(starts), width, step, each)
        line = int(np.argmax(steps != step)) + 1
        if len(starts) % line:
            return None
        lines = starts.reshape(-1, line) - starts[:line]
        places, extent = lines[:, 0], (line - 1) * step + width
        pitch = int(places[1])
        if extent > pitch or np.any(lines != places[:, None]) or np.any(places % pitch):
            return None
        return UnitRows(first, int(places[-1]) // pitch + 1, extent, pitch, 0)

    def spans(self, units: int) -> UnitSpans | None:
        """Return where each of so many units begins and ends, if they have rows."""
        if not self.each:
            return None
        first = np.arange(units) * self.each
        last = np.minimum(first + self.each, self.count) - 1
        low, high = (self.first + rows * self.pitch for rows in (first, last))
        return low, high + self.width


def rows_along(
    loops: Sequence[Level[int]], operands: Sequence[str], each: int = 1
) -> dict[str, UnitRows]:
    """
    Return the rows of operands that iterations of the outermost of `loops` touch.

    `each` iterations are a unit of work. Operands whose rows run into each other are
    left out, and those that go backwards.
    """
    if not loops:
        return {}
    outer, *others = loops
    found: dict[str, UnitRows] = {}
    for number, name in enumerate(operands):
        pitch, width = outer.strides[number], 1
        if any(level.strides[number] < 0 for level in others):
            continue
        width += sum((n.extent - 1) * n.strides[number] for n in others)
        if pitch >= width:
            found[name] = UnitRows(0, outer.extent, width, pitch, each)
    return found
