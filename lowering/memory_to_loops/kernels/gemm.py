"""Products of row and column tiles: convolutions, matrix products, Winograd's core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

from xdsl.dialects import func
from xdsl.dialects.builtin import f32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from glow.lowering.memory_to_loops.builder import (
    FLAT,
    INDEX,
    OFFSETS,
    TABLE,
    Body,
    flat,
    function,
)
from glow.lowering.memory_to_loops.kernels.finish import Finish, Panel
from glow.lowering.memory_to_loops.kernels.gemm_row import Extra, GemmRow, extra_names
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.microkernel import (
    Columns,
    Factors,
    Tile,
    multiply,
)
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram

Named = dict[str, SSAValue]
_NAMES = [field.name for field in fields(GemmRow)]


@dataclass(frozen=True)
class Gemm(Kernel):
    """
    `result[row, column] = epilogue(bias[column] + left[row, :] . right[:, column])`.

    Rows lie anywhere: a table says where each begins, so that a row may be a pixel of
    a convolution, strided, with a border, of any batch. The last tile may name a row
    twice. An extra may lie where the result goes.
    """

    tile: Tile
    epilogue: ScalarProgram
    extras: tuple[Extra, ...] = ()
    has_bias: bool = True
    is_padded: bool = True
    """Whether panels are as wide in memory as the tile, even the last one."""

    MORE: ClassVar[tuple[str, ...]] = ()
    """The integers at the end of a row that only such a kernel has."""

    @property
    def prefix(self) -> str:
        shape = f"{self.tile.rows}x{self.tile.columns}"
        return f"gemm_{shape}{'m' if self.tile.masked else ''}"

    @property
    def row_length(self) -> int:
        """The integers of a row."""
        return len(self.names)

    @property
    def names(self) -> list[str]:
        """What the integers of a row are."""
        return [*_NAMES[:-1], *extra_names(len(self.extras)), *self.MORE]

    @property
    def left_has_columns(self) -> bool:
        """Whether rows of the left factor have the columns of the result."""
        return False

    def multiply(
        self, b: Body, columns: Columns, factors: Factors, sums: Sequence[SSAValue]
    ) -> list[SSAValue]:
        """Add the products of a tile to `sums`."""
        reading = Columns(self.tile) if self.is_padded else columns
        return multiply(b, reading, factors, sums)

    def build(self) -> FuncOp:
        _, *extras, result = self.epilogue.elements
        operands: list[tuple[str, Attribute]] = [
            ("left", FLAT),
            ("right", FLAT),
            *([("bias", FLAT)] if self.has_bias else []),
            *((f"extra{i}", flat(e)) for i, e in enumerate(extras)),
            ("result", flat(result)),
            ("table", OFFSETS),
            ("rows", TABLE),
            ("at", INDEX),
        ]
        op, b, args = function(self.symbol, operands, noalias=["table", "rows"])
        row = {
            name: b.load(args["rows"], b.sum(args["at"], i))
            for i, name in enumerate(self.names)
        }
        self.writer(args, row).product(b)
        b.do(func.ReturnOp())
        return op

    def writer(self, args: Named, row: Named) -> Writer:
        """Return what writes the loops over operands `args`; `row` has its integers."""
        return Writer(self, args, row)


class Writer:
    """Writes the loops of a `Gemm`: batches, panels, tiles."""

    def __init__(self, kernel: Gemm, args: Named, row: Named):
        self.kernel, self.tile = kernel, kernel.tile
        self.args, self.row = args, row
        extras = [f"extra{i}" for i in range(len(kernel.extras))]
        self.operands = ["left", "right", "bias", "result", *extras]

    def product(self, b: Body) -> None:
        row, zero = self.row, b.const(0)

        def batch(b: Body, i: SSAValue) -> None:
            offsets = self.offsets(b, i)
            b.each(
                row["first"],
                row["last"],
                lambda b, panel: self.tiles(b, panel, offsets),
                name="panel",
                nonempty=True,
            )

        b.each(zero, row["batches"], batch, name="batch", nonempty=True)

    def offsets(self, b: Body, batch: SSAValue) -> dict[str, SSAValue]:
        """Return what a batch adds to where operands lie."""
        start = b.sum(self.row["batch_at"], b.product(batch, len(self.operands)))
        return {
            name: b.offset(self.args["table"], b.sum(start, n))
            for n, name in enumerate(self.operands)
        }

    def tiles(self, b: Body, panel: SSAValue, offsets: dict[str, SSAValue]) -> None:
        """Append all tiles of one panel."""
        found = self.panel(b, panel, offsets)
        b.each(
            0,
            self.row["tiles"],
            lambda b, tile: self.one_tile(b, tile, found),
            name="tile",
            nonempty=True,
        )

    def panel(self, b: Body, panel: SSAValue, offsets: dict[str, SSAValue]) -> Panel:
        """Return what the tiles of a panel share."""
        row, kernel, lanes = self.row, self.kernel, self.tile.lanes
        column = b.product(panel, row["width"])
        moves: dict[str, SSAValue | None] = {
            "right": b.product(panel, row["panel_stride"])
        }
        if not kernel.left_has_columns:
            moves["left"] = None
        for i, extra in enumerate(kernel.extras):
            if extra is Extra.ROWS:
                moves[f"extra{i}"] = None
            elif extra in (Extra.STRIDED, Extra.TURNED):
                moves[f"extra{i}"] = b.product(column, row[f"extra{i}_step"])
        if "result_step" in row:
            moves["result"] = b.product(column, row["result_step"])
        bases: dict[str, SSAValue] = {}
        for name, offset in offsets.items():
            move = moves.get(name, column)
            bases[name] = offset if move is None else b.sum(offset, move)
        left = b.difference(row["columns"], column) if self.tile.masked else column
        columns = Columns.of(b, self.tile, left)
        bias = (
            columns.load(b, self.args["bias"], bases["bias"])
            if kernel.has_bias
            else [b.scalar(0.0, f32, lanes)] * self.tile.vectors
        )
        extras = {
            i: columns.load(b, self.args[f"extra{i}"], bases[f"extra{i}"])
            for i, extra in enumerate(kernel.extras)
            if extra is Extra.COLUMNS
        }
        return Panel(bases, columns, bias, extras)

    def one_tile(self, b: Body, tile: SSAValue, panel: Panel) -> None:
        row, rows = self.row, self.tile.rows
        first = b.product(tile, rows)
        read = [
            f"extra{n}_at"
            for n, extra in enumerate(self.kernel.extras)
            if extra is not Extra.COLUMNS
        ]
        starts = {name: b.sum(row[name], first) for name in ("result_at", *read)}
        begin = b.sum(row["left_at"], first)
        ahead = b.sum(panel.bases["right"], row["panel_stride"])
        factors = Factors(
            left=self.args["left"],
            rows=[
                panel.begin(b, self.args["table"], begin, i, "left")
                for i in range(rows)
            ],
            table=self.args["table"],
            segments=row["segments_at"],
            segment_count=row["segments"],
            run=row["run"],
            step=row["step"],
            right=self.args["right"],
            start=panel.bases["right"],
            pitch=row["pitch"],
            ahead=b.sum(ahead, b.product(tile, row["slice"])),
            ahead_step=row["slice_step"],
        )
        finish = self.finish(panel, starts)
        finish.fetch(b)
        sums = self.kernel.multiply(b, panel.columns, factors, panel.bias * rows)
        finish.store(b, sums)

    def finish(self, panel: Panel, starts: Named) -> Finish:
        """Return what stores a tile; `starts` say where its rows are in the table."""
        kernel = self.kernel
        return Finish(
            kernel.epilogue, kernel.extras, self.args, self.row, panel, starts
        )
