"""Products of row and column tiles: convolutions, matrix products, Winograd's core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import f32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from glow.dialects.llvm_ext.memory import PrefetchOp
from glow.lowering.memory_to_loops.builder import (
    FLAT,
    INDEX,
    OFFSETS,
    TABLE,
    Body,
    function,
)
from glow.lowering.memory_to_loops.kernels.gemm_row import Extra, GemmRow
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.microkernel import (
    Columns,
    Factors,
    Tile,
    multiply,
)
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram

_SHORT = 6
"""The instructions of an epilogue that is written out for each row of a tile."""
_LINE = 16
"""The elements of a cache line."""
_NAMES = [field.name for field in fields(GemmRow)]


@dataclass(frozen=True)
class Gemm(Kernel):
    """
    `result[row, column] = epilogue(bias[column] + left[row, :] . right[:, column])`.

    Rows lie anywhere: a table says where each begins, so that a row may be a pixel of
    a convolution, strided, with a border, of any batch. The last tile may name a row
    twice; results must not share memory with extras.
    """

    tile: Tile
    epilogue: ScalarProgram
    extras: tuple[Extra, ...] = ()
    has_bias: bool = True
    is_padded: bool = True
    """Whether panels are as wide in memory as the tile, even the last one."""

    @property
    def is_spilled(self) -> bool:
        """Whether the epilogue is too long to be written out per row."""
        steps = self.epilogue.instructions
        return len(steps) > _SHORT or any(s.op.name.startswith("math.") for s in steps)

    @property
    def prefix(self) -> str:
        shape = f"{self.tile.rows}x{self.tile.columns}"
        return f"gemm_{shape}{'m' if self.tile.masked else ''}"

    @property
    def row_length(self) -> int:
        """The integers of a row."""
        return len(_NAMES) - 1 + len(self.extras)

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
        operands: list[tuple[str, Attribute]] = [
            ("left", FLAT),
            ("right", FLAT),
            *([("bias", FLAT)] if self.has_bias else []),
            *((f"extra{i}", FLAT) for i in range(len(self.extras))),
            ("result", FLAT),
            ("table", OFFSETS),
            ("rows", TABLE),
            ("at", INDEX),
        ]
        op, b, args = function(self.symbol, operands, noalias=["table", "rows"])
        row = {
            name: b.load(args["rows"], b.sum(args["at"], i))
            for i, name in enumerate(_NAMES[:-1])
        }
        for i in range(len(self.extras)):
            at = b.sum(args["at"], len(_NAMES) - 1 + i)
            row[f"extra{i}_at"] = b.load(args["rows"], at)
        _Writer(self, args, row).product(b)
        b.do(func.ReturnOp())
        return op


@dataclass(frozen=True)
class _Panel:
    """What is the same for all tiles of a panel."""

    bases: dict[str, SSAValue]
    """Per operand: its offset in this batch, with the panel's first column."""
    columns: Columns
    bias: list[SSAValue]
    extras: dict[int, list[SSAValue]]


