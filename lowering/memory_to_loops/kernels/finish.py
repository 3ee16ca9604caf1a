"""What follows the sums of a tile: the epilogue, row after row, and the stores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from xdsl.dialects import memref
from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, SSAValue

from glow.dialects.llvm_ext.memory import PrefetchOp
from glow.lowering.memory_to_loops.builder import Body, flat
from glow.lowering.memory_to_loops.kernels.gemm_row import Extra
from glow.lowering.memory_to_loops.kernels.microkernel import Columns, element_of
from glow.lowering.memory_to_loops.kernels.shuffles import rows_of
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram

_SHORT = 6
"""The instructions of an epilogue that is written out for each row of a tile."""
_LINE = 16
"""The elements of a cache line."""


def room(b: Body, element: Attribute, size: int) -> SSAValue:
    """Return a flat memref of `size` elements on the stack."""
    found = b.add(memref.AllocaOp.get(element, 64, [size]))
    return b.add(memref.CastOp.get(found, flat(element)))


@dataclass(frozen=True)
class Panel:
    """What is the same for all tiles of a panel."""

    bases: dict[str, SSAValue]
    """Per operand: its offset in this batch, with the panel's first column."""
    columns: Columns
    bias: list[SSAValue]
    extras: dict[int, list[SSAValue]]
    """The extras that vary over columns alone."""

    def begin(
        self,
        b: Body,
        table: SSAValue,
        start: SSAValue,
        i: SSAValue | int,
        operand: str,
    ) -> SSAValue:
        """Where row `i` of an operand begins, as `table` says from `start` on."""
        return b.sum(b.offset(table, b.sum(start, i)), self.bases[operand])


