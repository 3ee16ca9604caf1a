"""Products of row and column tiles: convolutions, matrix products, Winograd's core."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from glow.codegen.loops import loop
from glow.codegen.memory import on_stack
from glow.codegen.values import Value, index
from glow.lowering.memory_to_loops.kernels.finish import Epilogue, Finish, Panel, Rows
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
)
from glow.lowering.memory_to_loops.kernels.stores import (
    STORES,
    Stored,
    store_interleaved,
)
from glow.support.costs import Costs


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
    step: int = 0
    """From one k to the next in the left factor; 0 if only the row says."""
    pitch: int = 0
    """The same in a panel."""
    in_pairs: bool = False
    """Whether factors are multiplied in pairs of bf16; a k of the row is one."""
    is_depthwise: bool = False
    """
    Whether each column has a left factor of its own, which lies at the row.

    Then a segment is one place of a window, multiplied lane by lane.
    """

    def per_ns(self, costs: Costs) -> float:
        lanes = self.tile.lanes
        if self.is_depthwise:
            return costs.streamed_products_per_ns * lanes
        # Small tiles wait for memory: each number of the right factor is used less.
        full = costs.products_per_ns * lanes
        return full * min(1, self.tile.size / (16 * lanes))

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
        row = call.row
        if self.stored is Stored.INTERLEAVED:
            self._write_planes(call)
            return
        batches = steps_within(row.batches, call.range)
        for batch in loop(*batches, name="batch", nonempty=True):
            offsets = self._offsets(call, batch)
            units = units_within(row.batches, call.range, batch)
            panels = steps_within(row.panels, units)
            for number in loop(*panels, name="panel", nonempty=True):
                panel = self._panel(call, number, offsets)
                tiles = self._tiles(row, units, number)
                for tile in loop(*tiles, name="tile", nonempty=True):
                    finish = self._finish(call, panel, tile)
                    STORES[self.stored](finish, self._multiplied(finish, tile))

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
                    for i, values in self._multiplied(finish, tile).each():
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

    def _multiplied(self, finish: Finish, tile: Value) -> Rows:
        """Return the finished rows of a tile."""
        call, row, panel = finish.call, finish.call.row, finish.panel
        start = panel.bases["right"]
        factors = TileFactors(
            left=call["left"],
            rows=[finish.begin("left", i) for i in range(self.tile.rows)],
            table=call["table"],
            segments=row.segments_at,
            segment_count=row.segments,
            runs=row.runs_at,
            block=row.block,
            step=index(self.step or row.step),
            right=call["right"],
            start=start,
            pitch=index(self.pitch or row.pitch),
            fetched=call["ahead" if "ahead" in call.operands else "right"],
            ahead=start + row.panel_stride + tile * row.slice,
            ahead_step=row.slice_step,
            sums=self.sums,
            unroll=self.unroll,
            in_pairs=self.in_pairs,
        )
        finish.fetch()
        sums = [panel.bias] * self.tile.rows
        if self.is_depthwise:
            return finish.rows(multiply_lanes(factors, panel.row, sums))
        access = self.tile.row if self.is_padded else panel.row
        if self.in_pairs:
            access = replace(access, lanes=2 * access.lanes)
        return finish.rows(multiply(factors, access, sums))