class _Writer:
    """Writes the loops of a `Gemm`: batches, panels, tiles."""

    def __init__(
        self, kernel: Gemm, args: dict[str, SSAValue], row: dict[str, SSAValue]
    ):
        self.kernel, self.tile = kernel, kernel.tile
        self.args, self.row = args, row
        extras = [f"extra{i}" for i in range(len(kernel.extras))]
        self.operands = ["left", "right", "bias", "result", *extras]

    def product(self, b: Body) -> None:
        row, zero = self.row, b.const(0)

        def batch(b: Body, i: SSAValue) -> None:
            start = b.sum(row["batch_at"], b.product(i, len(self.operands)))
            offsets = {
                name: b.offset(self.args["table"], b.sum(start, n))
                for n, name in enumerate(self.operands)
            }

            b.each(
                row["first"],
                row["last"],
                lambda b, panel: self.panel(b, panel, offsets),
                name="panel",
                nonempty=True,
            )

        b.each(zero, row["batches"], batch, name="batch", nonempty=True)

    def panel(self, b: Body, panel: SSAValue, offsets: dict[str, SSAValue]) -> None:
        """All tiles of one panel."""
        row, kernel, lanes = self.row, self.kernel, self.tile.lanes
        column = b.product(panel, row["width"])
        moves = {"right": b.product(panel, row["panel_stride"])}
        if not kernel.left_has_columns:
            moves["left"] = None
        for i, extra in enumerate(kernel.extras):
            if extra is Extra.ROWS:
                moves[f"extra{i}"] = None
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
        found = _Panel(bases, columns, bias, extras)
        b.each(
            0,
            row["tiles"],
            lambda b, tile: self.one_tile(b, tile, found),
            name="tile",
            nonempty=True,
        )

    def one_tile(self, b: Body, tile: SSAValue, panel: _Panel) -> None:
        row, rows = self.row, self.tile.rows
        first = b.product(tile, rows)
        starts = {
            part: b.sum(row[part], first)
            for part in ("left_at", "result_at", *self._extra_parts())
        }
        factors = Factors(
            left=self.args["left"],
            rows=[
                self._begin(b, starts["left_at"], i, panel.bases["left"])
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
            ahead=b.sum(
                b.sum(panel.bases["right"], row["panel_stride"]),
                b.product(tile, row["slice"]),
            ),
            ahead_step=row["slice_step"],
        )
        self._prefetch_extras(b, starts, panel)
        sums = self.kernel.multiply(b, panel.columns, factors, panel.bias * rows)
        if self.kernel.is_spilled:
            self._finish_in_loop(b, sums, starts, panel)
        else:
            self._finish(b, sums, starts, panel)

    def _prefetch_extras(
        self, b: Body, starts: dict[str, SSAValue], panel: _Panel
    ) -> None:
        """Fetch what the epilogue will read while the sums are made."""
        for n, extra in enumerate(self.kernel.extras):
            if extra is not Extra.FULL:
                continue
            name = f"extra{n}"

            def fetch(b: Body, i: SSAValue, name: str = name) -> None:
                begin = self._begin(b, starts[f"{name}_at"], i, panel.bases[name])
                for column in range(0, self.tile.columns, _LINE):
                    at = b.sum(begin, column)
                    b.do(PrefetchOp(self.args[name], [at]))

            b.each(0, self.tile.rows, fetch, name="r", nonempty=True)

    def _finish(
        self,
        b: Body,
        sums: list[SSAValue],
        starts: dict[str, SSAValue],
        panel: _Panel,
    ) -> None:
        """
        Apply the epilogue to registers, then store them.

        The last tile repeats its last row, and an extra may lie where the result
        goes: nothing is stored before all is read.
        """
        vectors = self.tile.vectors
        done = [
            self._finish_row(b, sums[i * vectors : (i + 1) * vectors], i, starts, panel)
            for i in range(self.tile.rows)
        ]
        for i, row in enumerate(done):
            self._store_row(b, row, i, starts, panel)

    def _finish_in_loop(
        self,
        b: Body,
        sums: list[SSAValue],
        starts: dict[str, SSAValue],
        panel: _Panel,
    ) -> None:
        """Put the sums aside, then run a long epilogue once per row."""
        columns, vectors = self.tile.columns, self.tile.vectors
        whole = Columns(replace(self.tile, masked=False))
        size = self.tile.rows * columns
        aside = b.add(memref.AllocaOp.get(f32, 64, [size]))
        aside = b.add(memref.CastOp.get(aside, FLAT))
        for i in range(self.tile.rows):
            row = sums[i * vectors : (i + 1) * vectors]
            whole.store(b, row, aside, b.const(i * columns))

        def finish(b: Body, i: SSAValue) -> None:
            at = b.product(i, columns)
            row = whole.load(b, aside, at)
            whole.store(b, self._finish_row(b, row, i, starts, panel), aside, at)

        def store(b: Body, i: SSAValue) -> None:
            row = whole.load(b, aside, b.product(i, columns))
            self._store_row(b, row, i, starts, panel)

        b.each(0, self.tile.rows, finish, name="r", nonempty=True)
        b.each(0, self.tile.rows, store, name="r", nonempty=True)

    def _finish_row(
        self,
        b: Body,
        sums: Sequence[SSAValue],
        i: SSAValue | int,
        starts: dict[str, SSAValue],
        panel: _Panel,
    ) -> list[SSAValue]:
        """Apply the epilogue to row `i` of the tile."""
        others = [
            self._extra(b, n, i, starts, panel) for n in range(len(self.kernel.extras))
        ]
        done: list[SSAValue] = []
        for j, value in enumerate(sums):
            inputs = [value, *(other[j] for other in others)]
            done += self.kernel.epilogue.emit(b, inputs, self.tile.lanes)
        return done

    def _store_row(
        self,
        b: Body,
        done: Sequence[SSAValue],
        i: SSAValue | int,
        starts: dict[str, SSAValue],
        panel: _Panel,
    ) -> None:
        begin = self._begin(b, starts["result_at"], i, panel.bases["result"])
        panel.columns.store(b, done, self.args["result"], begin)

    def _extra(
        self,
        b: Body,
        n: int,
        i: SSAValue | int,
        starts: dict[str, SSAValue],
        panel: _Panel,
    ) -> Sequence[SSAValue]:
        """What the epilogue reads of extra `n` for row `i`."""
        if n in panel.extras:
            return panel.extras[n]
        name = f"extra{n}"
        begin = self._begin(b, starts[f"{name}_at"], i, panel.bases[name])
        if self.kernel.extras[n] is Extra.FULL:
            return panel.columns.load(b, self.args[name], begin)
        value = b.splat(b.load(self.args[name], begin), self.tile.lanes)
        return [value] * self.tile.vectors

    def _extra_parts(self) -> list[str]:
        """The parts of the table that say where rows of extras begin."""
        return [
            f"extra{n}_at"
            for n, extra in enumerate(self.kernel.extras)
            if extra is not Extra.COLUMNS
        ]

    def _begin(
        self, b: Body, start: SSAValue, i: SSAValue | int, base: SSAValue
    ) -> SSAValue:
        """Where row `i` begins, as the table says from `start` on."""
        return b.sum(b.offset(self.args["table"], b.sum(start, i)), base)