@dataclass(frozen=True)
class Finish:
    """The epilogue of one tile, and its stores: columns are neighbours."""

    program: ScalarProgram
    extras: tuple[Extra, ...]
    args: dict[str, SSAValue]
    row: dict[str, SSAValue]
    panel: Panel
    starts: dict[str, SSAValue]
    """Where the tile's rows begin in the table, per operand that the epilogue needs."""

    asides: dict[int, SSAValue] = field(default_factory=lambda: {}, kw_only=True)
    """Extras that were put aside, each a tile."""

    def fetch(self, b: Body) -> None:
        """Fetch what the epilogue will read while the sums are made."""
        for n, extra in enumerate(self.extras):
            if extra is Extra.FULL:
                self._fetch_rows(b, f"extra{n}")
            elif extra is Extra.TURNED:
                self._fetch_columns(b, f"extra{n}")

    def _fetch_rows(self, b: Body, name: str) -> None:
        tile, source = self.panel.columns.tile, self.args[name]

        def line(b: Body, i: SSAValue) -> None:
            begin = self.begin(b, name, i)
            for column in range(0, tile.columns, _LINE):
                b.do(PrefetchOp(source, [b.sum(begin, column)]))

        b.each(0, tile.rows, line, name="r", nonempty=True)

    def _fetch_columns(self, b: Body, name: str) -> None:
        """Fetch where columns end: where they begin, the tile before ended."""
        source, step = self.args[name], self.row[f"{name}_step"]
        end = self.begin(b, name, self.panel.columns.tile.rows - 1)

        def line(b: Body, i: SSAValue) -> None:
            b.do(PrefetchOp(source, [b.sum(end, b.product(i, step))]))

        b.each(0, self.panel.columns.count(b), line, name="c", nonempty=True)

    def store(self, b: Body, sums: list[SSAValue]) -> None:
        """
        Finish the sums, then store them.

        The last tile may name a row twice, and an extra may lie where the result goes:
        so all is read before anything is written.
        """
        turned = [n for n, e in enumerate(self.extras) if e is Extra.TURNED]
        found = replace(self, asides={n: self._turned(b, n) for n in turned})
        if self._is_long():
            found.store_in_loop(b, sums)
        else:
            found.store_rows(b, sums)

    def store_rows(self, b: Body, sums: list[SSAValue]) -> None:
        """Store the rows, with the epilogue written out for each."""
        vectors, rows = self.panel.columns.tile.vectors, self.panel.columns.tile.rows
        done = [
            self._finished(b, sums[i * vectors : (i + 1) * vectors], i)
            for i in range(rows)
        ]
        self.put(b, done)

    def _is_long(self) -> bool:
        """Whether the epilogue is too long to be written out per row."""
        steps = self.program.instructions
        has_functions = any(step.op.name.startswith("math.") for step in steps)
        return len(steps) > _SHORT or has_functions or Extra.STRIDED in self.extras

    def store_in_loop(self, b: Body, sums: list[SSAValue]) -> None:
        """Put the sums aside, then run the epilogue once per row."""
        tile = self.panel.columns.tile
        whole = Columns(replace(tile, masked=False))
        places = [self.aside(b, e) for e in (f32, self.program.elements[-1])]
        for i in range(tile.rows):
            row = sums[i * tile.vectors : (i + 1) * tile.vectors]
            whole.store(b, row, places[0], b.const(i * tile.columns))

        def finish(b: Body, i: SSAValue) -> None:
            at = b.product(i, tile.columns)
            done = self._finished(b, whole.load(b, places[0], at), i)
            whole.store(b, done, places[1], at)

        b.each(0, tile.rows, finish, name="r", nonempty=True)
        self.put_back(b, places[1])

    def put(self, b: Body, done: Sequence[Sequence[SSAValue]]) -> None:
        """Store the rows of the tile."""
        for i, row in enumerate(done):
            self._store_row(b, row, i)

    def put_back(self, b: Body, place: SSAValue) -> None:
        """Store the rows of the tile, which were put aside at `place`."""
        tile = self.panel.columns.tile
        whole = Columns(replace(tile, masked=False))

        def copy(b: Body, i: SSAValue) -> None:
            self._store_row(b, whole.load(b, place, b.product(i, tile.columns)), i)

        b.each(0, tile.rows, copy, name="r", nonempty=True)

    def aside(self, b: Body, element: Attribute) -> SSAValue:
        """Return room for a tile on the stack."""
        return room(b, element, self.panel.columns.tile.size)

    def _finished(
        self, b: Body, sums: Sequence[SSAValue], i: SSAValue | int
    ) -> list[SSAValue]:
        """Return what the epilogue makes of row `i`."""
        others = [self._extra(b, n, i) for n in range(len(self.extras))]
        done: list[SSAValue] = []
        for j, value in enumerate(sums):
            inputs = [value, *(other[j] for other in others)]
            done += self.program.emit(b, inputs, self.panel.columns.tile.lanes)
        return done

    def _store_row(self, b: Body, row: Sequence[SSAValue], i: SSAValue | int) -> None:
        begin = self.begin(b, "result", i)
        self.panel.columns.store(b, row, self.args["result"], begin)

    def _extra(self, b: Body, n: int, i: SSAValue | int) -> Sequence[SSAValue]:
        """What the epilogue reads of extra `n` for row `i`."""
        columns, name = self.panel.columns, f"extra{n}"
        if n in self.panel.extras:
            return self.panel.extras[n]
        if n in self.asides:
            whole = Columns(replace(columns.tile, masked=False))
            row = b.const(i) if isinstance(i, int) else i
            return whole.load(b, self.asides[n], b.product(row, columns.tile.columns))
        begin = self.begin(b, name, i)
        if self.extras[n] is Extra.FULL:
            return columns.load(b, self.args[name], begin)
        if self.extras[n] is Extra.STRIDED:
            step = self.row[f"{name}_step"]
            return columns.gather(b, self.args[name], begin, step)
        value = b.splat(b.load(self.args[name], begin), columns.tile.lanes)
        return [value] * columns.tile.vectors

    def _turned(self, b: Body, n: int) -> SSAValue:
        """Put the rows of a tile aside; in memory, each is a lane of all columns."""
        tile, source = self.panel.columns.tile, self.args[f"extra{n}"]
        begin, step = self.begin(b, f"extra{n}", 0), self.row[f"extra{n}_step"]
        if self.panel.columns.last is not None:
            source = self._existing(b, source, begin, step)
            begin, step = b.const(0), b.const(tile.rows)
        place = self.aside(b, element_of(source))
        whole = Columns(replace(tile, masked=False))
        starts = [b.sum(begin, b.product(step, i)) for i in range(tile.columns)]
        for first, last in tile.squares:
            found = [
                b.load_vector(source, b.sum(start, first), lanes=last - first)
                for start in starts
            ]
            vectors = [
                rows_of(b, found[j : j + tile.lanes])
                for j in range(0, tile.columns, tile.lanes)
            ]
            for i, row in enumerate(zip(*vectors, strict=True), start=first):
                whole.store(b, row, place, b.const(i * tile.columns))
        return place

    def _existing(
        self, b: Body, source: SSAValue, begin: SSAValue, step: SSAValue
    ) -> SSAValue:
        """Put the columns that exist aside, each a row of memory."""
        tile = self.panel.columns.tile
        place = self.aside(b, element_of(source))

        def column(b: Body, i: SSAValue) -> None:
            start, at = b.sum(begin, b.product(i, step)), b.product(i, tile.rows)
            for first, last in tile.squares:
                lanes = last - first
                part = b.load_vector(source, b.sum(start, first), lanes=lanes)
                b.store_vector(part, place, b.sum(at, first))

        b.each(0, self.panel.columns.count(b), column, name="c", nonempty=True)
        return place

    def begin(self, b: Body, operand: str, i: SSAValue | int) -> SSAValue:
        """Where row `i` of the tile begins."""
        start = self.starts[f"{operand}_at"]
        return self.panel.begin(b, self.args["table"], start, i, operand)
