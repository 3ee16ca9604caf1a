"""Kernels that go along lines of an axis: a scheme, and rules of single lines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

from xdsl.ir import Attribute

from glow.codegen.functions import minimum
from glow.codegen.loops import Level, N, levels_like, loop, nest
from glow.codegen.memory import Strip, Strips, Total
from glow.codegen.values import Value
from glow.lowering.memory_to_loops.axes import Axis
from glow.lowering.memory_to_loops.kernels.kernel import (
    Call,
    Operand,
    RangeKernel,
    Work,
)


@dataclass(frozen=True)
class Rule(ABC):
    """The meaning of an op on one line; it is part of a kernel's key."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The start of the kernel's symbol."""

    @abstractmethod
    def operands(self) -> Mapping[str, Operand]:
        """Return the buffers that lines lie in, by name."""

    @abstractmethod
    def line(self, line: Line) -> None:
        """Write the code of a line, or of as many as `line` has lanes."""


@dataclass(frozen=True)
class Spot:
    """One step along a line: where it is in each operand, and how wide."""

    line: Line
    i: Value
    strip: Strip

    def load(self, operand: str = "x", otherwise: float = 0) -> Value:
        """Load elements; lanes behind the end of the line are `otherwise`."""
        place = self.line.place(operand, self.i)
        return self.line.call[operand].load(place, self.strip, otherwise)

    def store(self, value: Value | float, operand: str = "y") -> None:
        """Store elements."""
        memory = self.line.call[operand]
        if not isinstance(value, Value):
            value = self.strip.constant(value, memory.compute)
        memory.store(value, self.line.place(operand, self.i), self.strip)


@dataclass(frozen=True)
class Line:
    """
    A line of each operand along the axis.

    Steps along it take vectors or, where `across` is set, that many lines at once:
    their lanes are neighbors of other lines. A rule need not know.
    """

    call: Call
    starts: Mapping[str, Value]
    axis: Level[Value]
    strips: Strips
    across: Strip | None = None

    @property
    def extent(self) -> Value:
        return self.axis.extent

    def place(self, operand: str, i: Value) -> Value:
        """Return where element i of the line is in an operand."""
        if self.across is None and self.strips.lanes:
            return self.starts[operand] + i
        strides = dict(zip(self.starts, self.axis.strides, strict=True))
        return self.starts[operand] + i * strides[operand]

    def total(self, number: float, element: Attribute) -> Total:
        """Return what `along` carries, starting as `number`."""
        if self.across is not None:
            return Total.across(self.across, number, element)
        return Total.of(self.strips, number, element)

    def along(self, *totals: Total) -> Generator[Spot]:
        """Write loops along the line; the body of a Python `for` is that of each."""
        if self.across is None:
            for i, strip in self.strips.along(self.extent, *totals):
                yield Spot(self, i, strip)
            return
        carried = [var for total in totals for var in total.enter(self.across)]
        for i in loop(0, self.extent, *carried, nonempty=True):
            yield Spot(self, i, self.across)


@dataclass(frozen=True)
class LinesRow(Generic[N]):
    """Loops around lines, the axis, and how many lines are neighbors, if any are."""

    outer: tuple[Level[N], ...]
    axis: Level[N]
    width: tuple[N, ...]


@dataclass(frozen=True)
class Lines(RangeKernel):
    """
    All lines of an axis; `across`: lanes are neighbors of other lines.

    Unit: an iteration of the outermost loop; a strip of neighbors where there is none.
    """

    rule: Rule
    outer: int
    across: bool
    strips: Strips

    @property
    def prefix(self) -> str:
        return self.rule.name + ("_columns" if self.across else "")

    def operands(self) -> Mapping[str, Operand]:
        return self.rule.operands()

    def row(self) -> LinesRow[int]:
        count = len(self.operands())
        (axis,) = levels_like(1, count)
        return LinesRow(
            levels_like(self.outer, count), axis, (1,) if self.across else ()
        )

    def write(self, call: Call, row: LinesRow[Value]) -> None:
        names = list(self.operands())
        bounds = call.range if row.outer else None
        for starts in nest(row.outer, len(names), bounds=bounds):
            if not row.width:
                at = dict(zip(names, starts, strict=True))
                self.rule.line(Line(call, at, row.axis, self.strips))
                continue
            for i, strip in self._neighbors(call, row):
                at = {n: start + i for n, start in zip(names, starts, strict=True)}
                self.rule.line(Line(call, at, row.axis, self.strips, strip))

    def _neighbors(
        self, call: Call, row: LinesRow[Value]
    ) -> Generator[tuple[Value, Strip]]:
        (width,) = row.width
        if row.outer:
            yield from self.strips.along(width)
            return
        size = Strip(self.strips.lanes, self.strips.unroll).size
        last = minimum(call.end * size, width)
        yield from self.strips.along(last, start=call.begin * size)


def plan_lines(
    rule: Rule,
    axis: Axis,
    others: Sequence[Axis],
    strips: Strips,
    across: Strips | None = None,
) -> tuple[Lines, LinesRow[int], Work]:
    """
    Return the kernel, the row and the work for lines along `axis`.

    `others` are the loops around it, the finest innermost. Lanes lie across lines
    where `across` says how and lines are neighbors; else along them if they have unit
    stride.
    """
    count = len(axis.strides)
    unit = (1,) * count
    width: tuple[int, ...] = ()
    chosen = Strips(0)
    if across and others and others[-1].strides == unit and axis.extent > 1:
        *others, fastest = others
        width, chosen = (fastest.extent,), across
    elif axis.strides == unit or axis.extent == 1:
        chosen = strips
    outer = tuple(Level(each.extent, each.strides) for each in others)
    kernel = Lines(rule, len(outer), bool(width), chosen)
    row = LinesRow(outer, Level(axis.extent, axis.strides), width)
    return kernel, row, _work(kernel, row)


def _work(kernel: Lines, row: LinesRow[int]) -> Work:
    elements = row.axis.extent
    for extent in (*row.width, *(level.extent for level in row.outer)):
        elements *= extent
    units = 1
    if row.outer:
        units = row.outer[0].extent
    elif row.width:
        size = Strip(kernel.strips.lanes, kernel.strips.unroll).size
        units = -(-row.width[0] // size)
    return Work(units, -(-elements // units))
