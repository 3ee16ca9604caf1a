"""Cuts the rows of a long product into pieces that share tables of offsets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from glow.lowering.memory_to_loops.rows import Offsets

MOST_ROWS = 1 << 14
"""The rows of a piece; a table is a constant of the model."""

_CALL = 1024
"""The cost of a call, in rows of a table."""

Span = tuple[int, int]
"""The first row, and the one after the last."""


def spans_of(operands: Sequence[Offsets], most: int = MOST_ROWS) -> list[Span]:
    """
    Return pieces of no more than `most` rows, one after the other.

    `operands` say where each row begins in each of them. Of the sizes that end with a
    line of pixels it is one for which most pieces lie alike.
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
    sizes = {line * even, line * _divisor(max(image // line, 1), most // line)}
    choices = [
        [(first, min(first + size, count)) for first in range(0, count, size)]
        for size in sorted(sizes, reverse=True)
    ]
    return min(choices, key=lambda spans: _table_size(operands, spans))


def _period(operands: Sequence[Offsets]) -> int:
    """Return after how many rows some operand goes on otherwise than before."""
    count = len(operands[0])
    if count < 2:
        return max(count, 1)
    ends: list[int] = []
    for rows in operands:
        steps = np.diff(rows)
        breaks = np.flatnonzero(steps != steps[0])
        ends.append(int(breaks[0]) + 1 if len(breaks) else count)
    return min(ends)


def _divisor(number: int, most: int) -> int:
    """Return the largest divisor of `number` up to `most`."""
    return next(d for d in range(min(number, most), 0, -1) if number % d == 0)


def _table_size(operands: Sequence[Offsets], spans: Sequence[Span]) -> int:
    """Return the rows of pieces that lie like no earlier one, and what calls cost."""
    known: dict[bytes, int] = {}
    for first, last in spans:
        parts = [rows[first:last] - rows[first] for rows in operands]
        known[b"".join(part.tobytes() for part in parts)] = last - first
    return sum(known.values()) + _CALL * len(spans)
