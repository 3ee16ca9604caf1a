"""One product as operands and offsets, and the kernels that compute it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from xdsl.dialects.builtin import f32
from xdsl.utils.exceptions import PassFailedException

from glow.lowering.convolution.layouts import MOST_PLANES
from glow.lowering.memory_to_loops._epilogue import EpiloguePlan
from glow.lowering.memory_to_loops._sums import Summed
from glow.lowering.memory_to_loops.kernels.gemm import MOST_TOGETHER, Gemm
from glow.lowering.memory_to_loops.kernels.gemm_row import Extra, GemmRow
from glow.lowering.memory_to_loops.kernels.kernel import Steps, Work
from glow.lowering.memory_to_loops.kernels.microkernel import FEW, Sums, Tile, tiles_of
from glow.lowering.memory_to_loops.kernels.stores import Stored
from glow.lowering.memory_to_loops.kernels.unit_rows import UnitRows, UnitSpans
from glow.lowering.memory_to_loops.rows import (
    Offsets,
    OffsetTable,
    largest_divisor,
    tiles_in_order,
    turned_tiles,
)
from glow.lowering.tiles import most_rows, tile_rows
from glow.support.targets import LINE_BYTES, Target

F32_BYTES = 4
_MANY = 8
"""Units of work that are enough to take turns with those of other calls."""
_FEW_TILES = 16
"""Threads share as many as these unevenly, but then need not wait for each other."""
_MANY_TILES = 64
"""So many can be shared evenly."""

_LEAST_OF_LINE = 4
"""Pixels of a line whose taps have few enough in common to be loaded one by one."""

Planned = tuple[Gemm, GemmRow[int], Work]


@dataclass(frozen=True, eq=False)
class Product:
    """
    `result = epilogue(bias + left @ right)` for each batch, and where operands lie.

    Offsets are in elements from element 0 of each buffer; `*_batches` say what each
    batch adds to them.
    """

    epilogue: EpiloguePlan
    panel: int
    columns: int
    panel_stride: int
    pitch: int
    is_packed: bool
    """Whether a panel is dense, and as wide as it says even where columns end."""
    rows: Offsets
    result_rows: Offsets
    extra_rows: tuple[Offsets, ...]
    segments: Offsets
    run: int
    step: int
    left_batches: Offsets
    right_batches: Offsets
    bias_batches: Offsets
    result_batches: Offsets
    extra_batches: tuple[Offsets, ...]
    in_pairs: bool = False
    """Whether panels hold two rows at a time, as bf16 is multiplied in pairs."""
    is_depthwise: bool = False
    taps: int = 0
    """The segments of a line of the window, `step` apart, if `is_depthwise`."""
    result_step: int = 1
    """The distance of the result's columns."""
    is_magnified: bool = False
    """Whether readers of the result magnify its rounding, as Winograd's method does."""


def plan_product(
    target: Target, p: Product, table: OffsetTable, *, is_shared: bool = False
) -> list[Planned]:
    """
    Return the kernels that compute `p`, their rows and what they may do in pieces.

    One does all whole panels, another the columns left over. Offsets go to `table`.
    """
    if not p.columns or not len(p.rows):
        return []
    if p.in_pairs and (p.step != 1 or p.run % 2):
        raise PassFailedException(f"expected pairs of neighbors, got {p.run} numbers")
    pair = 2 if p.in_pairs else 1
    summed, depth = _summed(target, p), len(p.segments) * p.run // pair
    whole, planned = p.columns // p.panel, list[Planned]()
    for tile in tiles_of(target, p.panel, p.columns):
        is_tail = tile.columns != p.panel or tile.masked
        panels = Steps(whole, whole + 1, 0) if is_tail else Steps(0, whole, 0)
        height = planned[0][0].tile.rows if planned and is_shared else 0
        tiling = _tiling(target, p, tile.columns, height)
        each, tiles = summed, len(tiling.rows) // tiling.height
        if p.is_packed and tiling.stored is Stored.ROWS:
            each = summed.in_parts(target.costs, depth, tiles)
        kernel = replace(
            _kernel(tiling, p, replace(tile, rows=tiling.height)),
            sums=each.order,
            unroll=_unroll(target, p, tiling.height, each),
            step=pair if p.step == 1 and not p.is_depthwise else 0,
            pitch=p.pitch * pair if p.pitch == p.panel else 0,
        )
        row = _row(target, p, tiling, each, panels, table)
        kernel, row = _in_streams(kernel, row)
        row, work = _cut(target, kernel, row, depth, is_shared=is_shared)
        kernel = replace(kernel, together=_together(target, p, row, work))
        if not row.panels.unit:
            if np.all(np.diff(tiling.rows) >= 0):
                work = replace(work, rows=_unit_rows(p, tiling.height))
            work = replace(work, spans=partial(_unit_spans, p, tiling))
        planned.append((kernel, row, work))
    return planned


