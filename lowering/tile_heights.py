"""How work is cut into register tiles and blocks: rules of the machine's numbers."""

from math import gcd

from glow.support.targets import Target

_SUMS = 8
"""Multiply-adds in flight that keep the arithmetic units busy."""
_OVERHEAD = 0.5
_HEIGHTS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12)
"""Those that tiles have, so that layers share kernels; 7 cuts 7 x 7 images evenly."""
_CROWDING = 0.35
"""What rows that push each other out of the cache cost, by the square of how many."""


def tile_rows(target: Target, rows: int, panel: int, stride: int = 0) -> int:
    """
    Return the height of the tiles for `rows` rows, the last tile padded.

    Of equal heights the tallest. `stride` says how many bytes lie between rows of the
    left factor: a tile reads all its rows at once, and those that compete for the same
    ways of the cache make it slower.
    """
    heights = [h for h in _HEIGHTS if h <= target.tile_rows]

    def cost(height: int) -> tuple[float, int]:
        each = height_cost(target, panel, height) + _crowding(height, stride)
        return -(-rows // height) * each, -height

    return min(min(heights, key=cost), rows)


def tile_turns(target: Target, rows: int, panel: int) -> float:
    """Return what `rows` rows of a panel cost, in turns of a row and a k."""
    height = tile_rows(target, rows, panel)
    return -(-rows // height) * height_cost(target, panel, height)


def height_cost(target: Target, panel: int, height: int) -> float:
    """
    Return what a tile of this height costs, in turns of a row and a k.

    A turn per row, no fewer than a sum's latency needs, and a bit for all.
    """
    per_row = max(1, panel // target.f32_lanes)
    return max(height, _SUMS / per_row) + _OVERHEAD


def _crowding(height: int, stride: int) -> float:
    """Return what is lost where rows compete for ways of the cache."""
    return _CROWDING * max(0, height - lines_together(stride)) ** 2 if stride else 0


PERIOD_BYTES = 4096
"""Lines this far apart compete for the same ways of the first-level cache."""
_WAYS = 8


def lines_together(stride: int) -> int:
    """Return how many lines, `stride` bytes apart, surely fit into the cache."""
    sets = PERIOD_BYTES // gcd(abs(stride), PERIOD_BYTES)
    return sets * _WAYS
