"""Offsets of rows of operands: tables for kernels, pieces of rows, and tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from glow.lowering.tiles import height_cost, most_rows
from glow.support.targets import Target

Offsets = NDArray[np.int64]

MOST_ROWS = 1 << 14
"""The rows of a piece; a table is a constant of the model."""

_CALL = 1024
"""The cost of a call, in rows of a table."""

Span = tuple[int, int]
"""The first row, and the one after the last."""

_PAIR = 2
"""How many rows are transposed at once, at least."""


def offsets_of(shape: Sequence[int], strides: Sequence[int], start: int = 0) -> Offsets:
    """Return where each element of an array lies, in row-major order of its index."""
    offsets: Offsets = np.full(1, start, np.int64)
    for extent, stride in zip(shape, strides, strict=True):
        steps = np.arange(extent, dtype=np.int64) * stride
        offsets = (offsets[:, None] + steps).reshape(-1)
    return offsets


@dataclass
class OffsetTable:
    """Parts of one table of offsets; equal parts are stored once."""

    parts: list[Offsets] = field(default_factory=lambda: [])
    _places: dict[bytes, int] = field(default_factory=lambda: {})
    _size: int = 0

    def add(self, part: Offsets) -> int:
        """Return where `part` begins in the table."""
        key = part.tobytes()
        if key not in self._places:
            self._places[key] = self._size
            self.parts.append(part)
            self._size += len(part)
        return self._places[key]

    def array(self) -> Offsets:
        return np.concatenate(self.parts)


def spans_of(operands: Sequence[Offsets], most: int = MOST_ROWS) -> list[Span]:
    """
    Return pieces of no more than `most` rows, one after the other.

    `operands` say where each row begins in each of them. Pieces end with a line of
    pixels where they can, and have the size for which most of them lie alike.
    """
    count = len(operands[0])
    if count <= most:
        return [(0, count)]
    line = _period(operands)
    image = line * _period([rows[::line] for rows in operands])
    if line > most:
        line = 1
    pieces, lines = -(-count // (most // line * line)), -(-count // line)
    even = -(-lines // pieces)
    sizes = {line * even, line * largest_divisor(max(image // line, 1), most // line)}
    choices = [
        [(first, min(first + size, count)) for first in range(0, count, size)]
        for size in sorted(sizes, reverse=True)
    ]
    return min(choices, key=lambda spans: _table_size(operands, spans))


def _period(operands: Sequence[Offsets]) -> int:
    """Return after how many rows the step between rows changes in some operand."""
    count = len(operands[0])
    if count < 2:
        return max(count, 1)
    ends: list[int] = []
    for rows in operands:
        steps = np.diff(rows)
        breaks = np.flatnonzero(steps != steps[0])
        ends.append(int(breaks[0]) + 1 if len(breaks) else count)
    return min(ends)


def largest_divisor(number: int, most: int) -> int:
    """Return the largest divisor of `number` up to `most`."""
    return next(d for d in range(min(number, most), 0, -1) if number % d == 0)


def _table_size(operands: Sequence[Offsets], spans: Sequence[Span]) -> int:
    """Return the rows of pieces that lie like no earlier one, and the cost of calls."""
    known: dict[bytes, int] = {}
    for first, last in spans:
        parts = [rows[first:last] - rows[first] for rows in operands]
        known[b"".join(part.tobytes() for part in parts)] = last - first
    return sum(known.values()) + _CALL * len(spans)


def tiles_in_order(count: int, height: int) -> Offsets:
    """Return which row each row of the tiles is; the last one is named repeatedly."""
    places = np.arange(-(-count // height) * height, dtype=np.int64)
    return np.minimum(places, count - 1)


def turned_tiles(
    target: Target, rows: Offsets, panel: int, *, once: bool
) -> tuple[int, Offsets] | None:
    """
    Return a height, and which rows make up tiles that are neighbors in the result.

    None if there are no such tiles. `once`: no row may be computed twice; else the
    last tile of neighbors begins early enough to be as high as the others.
    """
    cuts = np.flatnonzero(np.diff(rows) != 1) + 1
    starts, stops = [0, *cuts.tolist()], [*cuts.tolist(), len(rows)]
    lengths = [stop - start for start, stop in zip(starts, stops, strict=True)]
    heights = [
        h
        for h in range(_PAIR, min(most_rows(target, panel), *lengths) + 1, _PAIR)
        if not once or all(n % h == 0 for n in lengths)
    ]
    if not heights:
        return None

    def cost(height: int) -> tuple[float, int]:
        tiles = sum(-(-n // height) for n in lengths)
        return tiles * height_cost(target, panel, height), -height

    height = min(heights, key=cost)
    places = [
        min(first, stop - height) + np.arange(height, dtype=np.int64)
        for start, stop in zip(starts, stops, strict=True)
        for first in range(start, stop, height)
    ]
    return height, np.concatenate(places)
