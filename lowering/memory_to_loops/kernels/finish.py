"""The epilogue of a tile's sums, row after row."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from xdsl.ir import Attribute

from glow.codegen.casts import convert
from glow.codegen.functions import minimum
from glow.codegen.loops import loop
from glow.codegen.memory import Memory, Strip, on_stack, prefetch
from glow.codegen.shuffles import inserted, rows_of
from glow.codegen.values import Value, constant, index, joined
from glow.lowering.memory_to_loops.kernels.gemm_row import Extra, GemmRow
from glow.lowering.memory_to_loops.kernels.kernel import Call
from glow.lowering.memory_to_loops.kernels.microkernel import Tile
from glow.lowering.memory_to_loops.scalar_program import Report, ScalarProgram
from glow.support.targets import LINE_BYTES
from glow.support.types import compute_type

_SHORT = 6
"""The instructions of an epilogue that is written out for each row of a tile."""
_LINE = LINE_BYTES // 4
"""The f32 elements of a cache line."""


@dataclass(frozen=True)
class Epilogue:
    """
    The epilogue of a product: a program applied to each of its sums.

    The first input of `program` is a sum, others are elements of extras; `extras` say
    how these vary, `result` what is stored.
    """

    program: ScalarProgram
    result: Attribute
    extras: tuple[Extra, ...] = ()

    @property
    def compute(self) -> Attribute:
        """The type of sums."""
        return compute_type(self.program.inputs[0])

    @property
    def is_long(self) -> bool:
        """Whether it is too long to be written out per row."""
        steps = self.program.instructions
        has_functions = any(step.op.name.startswith("math.") for step in steps)
        return len(steps) > _SHORT or has_functions or Extra.STRIDED in self.extras

    def finished(self, inputs: Sequence[Value], report: Report | None = None) -> Value:
        """Return what is stored for a sum and extras, scalars or vectors."""
        strip = Strip(inputs[0].lanes, len(inputs[0].parts))
        (result,) = self.program.run(inputs, report, strip)
        return convert(result, self.result)


@dataclass(frozen=True)
class Rows:
    """The finished rows of a tile, in registers or aside on the stack."""

    tile: Tile
    kept: Sequence[Value] | Memory

    def each(self) -> Generator[tuple[Value, Value]]:
        """Write code for each row, in a loop if they are aside: its number, values."""
        if not isinstance(self.kept, Memory):
            yield from ((index(i), row) for i, row in enumerate(self.kept))
            return
        for i in loop(0, self.tile.rows, name="r", nonempty=True):
            yield i, self.kept.load(i * self.tile.columns, self.tile.row)

    def in_registers(self) -> Sequence[Value]:
        """Return all rows as values."""
        if not isinstance(self.kept, Memory):
            return self.kept
        starts = range(0, self.tile.size, self.tile.columns)
        return [self.kept.load(start, self.tile.row) for start in starts]

    def aside(self, element: Attribute) -> Memory:
        """Return the rows as neighbors on the stack."""
        if isinstance(self.kept, Memory):
            return self.kept
        place = on_stack(element, self.tile.size)
        for i, row in enumerate(self.kept):
            place.store(row, i * self.tile.columns)
        return place


@dataclass(frozen=True)
class Panel:
    """The values that all tiles of a panel share."""

    bases: Mapping[str, Value]
    """Per operand: its offset in this batch, with the panel's first column."""
    row: Strip
    """How columns of the result are accessed."""
    count: Value | None
    """The columns that exist, where not all do."""
    bias: Value
    extras: Mapping[int, Value]
    """The extras that vary over columns alone."""


