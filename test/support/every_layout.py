"""Every layout of a bound: blocks, orders and borders."""

from __future__ import annotations

from functools import cache
from itertools import permutations, product

from glow.support.layout import Dim, Layout

Shape = tuple[int, ...]

BLOCKS = {1: ((), (2,), (3,), (2, 2), (3, 2), (2, 3))}
BLOCKS |= {2: ((), (2,), (3,)), 3: ((), (2,))}
BORDERS = ((0, 0), (1, 0), (0, 1))


def digits(axis: int, blocks: Shape) -> list[Dim]:
    """Return the dims of an axis, blocks from the innermost on."""
    dims, stride = list[Dim](), 1
    for extent in blocks:
        dims.append(Dim(axis, extent, stride))
        stride *= extent
    return [*dims, Dim(axis, None, stride)]


@cache
def layouts(rank: int) -> tuple[Layout, ...]:
    """
    Return every layout of the bound, each once.

    An axis alone has up to two blocks of 2 or 3, else at most one, in all orders;
    borders are 0 or 1.
    """
    found: dict[Layout, None] = {}
    for blocks in product(BLOCKS[rank], repeat=rank):
        dims = [d for axis, own in enumerate(blocks) for d in digits(axis, own)]
        for order in permutations(dims):
            for border in product(BORDERS if rank < 3 else BORDERS[:2], repeat=rank):
                found.setdefault(Layout(order, border))
    return tuple(found)
