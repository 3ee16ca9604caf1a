"""How a product is cut into tiles: rules of its shape and the machine's numbers."""

from __future__ import annotations

from dataclasses import replace

from glow.lowering.memory_to_loops.kernels.microkernel import Tile
from glow.support.targets import Target

_LANES = 16
_SUMS = 8
"""Multiply-adds in flight that keep the arithmetic units busy."""


def tile_rows(target: Target, rows: int, panel: int) -> int:
    """
    Return the height of the tiles for `rows` rows, the last tile padded.

    Few heights are offered, so that layers share kernels. Per k a tile takes a turn
    per row, but not fewer than the latency of a sum needs, and a bit for the rest.
    """
    tallest = target.tile_rows
    heights = [h for h in range(1, tallest + 1) if h <= 4 or 2 * (tallest - h) % 4 == 0]
    if tallest <= 6:
        heights = list(range(1, tallest + 1))
    per_row = max(1, panel // target.f32_lanes)
    least = _SUMS / per_row

    def turns(height: int) -> tuple[float, int]:
        return -(-rows // height) * (max(height, least) + 0.5), -height

    return min(heights, key=turns)


def tiles_of(target: Target, rows: int, panel: int, columns: int) -> list[Tile]:
    """
    Return the tile for whole panels, and for what `columns` leaves for the last one.

    The last panel is computed in whole registers, but no more of them than needed.
    """
    lanes = min(panel, _LANES)
    whole = Tile(rows, panel // lanes, lanes)
    found = [whole] if columns >= panel else []
    rest = columns % panel
    if rest:
        used = -(-rest // target.f32_lanes) * target.f32_lanes
        narrow = min(lanes, 1 << (used - 1).bit_length())
        tail = replace(whole, vectors=-(-used // narrow), lanes=narrow)
        found.append(replace(tail, masked=tail.columns != rest))
    return found
