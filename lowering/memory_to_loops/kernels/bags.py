"""Embedding bags: where their rows begin, and loops over columns."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Generic

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute

from glow.codegen.casts import convert
from glow.codegen.conditions import is_outside, select
from glow.codegen.loops import Level, N, Var, loop, nest
from glow.codegen.memory import SCALAR, Memory, Strip, mask_of
from glow.codegen.strips import Strips
from glow.codegen.values import INDEX, Value, constant, index
from glow.lowering.memory_to_loops.kernels.kernel import Call, Fault
from glow.support.targets import Target
from glow.support.types import compute_type, dtype_of


@dataclass(frozen=True)
class Bag:
    """The place of a bag's result, the first index in the list, and their number."""

    result: Value
    start: Value
    count: Value


@dataclass(frozen=True)
class EvenBags(Generic[N]):
    """Bags of one size, in loops that move the result and the list."""

    size: N
    levels: tuple[Level[N], ...]


def even_bags(row: EvenBags[Value], call: Call[Any]) -> Generator[Bag]:
    """Write loops over the bags of a call."""
    for result, start in nest(row.levels, 2, bounds=call.range):
        yield Bag(result, start, row.size)


@dataclass(frozen=True)
class UnevenBags(Generic[N]):
    """
    Bags whose sizes `bounds` integers give, in a loop that moves the result and these.

    A size that does not fit is the fault `code`.
    """

    levels: tuple[Level[N]]
    bounds: N
    code: N


@dataclass(frozen=True)
class UnevenBagLoops:
    """Loops over bags of a list of `total`, by sizes; those at fault are empty."""

    row: UnevenBags[Value]
    memory: Memory
    fault: Fault
    total: Value

    def _place(self, i: Value) -> Value:
        """Return where the result of a bag goes."""
        return i * self.row.levels[0].strides[0]

    def _load(self, i: Value) -> Value:
        return convert(self.memory[i * self.row.levels[0].strides[1]], INDEX)

    def by_lengths(self, call: Call[Any]) -> Generator[Bag]:
        """Write a loop over the bags of a call; lengths before it are added up."""
        start = Var(index(0))
        for i in loop(0, call.begin, start):
            start.value += self._length(i, start.value)[0]
        for i in loop(*call.range, start, nonempty=True):
            size, is_wrong = self._length(i, start.value)
            self.fault.report(is_wrong)
            yield Bag(self._place(i), start.value, size)
            start.value += size
        is_last = call.end == self.row.levels[0].extent
        self.fault.report(is_last & (start.value != self.total))

    def _length(self, i: Value, start: Value) -> tuple[Value, Value]:
        """Return the size of a bag, 0 if it does not fit, and whether it does not."""
        size = self._load(i)
        is_wrong = is_outside(size, self.total - start + 1)
        return select(is_wrong, 0, size), is_wrong

    def by_offsets(self, call: Call[Any]) -> Generator[Bag]:
        """Write a loop over the bags of a call."""
        self.fault.report((call.begin == 0) & (self._load(index(0)) != 0))
        for i in loop(*call.range, nonempty=True):
            start, end = self._load(i), self._end(i)
            is_wrong = is_outside(end, self.total + 1) | (start < 0) | (start > end)
            self.fault.report(is_wrong)
            size = select(is_wrong, 0, end - start)
            yield Bag(self._place(i), start, size)

    def _end(self, i: Value) -> Value:
        """Return the offset after the `i`-th: the total, if there is none."""
        following = i + 1
        is_last = following == self.row.bounds
        return select(is_last, self.total, self._load(select(is_last, 0, following)))


@dataclass(frozen=True)
class ColumnsRow(Generic[N]):
    """Columns in the loop, columns in all, strides of what is read and written."""

    upto: N
    extent: N
    strides: tuple[N, N]


@dataclass(frozen=True)
class Chunk:
    """
    Neighboring columns that are handled together.

    `first` is where the first column is in rows that are read, `column` in those that
    are written.
    """

    strip: Strip
    first: Value
    column: Value


@dataclass(frozen=True)
class Columns:
    """
    Loops over columns: chunks of `loop` vectors, one of `last`, then the rest.

    Most rows are no longer than the chunk of `last`, so that work per chunk is done
    once. `masked`: the last vector is partial; otherwise the rest are scalars. Without
    lanes, all are scalars.
    """

    lanes: int
    loop: int = 0
    last: int = 0
    masked: bool = False

    @staticmethod
    def of(target: Target, element: Attribute, extent: int) -> Columns:
        """Return how `target` walks `extent` columns of unit stride."""
        compute = compute_type(element)
        strips = Strips.of(target, [element, compute])
        most = max(1, target.registers // 2 * 4 // dtype_of(compute).itemsize)
        whole, rest = divmod(extent, strips.lanes)
        masked = bool(rest) and strips.masked
        vectors = whole + masked
        if vectors == 0:
            return Columns(0)
        chunks = -(-vectors // most)
        each = -(-vectors // chunks)
        last = vectors - (chunks - 1) * each
        return Columns(strips.lanes, each if chunks > 1 else 0, last, masked)

    def row(self, extent: int, strides: tuple[int, int]) -> ColumnsRow[int]:
        """Return the row of so many columns with these strides."""
        vectors = extent // self.lanes + self.masked if self.lanes else 0
        return ColumnsRow((vectors - self.last) * self.lanes, extent, strides)

    def each(self, row: ColumnsRow[Value]) -> Generator[Chunk]:
        """Write loops over all columns; the body of a Python `for` is that of each."""
        first, column = row.strides
        if not self.lanes:
            for i in loop(0, row.extent):
                yield Chunk(SCALAR, i * first, i * column)
            return
        if self.loop:
            strip = Strip(self.lanes, self.loop)
            for i in loop(0, row.upto, step=strip.size, nonempty=True):
                yield Chunk(strip, i, i)
        done = row.upto + (self.last - 1) * self.lanes
        masks: tuple[Value, ...] = ()
        if self.masked:
            whole = constant(1, i1, self.lanes)
            rest = mask_of(row.extent - done, self.lanes)
            masks = (*[whole] * (self.last - 1), rest)
        yield Chunk(Strip(self.lanes, self.last, masks), row.upto, row.upto)
        if not self.masked:
            for i in loop(done + self.lanes, row.extent):
                yield Chunk(SCALAR, i, i)
