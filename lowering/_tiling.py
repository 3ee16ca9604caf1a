"""How work is cut into register tiles and blocks: rules of the machine's numbers."""

from math import gcd

from glow.support.targets import Target

_SUMS = 8
"""Multiply-adds in flight that keep the arithmetic units busy."""
_OVERHEAD = 0.5


def tile_rows(target: Target, rows: int, panel: int) -> int:
    """
    Return the height of the tiles for `rows` rows, the last tile padded.

    Few heights are offered, and of equal ones the tallest, so that layers share
    kernels; but few rows get a tile as low as they are.
    """
    tallest = target.tile_rows
    heights = [
        h
        for h in range(1, tallest + 1)
        if h <= 4 or tallest <= 6 or (tallest - h) % 2 == 0
    ]
    found = min(heights, key=lambda h: (_turns(target, rows, panel, h), -h))
    return min(found, rows)


def tile_turns(target: Target, rows: int, panel: int) -> float:
    """Return what `rows` rows of a panel cost, in turns of a row and a k."""
    return _turns(target, rows, panel, tile_rows(target, rows, panel))


def _turns(target: Target, rows: int, panel: int, height: int) -> float:
    return -(-rows // height) * height_cost(target, panel, height)


def height_cost(target: Target, panel: int, height: int) -> float:
    """
    Return what a tile of this height costs, in turns of a row and a k.

    A turn per row, no fewer than a sum's latency needs, and a bit for all.
    """
    per_row = max(1, panel // target.f32_lanes)
    return max(height, _SUMS / per_row) + _OVERHEAD


PERIOD_BYTES = 4096
"""Lines this far apart compete for the same ways of the first-level cache."""
_WAYS = 8


def lines_together(stride: int) -> int:
    """Return how many lines, `stride` bytes apart, surely fit into the cache."""
    sets = PERIOD_BYTES // gcd(abs(stride), PERIOD_BYTES)
    return sets * _WAYS
