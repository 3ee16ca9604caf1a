"""
Random calls of every op of the graph dialect.

Shapes of any rank, broadcast, empty and longer than a vector; every element type that
an op takes; parameters over their range; values that are NaN, infinite, denormal or
the extremes of their type.
"""

from __future__ import annotations

from collections.abc import Callable

from random_ops import (
    attention,
    einsum,
    elementwise,
    embedding,
    indexing,
    movement,
    ranking,
    recurrent,
    resizing,
    scanning,
    wholes,
    windows,
)
from random_ops.call import Call, Source

GENERATORS: dict[str, Callable[[Source], Call]] = {
    **attention.GENERATORS,
    **einsum.GENERATORS,
    **elementwise.GENERATORS,
    **embedding.GENERATORS,
    **indexing.GENERATORS,
    **movement.GENERATORS,
    **ranking.GENERATORS,
    **recurrent.GENERATORS,
    **resizing.GENERATORS,
    **scanning.GENERATORS,
    **wholes.GENERATORS,
    **windows.GENERATORS,
}


def calls(name: str, count: int, seed: int) -> list[Call]:
    """Return `count` calls of op `name` that have a meaning, the same for a seed."""
    source = Source(seed, *name.encode())
    found: list[Call] = []
    while len(found) < count:
        call = GENERATORS[name](source)
        if call.has_meaning:
            found.append(call)
    return found