def _row(
    target: Target,
    p: Product,
    tiling: _Tiling,
    summed: Summed,
    panels: Steps[int],
    table: OffsetTable,
) -> GemmRow[int]:
    """Return the row of a kernel that computes some panels; offsets go to `table`."""
    tiles, pair = len(tiling.rows) // tiling.height, 2 if p.in_pairs else 1
    depth = len(p.segments) * p.run // pair
    count = panels.last - panels.first
    stretch = _stretch(target, p, tiles, count, is_parted=summed.is_parted)
    piece = -(-p.panel_stride // (stretch * summed.parts)) if p.is_packed else 0
    batches = [p.left_batches, p.right_batches, p.bias_batches, p.result_batches]
    return GemmRow(
        batches=Steps(0, len(p.left_batches), 0),
        batch_at=table.add(np.stack([*batches, *p.extra_batches], axis=1).reshape(-1)),
        panels=panels,
        width=p.panel,
        columns=p.columns,
        panel_stride=p.panel_stride,
        pitch=p.pitch * pair,
        slice=piece,
        slice_step=-(-piece * summed.parts // depth),
        tiles=Steps(0, tiles, 0),
        stretch=stretch,
        left_at=table.add(p.rows[tiling.rows]),
        result_at=table.add(p.result_rows[tiling.rows]),
        result_step=p.result_step,
        segments_at=table.add(summed.segments),
        segments=len(summed.segments),
        block=summed.block,
        runs_at=table.add(summed.runs),
        step=p.step * pair,
        extras=p.epilogue.places(table, tiling.rows, p.extra_rows),
    )


def _unit_rows(p: Product, height: int) -> dict[str, UnitRows]:
    """Return the rows of operands that a tile of `height` rows in order touches."""
    found: dict[str, UnitRows] = {}
    for name, (rows, low, high) in _touched(p).items():
        own = UnitRows.of(rows, low, high, height)
        found |= {} if own is None else {name: own}
    return found


def _unit_spans(p: Product, tiling: _Tiling) -> dict[str, UnitSpans]:
    """Return from where to where each tile touches operands."""
    found: dict[str, UnitSpans] = {}
    for name, (rows, low, high) in _touched(p).items():
        tiles = rows[tiling.rows].reshape(-1, tiling.height)
        found[name] = tiles.min(1) + low, tiles.max(1) + high
    return found


def _touched(p: Product) -> dict[str, tuple[Offsets, int, int]]:
    """Return where rows of operands begin, and from where to where each is touched."""
    columns = np.array([0, p.columns - 1])
    along = columns if p.is_depthwise else np.array([0, (p.run - 1) * p.step])
    parts = {
        "left": (p.rows, p.segments, along, p.left_batches),
        "result": (p.result_rows, columns * p.result_step, p.result_batches),
    }
    for number, kind in enumerate(p.epilogue.form.extras):
        if kind is Extra.FULL:
            rows, batches = p.extra_rows[number], p.extra_batches[number]
            parts[f"extra{number}"] = (rows, columns, batches)
    found: dict[str, tuple[Offsets, int, int]] = {}
    for name, (rows, *others) in parts.items():
        low = sum(int(part.min()) for part in others)
        high = sum(int(part.max()) for part in others)
        found[name] = rows, low, high + 1
    return found


def _summed(target: Target, p: Product) -> Summed:
    """Return how products are added up: in blocks, unless they end in 16 bits."""
    run = p.run // 2 if p.in_pairs else p.run
    block, least = target.sum_blocks(is_magnified=p.is_magnified)
    count = len(p.segments)
    is_plain = p.in_pairs or p.is_depthwise or p.epilogue.form.result != f32
    if is_plain or count * run < least:
        return Summed(Sums.RUNNING, p.segments, np.full(count, run))
    if 2 * run < block:
        return Summed(Sums.BY_BLOCK, p.segments, np.full(count, run), block // run)
    parts, unroll = max(1, round(run / block)), target.costs.product_unroll
    unroll = unroll if run % unroll == 0 else 1
    ends = np.arange(parts + 1) * (run // unroll) // parts * unroll
    starts = (p.segments[:, None] + ends[:-1] * p.step).reshape(-1)
    return Summed(Sums.BY_SEGMENT, starts, np.tile(np.diff(ends), count))


def _stretch(
    target: Target, p: Product, tiles: int, panels: int, *, is_parted: bool
) -> int:
    """
    Return how many tiles are done with all panels before others are.

    What they read of the left factor takes a quarter of L2, or half, if all fits.
    """
    most = tiles
    if is_parted:
        most = MOST_TOGETHER
    elif panels > 1 and not p.is_depthwise:
        most = max(_FEW_TILES, int(tiles / _shares(target, p)))
    return -(-tiles // -(-tiles // most))


def _shares(target: Target, p: Product) -> float:
    """Return how many quarters of L2 the left factor takes; 1 if it fits in half."""
    depth, span = len(p.segments) * p.run, p.run * p.step
    span += int(np.ptp(p.rows)) + int(np.ptp(p.segments))
    size = F32_BYTES * min(span, len(p.rows) * depth)
    return 4 * size / target.l2_bytes if 2 * size > target.l2_bytes else 1


def _unroll(target: Target, p: Product, height: int, summed: Summed) -> int:
    """
    Return how many k are multiplied in an iteration of the innermost loop.

    The overhead of the loop takes execution units that vectors need, too.
    """
    unroll = target.costs.product_unroll
    is_even = not np.any(summed.runs % unroll)
    return unroll if is_even and height > FEW and not p.is_depthwise else 1


def _in_streams(kernel: Gemm, row: GemmRow[int]) -> tuple[Gemm, GemmRow[int]]:
    """
    Return both such that an iteration prefetches one line, or lines of several pages.

    Where few tiles read a panel, each k needs a line or more of the next panel, and a
    core fetches lines of several pages faster than the same number from one page.
    """
    unroll, line, each = kernel.unroll, LINE_BYTES // F32_BYTES, row.slice_step
    if unroll == 1 or each < line < each * unroll:
        return kernel, row
    if each < line:
        return replace(kernel, streams=(0,)), replace(row, slice_step=each * unroll)
    lines = -(-each // line)
    streams = tuple(range(0, row.slice, -(-row.slice // (lines * unroll))))
    return replace(kernel, streams=streams), replace(row, slice_step=-(-each // lines))


def _cut(
    target: Target, kernel: Gemm, row: GemmRow[int], depth: int, *, is_shared: bool
) -> tuple[GemmRow[int], Work]:
    """
    Return the row that says which loops are cut into units, and the work.

    A unit is a tile of rows, so that later calls may go on with these, if there are
    enough and the right factor fits into a cache. Else it is a tile of one panel: some
    units in their order read few panels, and there are enough to share.
    """
    loops = {name: getattr(row, name) for name in ("batches", "panels", "tiles")}
    batches, panels, tiles = (steps.last - steps.first for steps in loops.values())
    cost = batches * panels * tiles * kernel.tile.size * depth
    factor = F32_BYTES * row.panel_stride * panels
    is_near = factor <= target.costs.near_factor
    is_tall = row.columns < tiles * kernel.tile.rows
    if is_shared:
        # Calls of a strand take turns every few rows, and read all of a factor then.
        stays = factor <= target.l2_bytes // 2
        by_rows = stays and tiles >= (_FEW_TILES if is_near else _MANY_TILES)
    else:
        by_rows = tiles >= _MANY and (is_near or is_tall or panels < _MANY)
    units = {"batches": 0, "panels": 0, "tiles": 1}
    has_batches = kernel.stored is not Stored.INTERLEAVED
    if not by_rows or (has_batches and batches >= _MANY):
        units["panels"] = tiles
        units["batches"] = panels * tiles if has_batches else 0
    count = max(units["batches"] * batches, units["panels"] * panels, tiles)
    cut: dict[str, Any] = {n: replace(loops[n], unit=units[n]) for n in units}
    return replace(row, **cut), Work(count, -(-cost // count))


def _together(target: Target, p: Product, row: GemmRow[int], work: Work) -> int:
    """
    Return how many units all batches do before any does the next; 0 for all.

    If the left factors of batches are interleaved, as groups of channels are, it is as
    many as read a quarter of L2.
    """
    is_interleaved = 0 < np.ptp(p.left_batches) < np.ptp(p.rows)
    shares = _shares(target, p) if is_interleaved and not row.batches.unit else 1
    return max(_FEW_TILES, int(work.units / shares)) if shares > 1 else 0


@dataclass(frozen=True, eq=False)
class _Tiling:
    stored: Stored
    height: int
    rows: Offsets
    """Which row of the product each row of the tiles is."""
    planes: int = 0
    moves: int = 0
    """The distance of rows in steps, if those of each tile are pixels of a line."""


def _tiling(target: Target, p: Product, columns: int, whole: int) -> _Tiling:
    """Return how the result is stored, and how rows make up tiles of `columns`."""
    stride = _stride_of(p.rows) * (F32_BYTES // 2 if p.in_pairs else F32_BYTES)
    height = tile_rows(target, len(p.rows), columns, stride, whole)
    plain = tiles_in_order(len(p.rows), height)
    if p.result_step == 1 or p.columns == 1:
        line = _tiling_of_lines(target, p, columns) if p.is_depthwise else None
        return line or _Tiling(Stored.ROWS, height, plain)
    if p.is_depthwise:
        raise PassFailedException(
            f"expected columns of the result in a row, got {p.result_step} apart"
        )
    planes = len(p.result_batches)
    if p.result_step == planes <= MOST_PLANES and (
        p.result_batches.tolist() == list(range(planes))
    ):
        return _Tiling(Stored.INTERLEAVED, height, plain, planes)
    once = p.epilogue.in_place
    turned = turned_tiles(target, p.result_rows, columns, once=once)
    if turned is None:
        return _Tiling(Stored.SCATTERED, height, plain)
    return _Tiling(Stored.TURNED, *turned)


def _tiling_of_lines(target: Target, p: Product, columns: int) -> _Tiling | None:
    """
    Return tiles whose rows are neighbors in a line of pixels, if they fill lines.

    Registers hold the weights of a line of the window, too.
    """
    if not p.step:  # the window is one pixel, expanded
        return None
    ends = np.flatnonzero(np.diff(p.rows) != np.diff(p.rows[:2])) + 1
    length = int(ends[0]) if len(ends) else len(p.rows)
    whole = np.arange(length, len(p.rows), length)
    vectors = -(-columns // target.lanes_for(columns))
    most = min(most_rows(target, columns), target.registers // vectors - p.taps - 1)
    height = largest_divisor(length, max(1, most))
    moves, rest = divmod(_stride_of(p.rows), p.step)
    is_even = np.array_equal(ends, whole[: len(ends)]) and len(p.rows) % length == 0
    if height < _LEAST_OF_LINE or rest or not 0 < moves < p.taps or not is_even:
        return None
    rows = tiles_in_order(len(p.rows), height)
    return _Tiling(Stored.ROWS, height, rows, moves=moves)


def _stride_of(rows: Offsets) -> int:
    """Return how many elements most rows of the left factor lie apart."""
    return int(np.median(np.diff(rows))) if len(rows) > 1 else 0


def _kernel(tiling: _Tiling, p: Product, tile: Tile) -> Gemm:
    form = p.epilogue.form
    kinds = zip(form.extras, p.extra_rows, strict=True)
    extras = tuple(_kind(tiling, kind, rows) for kind, rows in kinds)
    return Gemm(
        tile,
        replace(form, extras=extras),
        stored=tiling.stored,
        planes=tiling.planes,
        is_padded=p.is_packed or not tile.masked,
        in_pairs=p.in_pairs,
        is_depthwise=p.is_depthwise,
        taps=p.taps if tiling.moves else 0,
        moves=max(1, tiling.moves),
    )


def _kind(tiling: _Tiling, kind: Extra, rows: Offsets) -> Extra:
    """Return how an extra is read that has its rows at `rows`."""
    if kind is not Extra.STRIDED or tiling.stored is not Stored.TURNED:
        return kind
    tiles = rows[tiling.rows].reshape(-1, tiling.height)
    return Extra.TURNED if np.all(np.diff(tiles) == 1) else kind
