"""Copies of runs, squares and interleaved elements."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Generic

from glow.codegen.functions import minimum
from glow.codegen.loops import Level, N, loop, moved, nest
from glow.codegen.memory import Memory, Strip, on_stack, rest_of
from glow.codegen.shuffles import columns_of, interleaved, separated, transposed
from glow.codegen.values import Value, index
from glow.lowering.memory_to_loops.kernels.kernel import Bounds, Call, Kernel
from glow.support.costs import Costs

UNROLL = 4

Starts = Sequence[Value]
"""Where something starts in the source and in the result."""


@dataclass(frozen=True)
class RunsRow(Generic[N]):
    """Loops around lines (strides of source and result), the length of a line."""

    outer: tuple[Level[N], ...]
    length: N


@dataclass(frozen=True)
class Runs(Kernel):
    """
    Copy lines of at least `lanes` elements that lie next to each other on both sides.

    A line has `vectors` vectors, or any number if that is 0. The last one ends with
    the line, over elements that were copied before; so do, of the innermost loop, the
    last `lines`, which are copied together.
    Unit: an iteration of the outermost loop: of several lines if there is no other
    around them, of several vectors if there is none around a line.
    """

    lanes: int
    vectors: int = 0
    lines: int = 1

    @property
    def size(self) -> int:
        """The elements of the vectors that go together where a line has many."""
        return self.lanes * UNROLL

    def per_ns(self, costs: Costs) -> float:
        return costs.copied_per_ns

    def write(self, call: Call[RunsRow[Value]]) -> None:
        row = call.row
        if self.lines == 1:
            part = call.part_inside(row.outer)
            for place in nest(row.outer, 2, bounds=call.range):
                self._lines(call, [place], part)
            return
        *levels, inner = row.outer
        for place in nest(levels, 2, bounds=call.range):
            self._several(call, place, inner, is_outermost=not levels)

    def _several(
        self,
        call: Call[RunsRow[Value]],
        place: Starts,
        level: Level[Value],
        is_outermost: bool,
    ) -> None:
        """Write a loop that copies a few lines at a time."""
        count = self.lines
        first, end = index(0), level.extent
        if is_outermost:
            first, end = call.begin * count, minimum(call.end * count, end)
        for i in loop(first, end, step=count, nonempty=True):
            places = [moved(place, minimum(i, level.extent - count), level)]
            for _ in range(1, count):
                pairs = zip(places[-1], level.strides, strict=True)
                places.append([at + stride for at, stride in pairs])
            self._lines(call, places, None)

    def _lines(
        self, call: Call[RunsRow[Value]], places: Sequence[Starts], part: Bounds | None
    ) -> None:
        """Copy the lines that start at `places`, or the range `part` of the one."""
        if not self.vectors:
            for place in places:
                self._long(call, place, part)
            return
        steps = [index(k * self.lanes) for k in range(self.vectors - 1)]
        steps.append(call.row.length - self.lanes)
        self._copy(call, [[at + k for at in place] for place in places for k in steps])

    def _long(
        self, call: Call[RunsRow[Value]], place: Starts, part: Bounds | None
    ) -> None:
        """Write loops over several vectors at a time, then over one."""
        length = call.row.length
        first, end = index(0), length
        if part is not None:
            begin, last = part
            first, end = begin * self.size, minimum(last * self.size, length)
        whole = end - rest_of(end, self.size)
        for i in loop(first, whole, step=self.size):
            starts = [i + k * self.lanes for k in range(UNROLL)]
            self._copy(call, [[at + start for at in place] for start in starts])
        for i in loop(whole, end, step=self.lanes):
            start = minimum(i, length - self.lanes)
            self._copy(call, [[at + start for at in place]])

    def _copy(self, call: Call[RunsRow[Value]], places: Sequence[Starts]) -> None:
        """Load all vectors at `places`, then store them."""
        strip = Strip(self.lanes)
        loaded = [call["x"].load(source, strip) for source, _ in places]
        for value, (_, result) in zip(loaded, places, strict=True):
            call["y"].store(value, result)


@dataclass(frozen=True)
class PlaneRow(Generic[N]):
    """
    Loops around planes; rows (stride in the source), columns (in the result).

    Where the call has `places`, these say where each column lies in the result.
    """

    outer: tuple[Level[N], ...]
    rows: Level[N]
    columns: Level[N]


def _blocks(
    side: Level[Value], size: int, part: Bounds | None = None
) -> Generator[tuple[Value, Value]]:
    """Write a loop over the blocks of `size` in `part`; yield where each lies."""
    first, end = index(0), side.extent
    if part is not None:
        first, end = part[0] * size, minimum(part[1] * size, end)
    for start in loop(first, end, step=size, nonempty=True):
        yield start, minimum(start + size, side.extent)


def _lines(
    source: Memory, at: Value, stride: Value, count: int, lanes: int
) -> list[Value]:
    """Load `count` vectors that are `stride` apart."""
    lines = [source.load(at, Strip(lanes))]
    for _ in range(1, count):
        at = at + stride
        lines.append(source.load(at, Strip(lanes)))
    return lines


@dataclass(frozen=True)
class Transpose(Kernel):
    """
    Copy planes whose axes have unit stride on one side each, in squares of `lanes`.

    Squares are `beside` each other in a vector of columns, and go in blocks of `rows`
    by `columns`. Both axes are at least as long as a square; the last one of each ends
    with it, over elements that were copied before.
    Unit: an iteration of the outermost loop, over blocks of rows if there is none.
    """

    lanes: int
    rows: int
    columns: int
    beside: int = 1

    @property
    def width(self) -> int:
        """The columns of all squares of a vector."""
        return self.lanes * self.beside

    def per_ns(self, costs: Costs) -> float:
        return costs.copied_per_ns

    def write(self, call: Call[PlaneRow[Value]]) -> None:
        row = call.row
        last_row = row.rows.extent - self.lanes
        last_column = row.columns.extent - self.width
        part = call.part_inside(row.outer)
        for place in nest(row.outer, 2, bounds=call.range):
            for top, bottom in _blocks(row.rows, self.rows, part):
                for left, right in _blocks(row.columns, self.columns):
                    for r in loop(top, bottom, step=self.lanes, nonempty=True):
                        r = minimum(r, last_row)
                        source = place[0] + r * row.rows.strides[0]
                        for c in loop(left, right, step=self.width, nonempty=True):
                            c = minimum(c, last_column)
                            self._one(call, source + c, place[1] + r, c)

    def _one(
        self, call: Call[PlaneRow[Value]], source: Value, result: Value, c: Value
    ) -> None:
        row = call.row
        lines = _lines(call["x"], source, row.rows.strides[0], self.lanes, self.width)
        columns = transposed(lines) if self.beside == 1 else columns_of(lines)
        if "places" in call.operands:
            for i, column in enumerate(columns):
                call["y"].store(column, result + call["places"][c + i])
            return
        at = result + c * row.columns.strides[1]
        for i, column in enumerate(columns):
            call["y"].store(column, at)
            at = at + row.columns.strides[1] if i < self.width - 1 else at


@dataclass(frozen=True)
class BlockTranspose(Kernel):
    """
    Copy planes as `Transpose` does, in blocks of `rows` by `columns`.

    A block is transposed onto the stack, and goes out from there line after line: so
    few lines are under way that compete for the same place of the cache.
    Unit: an iteration of the outermost loop, over blocks of columns if there is none.
    """

    lanes: int
    rows: int
    columns: int

    def per_ns(self, costs: Costs) -> float:
        return costs.copied_per_ns

    def write(self, call: Call[PlaneRow[Value]]) -> None:
        row = call.row
        part = call.part_inside(row.outer)
        for place in nest(row.outer, 2, bounds=call.range):
            stack = on_stack(call["x"].element, self.rows * self.columns)
            for left, _ in _blocks(row.columns, self.columns, part):
                c = minimum(left, row.columns.extent - self.columns)
                for r in loop(0, row.rows.extent, step=self.rows, nonempty=True):
                    r = minimum(r, row.rows.extent - self.rows)
                    source = place[0] + r * row.rows.strides[0] + c
                    self._take(call["x"], stack, source, row.rows.strides[0])
                    result = place[1] + c * row.columns.strides[1] + r
                    self._give(call["y"], stack, result, row.columns.strides[1])

    def _take(self, x: Memory, stack: Memory, start: Value, stride: Value) -> None:
        """Put the squares of a block aside, transposed."""
        for r in loop(0, self.rows, step=self.lanes, nonempty=True):
            for c in loop(0, self.columns, step=self.lanes, nonempty=True):
                at = start + r * stride + c
                lines = _lines(x, at, stride, self.lanes, self.lanes)
                to = c * self.rows + r
                for i, column in enumerate(transposed(lines)):
                    stack.store(column, to + i * self.rows)

    def _give(self, y: Memory, stack: Memory, start: Value, stride: Value) -> None:
        """Copy the lines that were put aside to the result."""
        for c in loop(0, self.columns, nonempty=True):
            source, to = c * self.rows, start + c * stride
            for i in range(0, self.rows, self.lanes):
                y.store(stack.load(source + i, Strip(self.lanes)), to + i)


@dataclass(frozen=True)
class InterleaveRow(Generic[N]):
    """Loops around lines, then the length of a line, the distance of lines."""

    outer: tuple[Level[N], ...]
    length: N
    distance: N


@dataclass(frozen=True)
class Interleave(Kernel):
    """
    Copy `planes` lines into one whose elements take turns, or (`inverse`) back.

    The last vectors of a line end with it, over elements that were copied before.
    Unit: an iteration of the outermost loop, over vectors if there is none around.
    """

    planes: int
    lanes: int
    inverse: bool

    @property
    def prefix(self) -> str:
        return "separate" if self.inverse else "interleave"

    def per_ns(self, costs: Costs) -> float:
        return costs.copied_per_ns

    def write(self, call: Call[InterleaveRow[Value]]) -> None:
        row = call.row
        first, end = index(0), row.length
        if not row.outer:
            first = call.begin * self.lanes
            end = minimum(call.end * self.lanes, end)
        for place in nest(row.outer, 2, bounds=call.range):
            for i in loop(first, end, step=self.lanes, nonempty=True):
                self._vectors(call, place, minimum(i, row.length - self.lanes))

    def _vectors(
        self, call: Call[InterleaveRow[Value]], place: Starts, i: Value
    ) -> None:
        separate, joined = reversed(place) if self.inverse else place
        lines = [separate + i]
        for _ in range(1, self.planes):
            lines.append(lines[-1] + call.row.distance)
        start = joined + i * self.planes
        parts = [start + k * self.lanes for k in range(self.planes)]
        sources, results = (parts, lines) if self.inverse else (lines, parts)
        loaded = [call["x"].load(at, Strip(self.lanes)) for at in sources]
        rearranged = separated if self.inverse else interleaved
        for value, at in zip(rearranged(loaded), results, strict=True):
            call["y"].store(value, at)
