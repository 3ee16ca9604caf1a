"""Products of row and column tiles: convolutions, matrix products, Winograd's core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from glow.codegen.functions import maximum, minimum
from glow.codegen.loops import Var, loop
from glow.codegen.memory import on_stack
from glow.codegen.values import Value, index
from glow.lowering.memory_to_loops.kernels.finish import Epilogue, Finish, Panel
from glow.lowering.memory_to_loops.kernels.gemm_row import Extra, GemmRow
from glow.lowering.memory_to_loops.kernels.kernel import (
    Bounds,
    Call,
    Kernel,
    single_steps,
    steps_within,
    units_within,
)
from glow.lowering.memory_to_loops.kernels.microkernel import (
    Sums,
    Tile,
    TileFactors,
    multiply,
    multiply_lanes,
    multiply_lanes_of_line,
)
from glow.lowering.memory_to_loops.kernels.stores import (
    STORES,
    Stored,
    store_interleaved,
)
from glow.support.costs import Costs

MOST_TOGETHER = 24
"""The most tiles that take turns with parts of their sums."""


@dataclass(frozen=True, eq=False)
class _SegmentRange:
    """Segments, from the first to before the last, and their rows of a panel."""

    first: Value
    last: Value
    begin: Value
    end: Value


@dataclass(frozen=True)
class Gemm(Kernel):
    """
    `result[row, column] = epilogue(bias[column] + left[row, :] . right[:, column])`.

    Rows lie anywhere: a table says where each begins, so that a row may be a pixel of
    a convolution, strided, with a border, of any batch. The last tile may name a row
    twice. An extra may lie where the result goes. Where panels are packed one by one,
    `ahead` is what the next one is made of.

    Unit: a tile of all panels, or of one panel of one batch, as the row says.
    """

    tile: Tile
    epilogue: Epilogue
    stored: Stored = Stored.ROWS
    planes: int = 0
    """The batches whose columns are interleaved."""
    is_padded: bool = True
    """Whether panels are as wide in memory as the tile, even the last one."""
    sums: Sums = Sums.RUNNING
    unroll: int = 1
    """How many k an iteration of the innermost loop does."""
    together: int = 0
    """How many units all batches do before any does the next; 0 for all."""
    streams: tuple[int, ...] = ()
    """Offsets of the lines of the next panel that an iteration prefetches."""
    step: int = 0
    """From one k to the next in the left factor; 0 if only the row says."""
    pitch: int = 0
    """The same in a panel."""
    in_pairs: bool = False
    """Whether factors are multiplied in pairs of bf16; then a k is a pair."""
    is_depthwise: bool = False
    """
    Whether each column has a left factor of its own, which lies at the row.

    Then a segment is one place of a window, multiplied lane by lane.
    """
    taps: int = 0
    """
    The places of a line of a window, if rows of tiles are pixels of a line; else 0.

    Then `step` is the distance of these places.
    """
    moves: int = 1
    """How many such steps lie between rows."""

    def per_ns(self, costs: Costs) -> float:
        lanes = self.tile.lanes
        if self.is_depthwise:
            return costs.streamed_products_per_ns * lanes
        # Small tiles wait for memory: each number of the right factor is used less.
        full = costs.products_per_ns * lanes
        full *= min(1, self.tile.size / (16 * lanes))
        one_row = costs.row_products_per_ns * lanes
        return min(full, one_row) if self.tile.rows == 1 else full

    @property
    def prefix(self) -> str:
        kind = (
            "depthwise"
            if self.is_depthwise
            else f"{self.stored.value}{self.planes or ''}"
        )
        shape = f"{self.tile.rows}x{self.tile.columns}"
        return f"{kind}_{shape}{'m' if self.tile.masked else ''}"

    def write(self, call: Call[GemmRow[Value]]) -> None:
        if self.stored is Stored.INTERLEAVED:
            self._write_planes(call)
            return
        if not self.together:
            self._write_units(call)
            return
        for begin in loop(*call.range, step=self.together, name="begin"):
            end = minimum(begin + self.together, call.end)
            self._write_units(replace(call, begin=begin, end=end))

    def _write_units(self, call: Call[GemmRow[Value]]) -> None:
        """Write the loops over some units, batch after batch."""
        row = call.row
        batches = steps_within(row.batches, call.range)
        for batch in loop(*batches, name="batch", nonempty=True):
            offsets = self._offsets(call, batch)
            units = units_within(row.batches, call.range, batch)
            panels = steps_within(row.panels, units)
            # Where there are several panels, those between have all tiles.
            begin, end = self._tiles(row, units, panels[0])
            low, high = self._tiles(row, units, panels[1] - 1)
            begin, end = minimum(begin, low), maximum(end, high)
            for first in loop(begin, end, step=row.stretch, name="first"):
                last = first + row.stretch
                for number in loop(*panels, name="panel", nonempty=True):
                    panel = self._panel(call, number, offsets)
                    low, high = self._tiles(row, units, number)
                    tiles = maximum(low, first), minimum(high, last)
                    self._write_tiles(call, panel, tiles, first)

    def _write_tiles(
        self, call: Call[GemmRow[Value]], panel: Panel, tiles: Bounds, first: Value
    ) -> None:
        """Write some tiles of a panel; `first` is the one that panels begin with."""
        if self.sums is Sums.BY_PART:
            self._write_parts(call, panel, tiles, first)
            return
        for tile in loop(*tiles, name="tile"):
            finish = self._finish(call, panel, tile)
            finish.fetch(stores_rows=self.stored is Stored.ROWS)
            sums = self._sums(finish, tile - first, [panel.bias] * self.tile.rows)
            STORES[self.stored](finish, finish.rows(sums))

    def _write_parts(
        self, call: Call[GemmRow[Value]], panel: Panel, tiles: Bounds, first: Value
    ) -> None:
        """Write the same; sums are on the stack while other tiles have their turns."""
        row, size = call.row, self.tile.size
        place = on_stack(self.epilogue.compute, MOST_TOGETHER * size)
        line, starts = Var(panel.bases["right"]), range(0, size, self.tile.columns)
        for tile in loop(*tiles, name="tile"):
            self._finish(call, panel, tile).fetch()
            for start in starts:
                place.store(panel.bias, (tile - first) * size + start)
        for s in loop(0, row.segments, line, step=row.block, name="part"):
            end, begin = minimum(s + row.block, row.segments), line.value
            for each in loop(s, end, line, name="s"):
                run = call["table"][row.runs_at + each]
                line.value += run * index(self.pitch or row.pitch)
            for tile in loop(*tiles, name="tile"):
                finish, at = self._finish(call, panel, tile), (tile - first) * size
                part = _SegmentRange(s, end, begin, line.value)
                sums = [place.load(at + start, self.tile.row) for start in starts]
                sums = self._sums(finish, tile - first, sums, part)
                for start, total in zip(starts, sums, strict=True):
                    place.store(total, at + start)
        for tile in loop(*tiles, name="tile"):
            finish, at = self._finish(call, panel, tile), (tile - first) * size
            sums = [place.load(at + start, self.tile.row) for start in starts]
            STORES[self.stored](finish, finish.rows(sums))

    def _tiles(self, row: GemmRow[Value], units: Bounds, panel: Value) -> Bounds:
        return single_steps(row.tiles, units_within(row.panels, units, panel))

    def _write_planes(self, call: Call[GemmRow[Value]]) -> None:
        """Write other loops: panels, tiles, planes, then the rows of all planes."""
        row, size = call.row, self.tile.size
        place = on_stack(self.epilogue.result, self.planes * size)
        panels = steps_within(row.panels, call.range)
        for number in loop(*panels, name="panel", nonempty=True):
            for tile in loop(*self._tiles(row, call.range, number), name="tile"):
                for plane in loop(0, self.planes, name="plane", nonempty=True):
                    finish = self._at(call, number, tile, plane)
                    finish.fetch()
                    sums = [finish.panel.bias] * self.tile.rows
                    sums = self._sums(finish, tile, sums)
                    for i, values in finish.rows(sums).each():
                        at = plane * size + i * self.tile.columns
                        place.store(values, at)
                first = self._at(call, number, tile, index(0))
                store_interleaved(first, place, self.planes)

    def _at(
        self, call: Call[GemmRow[Value]], panel: Value, tile: Value, batch: Value
    ) -> Finish:
        offsets = self._offsets(call, batch)
        return self._finish(call, self._panel(call, panel, offsets), tile)

    def _offsets(self, call: Call[GemmRow[Value]], batch: Value) -> dict[str, Value]:
        """Return what a batch adds to where operands lie."""
        extras = [f"extra{i}" for i in range(len(self.epilogue.extras))]
        operands = ["left", "right", "bias", "result", *extras]
        start = call.row.batch_at + batch * len(operands)
        return {name: call["table"][start + n] for n, name in enumerate(operands)}

    def _panel(
        self, call: Call[GemmRow[Value]], number: Value, offsets: Mapping[str, Value]
    ) -> Panel:
        """Return what the tiles of a panel share."""
        row = call.row
        column = number * row.width
        moves: dict[str, Value | None] = {"right": number * row.panel_stride}
        if not self.is_depthwise:
            moves["left"] = None
        for i, extra in enumerate(self.epilogue.extras):
            if extra is Extra.ROWS:
                moves[f"extra{i}"] = None
            elif extra in (Extra.STRIDED, Extra.TURNED):
                moves[f"extra{i}"] = column * row.extras[i].step
        if self.stored is not Stored.ROWS:
            moves["result"] = column * row.result_step
        bases: dict[str, Value] = {}
        for name, offset in offsets.items():
            move = moves.get(name, column)
            bases[name] = offset if move is None else offset + move
        count = row.columns - column if self.tile.masked else None
        access = self.tile.row if count is None else self.tile.row_of(count)
        bias = access.constant(0, self.epilogue.compute)
        if "bias" in call.operands:
            bias = call["bias"].load(bases["bias"], access)
        extras = {
            i: call[f"extra{i}"].load(bases[f"extra{i}"], access)
            for i, extra in enumerate(self.epilogue.extras)
            if extra is Extra.COLUMNS
        }
        return Panel(bases, access, count, bias, extras)

    def _finish(self, call: Call[GemmRow[Value]], panel: Panel, tile: Value) -> Finish:
        """Return the description of tile number `tile`."""
        row = call.row
        first = tile * self.tile.rows
        starts = {"left": row.left_at + first, "result": row.result_at + first}
        for n, extra in enumerate(self.epilogue.extras):
            if extra is not Extra.COLUMNS:
                starts[f"extra{n}"] = row.extras[n].at + first
        return Finish(self.epilogue, self.tile, call, panel, starts)

    def _sums(
        self,
        finish: Finish,
        slot: Value,
        sums: Sequence[Value],
        part: _SegmentRange | None = None,
    ) -> list[Value]:
        """Return `sums`, a value for each row, with the products of a tile added."""
        call, row, panel = finish.call, finish.call.row, finish.panel
        if part is None:
            start = panel.bases["right"]
            part = _SegmentRange(
                index(0), row.segments, start, start + row.panel_stride
            )
        factors = TileFactors(
            left=call["left"],
            rows=[finish.begin("left", i) for i in range(self.tile.rows)],
            table=call["table"],
            segments=row.segments_at,
            first=part.first,
            segment_count=part.last,
            runs=row.runs_at,
            block=row.block,
            step=index(self.step or row.step),
            right=call["right"],
            start=part.begin,
            pitch=index(self.pitch or row.pitch),
            fetched=call["ahead" if "ahead" in call.operands else "right"],
            ahead=part.end + slot * row.slice,
            ahead_step=row.slice_step,
            sums=self.sums,
            unroll=self.unroll,
            streams=self.streams,
            in_pairs=self.in_pairs,
        )
        if self.is_depthwise:
            if self.taps:
                line = self.taps, self.moves
                return multiply_lanes_of_line(factors, panel.row, sums, *line)
            return multiply_lanes(factors, panel.row, sums)
        access = self.tile.row if self.is_padded else panel.row
        if self.in_pairs:
            access = replace(access, lanes=2 * access.lanes)
        return multiply(factors, access, sums)
