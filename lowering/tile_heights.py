"""Heights of register tiles: how the rows of a product are cut."""

from math import gcd

from glow.support.targets import Target

_HEIGHTS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12)
"""The heights of tiles, few, to share kernels; 7 cuts 7 x 7 images evenly."""


def tile_rows(target: Target, rows: int, panel: int, stride: int = 0) -> int:
    """
    Return the height of the tiles for `rows` rows, the last tile padded.

    Of heights with equal cost it is the tallest. `stride` says how many bytes lie
    between rows of the left factor: a tile reads all its rows at once, and those that
    compete for the same ways of the cache make it slower.
    """
    heights = [h for h in _HEIGHTS if h <= target.tile_rows]

    def cost(height: int) -> tuple[float, int]:
        each = height_cost(target, panel, height) + _crowding(target, height, stride)
        return -(-rows // height) * each, -height

    return min(min(heights, key=cost), rows)


def tile_turns(target: Target, rows: int, panel: int) -> float:
    """Return what `rows` rows of a panel cost, in turns of a row and a k."""
    height = tile_rows(target, rows, panel)
    return -(-rows // height) * height_cost(target, panel, height)


def height_cost(target: Target, panel: int, height: int) -> float:
    """
    Return what a tile of this height costs, in turns of a row and a k.

    It is a turn per row, no fewer than a sum's latency needs, and a constant part.
    """
    per_row = max(1, panel // target.f32_lanes)
    return max(height, target.sums_in_flight / per_row) + target.costs.tile


def _crowding(target: Target, height: int, stride: int) -> float:
    """Return what is lost where rows compete for ways of the cache."""
    if not stride:
        return 0
    return target.costs.crowding * max(0, height - lines_together(target, stride)) ** 2


def lines_together(target: Target, stride: int) -> int:
    """Return how many lines, `stride` bytes apart, surely fit into the cache."""
    period = target.l1_way_bytes
    return period // gcd(abs(stride), period) * target.l1_ways
