"""The register tiles of a product's panels."""

from __future__ import annotations

from dataclasses import replace

from glow.lowering.memory_to_loops.kernels.microkernel import Tile
from glow.support.targets import Target


def tiles_of(target: Target, rows: int, panel: int, columns: int) -> list[Tile]:
    """
    Return the tile for whole panels, and for what `columns` leaves for the last one.

    The last panel is computed in whole registers, but no more of them than needed.
    """
    lanes = min(panel, target.tile_lanes)
    whole = Tile(rows, panel // lanes, lanes)
    tiles = [whole] if columns >= panel else []
    rest = columns % panel
    if rest:
        used = -(-rest // target.f32_lanes) * target.f32_lanes
        narrow = min(lanes, 1 << (used - 1).bit_length())
        tail = replace(whole, vectors=-(-used // narrow), lanes=narrow)
        tiles.append(replace(tail, masked=tail.columns != rest))
    return tiles