@dataclass(frozen=True)
class Finish:
    """The epilogue of one tile."""

    epilogue: Epilogue
    tile: Tile
    call: Call[GemmRow[Value]]
    panel: Panel
    starts: Mapping[str, Value]
    """Where the tile's rows begin in the table, per operand."""
    asides: Mapping[int, Memory] = field(default_factory=lambda: {})
    """Extras that were put aside, each a tile."""

    def begin(self, operand: str, i: Value | int) -> Value:
        """Return where row `i` of the tile begins."""
        at = self.call["table"][self.starts[operand] + i]
        return at + self.panel.bases[operand]

    def columns(self) -> Generator[Value]:
        """Write a loop over the columns that exist."""
        count = self.tile.columns if self.panel.count is None else self.panel.count
        yield from loop(0, count, name="c", nonempty=True)

    def fetch(self, *, stores_rows: bool = False) -> None:
        """
        Fetch what the epilogue will read while the sums are made.

        A long one that stores rows also fetches their lines: stores that wait for them
        would hold up the steps that follow.
        """
        if stores_rows and self.epilogue.is_long:
            self._fetch_rows("result", write=True)
        for n, extra in enumerate(self.epilogue.extras):
            name = f"extra{n}"
            if extra is Extra.FULL:
                self._fetch_rows(name)
            elif extra is Extra.TURNED:
                # Columns begin where the tile before ended: only ends are fetched.
                end, step = (
                    self.begin(name, self.tile.rows - 1),
                    self.call.row.extras[n].step,
                )
                for i in self.columns():
                    prefetch(self.call[name], end + i * step)

    def _fetch_rows(self, name: str, *, write: bool = False) -> None:
        for i in loop(0, self.tile.rows, name="r", nonempty=True):
            begin = self.begin(name, i)
            for column in range(0, self.tile.columns, _LINE):
                prefetch(self.call[name], begin + column, write=write)

    def rows(self, sums: Sequence[Value]) -> Rows:
        """
        Return the rows to store: all is read before anything is written.

        The last tile may name a row twice, and an extra may lie where the result goes.
        """
        turned = [n for n, e in enumerate(self.epilogue.extras) if e is Extra.TURNED]
        finish = replace(self, asides={n: self._turned(n) for n in turned})
        if self.epilogue.is_long:
            return finish.rows_in_loop(sums)
        done = [finish.finished(row, index(i)) for i, row in enumerate(sums)]
        return Rows(self.tile, done)

    def rows_in_loop(self, sums: Sequence[Value]) -> Rows:
        """Put the sums aside, then run the epilogue once per row."""
        tile = self.tile
        source = Rows(tile, sums).aside(self.epilogue.compute)
        result = on_stack(self.epilogue.result, tile.size)
        for i, row in Rows(tile, source).each():
            result.store(self.finished(row, i), i * tile.columns)
        return Rows(tile, result)

    def finished(self, sums: Value, i: Value) -> Value:
        """Return what the epilogue makes of row `i`."""
        others = [self._extra(n, i) for n in range(len(self.epilogue.extras))]
        return self.epilogue.finished([sums, *others])

    def _extra(self, n: int, i: Value) -> Value:
        """Return what the epilogue reads of extra `n` for row `i`."""
        source, row = self.call[f"extra{n}"], self.tile.row
        if n in self.panel.extras:
            return self.panel.extras[n]
        if n in self.asides:
            aside = replace(self.asides[n], compute=source.compute)
            return aside.load(i * self.tile.columns, row)
        begin = self.begin(f"extra{n}", i)
        match self.epilogue.extras[n]:
            case Extra.FULL:
                return source.load(begin, self.panel.row)
            case Extra.STRIDED:
                step = self.call.row.extras[n].step
                return gathered(source, begin, step, row, self.panel.count)
            case _:
                return row.spread(source[begin])

    def _turned(self, n: int) -> Memory:
        """Put the rows of a tile aside; in memory, each is a lane of all columns."""
        tile, name = self.tile, f"extra{n}"
        source = replace(self.call[name], compute=self.call[name].element)
        begin, step = self.begin(name, 0), self.call.row.extras[n].step
        if self.panel.count is not None:
            source, begin = self._existing(source, begin, step), index(0)
            step = index(tile.rows)
        place = on_stack(source.element, tile.size)
        starts = [begin + step * i for i in range(tile.columns)]
        for first, last in tile.squares:
            part = Strip(last - first)
            columns = [source.load(start + first, part) for start in starts]
            vectors = [
                rows_of(columns[j : j + tile.lanes])
                for j in range(0, tile.columns, tile.lanes)
            ]
            for i, row in enumerate(zip(*vectors, strict=True), start=first):
                place.store(joined(row), i * tile.columns)
        return place

    def _existing(self, source: Memory, begin: Value, step: Value) -> Memory:
        """Put the columns that exist aside, each a row of memory."""
        place = on_stack(source.element, self.tile.size)
        for i in self.columns():
            start, at = begin + i * step, i * self.tile.rows
            for first, last in self.tile.squares:
                part = source.load(start + first, Strip(last - first))
                place.store(part, at + first)
        return place


def gathered(
    source: Memory, at: Value, step: Value, row: Strip, count: Value | None = None
) -> Value:
    """Load a row whose columns are `step` apart; the last that exists is repeated."""
    vectors: list[Value] = []
    for j in range(row.count):
        vector = constant(0, source.compute, row.lanes)
        for lane in range(row.lanes):
            column = index(j * row.lanes + lane)
            if count is not None:
                column = minimum(column, count - 1)
            vector = inserted(source[at + column * step], vector, lane)
        vectors.append(vector)
    return joined(vectors)
