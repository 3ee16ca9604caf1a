"""Which rows of a product make up its tiles, where the result's columns lie apart."""

from __future__ import annotations

import numpy as np

from glow.lowering.memory_to_loops.rows import Offsets
from glow.lowering.tile_heights import height_cost
from glow.support.targets import Target

_PAIR = 2
"""How many rows are transposed at once, at least."""


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
        for h in range(_PAIR, min(target.tile_rows, *lengths) + 1, _PAIR)
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
