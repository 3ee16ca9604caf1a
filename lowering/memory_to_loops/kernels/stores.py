"""Stores of the finished rows of a product's tile."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from glow.codegen.loops import loop
from glow.codegen.memory import Memory, Strip, mask_of
from glow.codegen.shuffles import columns_of, interleaved
from glow.codegen.values import Value, index, joined
from glow.lowering.memory_to_loops.kernels.finish import Finish, Rows
from glow.lowering.memory_to_loops.kernels.microkernel import Tile

_UNROLL = 4
"""The successive elements whose addresses do not depend on each other."""


class Stored(Enum):
    """The places of the columns of a result in memory."""

    ROWS = "gemm"
    """Next to each other."""
    SCATTERED = "scattered"
    """Each equally far from the next."""
    TURNED = "turned"
    """As `SCATTERED`, but the rows of each tile are neighbors."""
    INTERLEAVED = "interleaved"
    """Columns of all batches take turns."""


def _store_rows(finish: Finish, rows: Rows) -> None:
    result = finish.call["result"]
    for i, row in rows.each():
        result.store(row, finish.begin("result", i), finish.panel.row)


def _scatter(finish: Finish, rows: Rows) -> None:
    """Store one element after the other, from a tile that was put aside."""
    tile, step = finish.tile, finish.call.row.result_step
    result, place = finish.call["result"], rows.aside(finish.epilogue.result)
    moves, jump = [step * k for k in range(_UNROLL)], step * _UNROLL
    for i in loop(0, tile.rows, name="r", nonempty=True):
        source, at = i * tile.columns, finish.begin("result", i)
        if finish.panel.count is not None:
            for j in finish.columns():
                result[at + j * step] = place[source + j]
            continue
        for j in range(0, tile.columns, _UNROLL):
            for k, move in enumerate(moves):
                result[at + move] = place[source + (j + k)]
            at += jump


def _turn(finish: Finish, rows: Rows) -> None:
    """Transpose rows of the tile in registers, four or two at a time."""
    tile, result = finish.tile, finish.call["result"]
    columns = _columns(tile, rows)
    step = finish.call.row.result_step
    if finish.panel.count is None:
        at, jump = finish.begin("result", 0), step * _UNROLL
        moves = [step * k for k in range(_UNROLL)]
        for column, parts in enumerate(columns):
            _store_column(tile, parts, result, at + moves[column % _UNROLL])
            if column % _UNROLL == _UNROLL - 1:
                at += jump
        return
    # All columns are put aside, then those stored that exist.
    place = Rows(tile, []).aside(finish.epilogue.result)
    for column, parts in enumerate(columns):
        _store_column(tile, parts, place, index(column * tile.rows))
    at = finish.begin("result", 0)
    for column in finish.columns():
        source = column * tile.rows
        parts = [
            place.load(source + first, Strip(last - first))
            for first, last in tile.squares
        ]
        _store_column(tile, parts, result, at + column * step)


def _columns(tile: Tile, rows: Rows) -> list[list[Value]]:
    """Return the parts of each column."""
    vectors = [row.split() for row in rows.in_registers()]
    columns: list[list[Value]] = []
    for j in range(tile.vectors):
        parts = [
            columns_of([row[j] for row in vectors[first:last]])
            for first, last in tile.squares
        ]
        columns += map(list, zip(*parts, strict=True))
    return columns


def _store_column(tile: Tile, parts: list[Value], to: Memory, at: Value) -> None:
    for part, (first, _) in zip(parts, tile.squares, strict=True):
        to.store(part, at + first)


STORES: dict[Stored, Callable[[Finish, Rows], None]] = {
    Stored.ROWS: _store_rows,
    Stored.SCATTERED: _scatter,
    Stored.TURNED: _turn,
}


def store_interleaved(finish: Finish, place: Memory, planes: int) -> None:
    """Store all rows of as many tiles as there are planes, which were put aside."""
    tile, result = finish.tile, finish.call["result"]
    whole = Strip(tile.lanes)
    for i in loop(0, tile.rows, name="r", nonempty=True):
        source, at = i * tile.columns, finish.begin("result", i)
        parts: list[Value] = []
        for j in range(0, tile.columns, tile.lanes):
            starts = [source + (k * tile.size + j) for k in range(planes)]
            parts += interleaved([place.load(start, whole) for start in starts])
        if finish.panel.count is None:
            result.store(joined(parts), at)
            continue
        left = finish.panel.count * planes
        masks = [mask_of(left - n * tile.lanes, tile.lanes) for n in range(len(parts))]
        result.store(joined(parts), at, Strip(tile.lanes, len(parts), tuple(masks)))
