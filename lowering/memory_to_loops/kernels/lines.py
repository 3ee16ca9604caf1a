"""Kernels that go along lines of an axis: a scheme, and rules of single lines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import ClassVar, Generic

from xdsl.ir import Attribute

from glow.codegen.casts import convert
from glow.codegen.functions import minimum
from glow.codegen.loops import Level, N, Var, levels_like, loop, nest
from glow.codegen.memory import SCALAR, Strip, Strips, Total
from glow.codegen.values import Value, broadcast, index, joined, lane_numbers
from glow.lowering.memory_to_loops.axes import Axis, levels_of
from glow.lowering.memory_to_loops.kernels.kernel import (
    Call,
    Kernel,
    Operand,
    Work,
)

_SCALARS = 64
"""The elements of a unit of work where lines of scalars are cut."""


@dataclass(frozen=True)
class Rule(ABC):
    """The meaning of an op on one line; it is part of a kernel's key."""

    INDEPENDENT: ClassVar[bool] = False
    """Whether elements of a line are apart, so that a line may be cut into pieces."""
    COUNTERS: ClassVar[tuple[str, ...]] = ()
    """Counters of lines, which move as operands do but are no memory."""
    NUMBERS: ClassVar[tuple[str, ...]] = ()
    """Further integers of the row that a line is given, by name."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The start of the kernel's symbol."""

    @abstractmethod
    def operands(self) -> Mapping[str, Operand]:
        """Return the buffers that lines lie in, by name."""

    def others(self) -> Mapping[str, Operand]:
        """Return what else the kernel is passed: memory that no loop moves along."""
        return {}

    @property
    def moving(self) -> tuple[str, ...]:
        """The operands and counters that loops advance, in the order of a row."""
        return (*self.operands(), *self.COUNTERS)

    @abstractmethod
    def line(self, line: Line) -> None:
        """Write the code of a line, or of as many as `line` has lanes."""


@dataclass(frozen=True)
class Spot:
    """One step along a line: where each operand is, and how many elements wide."""

    line: Line
    i: Value
    strip: Strip
    starts: Mapping[str, Value]
    hoisted: Mapping[tuple[str, int], Value]

    def load(self, operand: str = "x", otherwise: float = 0) -> Value:
        """Load elements; lanes behind the end of the line are `otherwise`."""
        if (operand, self.strip.lanes) in self.hoisted:
            return self.strip.spread(self.hoisted[operand, self.strip.lanes])
        memory, place = self.line.call[operand], self.place(operand)
        if operand in self.line.still:
            return self.strip.spread(memory[place])
        return memory.load(place, self.strip, otherwise)

    def store(self, value: Value | float, operand: str = "y") -> None:
        """Store elements."""
        memory = self.line.call[operand]
        if not isinstance(value, Value):
            value = self.strip.constant(value, memory.compute)
        memory.store(value, self.place(operand), self.strip)

    def numbers(self, element: Attribute) -> Value:
        """Return the numbers of the elements in their line, as integers."""
        starts = [convert(start, element) for start in self.strip.starts(self.i)]
        if not self.strip.lanes:
            return starts[0]
        lanes = lane_numbers(element, self.strip.lanes)
        return joined([lanes + start for start in starts])

    def place(self, operand: str) -> Value:
        """Return where the first element is in an operand."""
        line, start = self.line, self.starts[operand]
        if line.across is None and line.strips.lanes:
            return start if operand in line.still else start + self.i
        return start + self.i * line.stride(operand)


@dataclass(frozen=True)
class Line:
    """
    A line of each operand along the axis, and along `inner` loops around that.

    Steps along it take vectors or, where `across` is set, that many lines at once:
    their lanes are neighbors of other lines. A rule need not know. `still` are the
    operands that do not move from lane to lane.
    """

    rule: Rule
    call: Call
    starts: Mapping[str, Value]
    inner: tuple[Level[Value], ...]
    axis: Level[Value]
    strips: Strips
    numbers: Mapping[str, Value]
    still: tuple[str, ...] = ()
    across: Strip | None = None
    bounds: tuple[Value, Value] | None = None

    @property
    def lanes(self) -> Strip:
        """The strip of what there is one of for each line."""
        return self.across or SCALAR

    def stride(self, operand: str) -> Value:
        """Return how far an operand moves from element to element of the line."""
        return self.axis.strides[self.rule.moving.index(operand)]

    def total(self, number: float, element: Attribute) -> Total:
        """Return what `along` carries, starting as `number`."""
        if self.across is not None:
            return Total.across(self.across, number, element)
        return Total.of(self.strips, number, element)

    def carry(self, value: Value) -> Total:
        """Return what `along` carries, starting as `value`, one for each line."""
        return Total([], Var(value), [])

    def first(self) -> Spot:
        """Return the step that takes the first element of each line."""
        return Spot(self, index(0), self.lanes, self.starts, {})

    def store(self, value: Value, operand: str = "y") -> None:
        """Store what there is one of for each line."""
        self.call[operand].store(value, self.starts[operand], self.lanes)

    def along(
        self,
        *totals: Total,
        hoist: Sequence[str] = (),
        start: Value | int = 0,
        end: Value | None = None,
    ) -> Generator[Spot]:
        """
        Write loops along the line; the body of a Python `for` is that of each.

        Of the operands `hoist`, those that stand still along vectors are loaded once.
        Elements are those from `start` to before `end`, which is the line's by default.
        """
        is_whole = end is None and isinstance(start, int) and start == 0
        first, last = self.bounds if is_whole and self.bounds else (start, end)
        bounds = (first, self.axis.extent if last is None else last)
        nonempty = is_whole and not totals and not self.bounds
        carried = [var for total in totals for var in total.all]
        starts = [self.starts[name] for name in self.rule.moving]
        for at in nest(
            self.inner, len(starts), *carried, starts=starts, nonempty=nonempty
        ):
            places = dict(zip(self.rule.moving, at, strict=True))
            hoisted = self._hoisted(hoist, places)
            for i, strip in self._steps(totals, bounds, nonempty):
                yield Spot(self, i, strip, places, hoisted)

    def _steps(
        self,
        totals: Sequence[Total],
        bounds: tuple[Value | int, Value],
        nonempty: bool,
    ) -> Generator[tuple[Value, Strip]]:
        first, last = bounds
        if self.across is None:
            steps = self.strips.along(last, *totals, start=first, nonempty=nonempty)
            yield from steps
            return
        carried = [var for total in totals for var in total.enter(self.across)]
        for i in loop(first, last, *carried, nonempty=nonempty):
            yield i, self.across

    def _hoisted(
        self, names: Sequence[str], places: Mapping[str, Value]
    ) -> dict[tuple[str, int], Value]:
        hoisted: dict[tuple[str, int], Value] = {}
        if self.across is None and self.strips.lanes:
            for name in (n for n in names if n in self.still):
                value = self.call[name][places[name]]
                lanes = self.strips.lanes
                hoisted |= {(name, 0): value, (name, lanes): broadcast(value, lanes)}
        return hoisted


@dataclass(frozen=True)
class LinesRow(Generic[N]):
    """
    The loops of a call: around lines, and along them.

    `width` is how many lines are neighbors, if lanes lie across lines.
    """

    outer: tuple[Level[N], ...]
    inner: tuple[Level[N], ...]
    axis: Level[N]
    width: tuple[N, ...]
    numbers: tuple[N, ...]


@dataclass(frozen=True)
class Lines(Kernel):
    """
    All lines of an axis; `across`: lanes are neighbors of other lines.

    Unit: an iteration of the outermost loop. Where there is none: a strip of
    neighbors, or of a line whose elements are apart.
    """

    rule: Rule
    outer: int
    inner: int
    across: bool
    strips: Strips
    still: tuple[str, ...] = ()

    @property
    def prefix(self) -> str:
        return self.rule.name + ("_columns" if self.across else "")

    def operands(self) -> Mapping[str, Operand]:
        return {**self.rule.operands(), **self.rule.others()}

    def row(self) -> LinesRow[int]:
        count = len(self.rule.moving)
        (axis,) = levels_like(1, count)
        return LinesRow(
            levels_like(self.outer, count),
            levels_like(self.inner, count),
            axis,
            (1,) if self.across else (),
            (0,) * len(self.rule.NUMBERS),
        )

    @property
    def step(self) -> int:
        """The elements of a unit of work that is no whole iteration."""
        if not self.strips.lanes:
            return _SCALARS
        return self.strips.lanes * self.strips.unroll

    def write(self, call: Call, row: LinesRow[Value]) -> None:
        moving = self.rule.moving
        bounds = call.range if row.outer else None
        numbers = dict(zip(self.rule.NUMBERS, row.numbers, strict=True))
        part = None
        if not (row.outer or row.width) and self.rule.INDEPENDENT:
            part = self._part(call, row.axis.extent)
        for at in nest(row.outer, len(moving), bounds=bounds):
            starts = dict(zip(moving, at, strict=True))
            for lanes, shifted in self._neighbors(call, row, starts):
                line = Line(
                    *(self.rule, call, shifted, row.inner, row.axis, self.strips),
                    *(numbers, self.still, lanes, part),
                )
                self.rule.line(line)

    def _part(self, call: Call, extent: Value) -> tuple[Value, Value]:
        """Return the elements that the range of work is."""
        return call.begin * self.step, minimum(call.end * self.step, extent)

    def _neighbors(
        self, call: Call, row: LinesRow[Value], starts: Mapping[str, Value]
    ) -> Generator[tuple[Strip | None, Mapping[str, Value]]]:
        """Write loops over neighbors; yield how many lanes and where lines begin."""
        if not row.width:
            yield None, starts
            return
        (width,) = row.width
        first, last = (0, width) if row.outer else self._part(call, width)
        for i, strip in self.strips.along(last, start=first):
            yield (
                strip,
                {
                    name: start if name in self.still else start + i
                    for name, start in starts.items()
                },
            )


@dataclass(frozen=True)
class LinesOf:
    """
    The axes of lines: `along` lines, the finest last, and `apart`, around them.

    `still` are the operands that may stand still where vectors run.
    """

    rule: Rule
    along: Sequence[Axis]
    apart: Sequence[Axis]
    numbers: tuple[int, ...] = ()
    still: frozenset[str] = field(default_factory=frozenset)

    def still_on(self, axis: Axis) -> tuple[str, ...] | None:
        """Return what stands still along `axis`; None if vectors cannot run there."""
        if axis.extent == 1:
            return ()
        strides = dict(zip(self.rule.moving, axis.strides, strict=True))
        still = tuple(name for name, stride in strides.items() if stride == 0)
        moves = all(stride in (0, 1) for stride in strides.values())
        return still if moves and self.still.issuperset(still) else None

    def plan(
        self, strips: Strips, across: Strips | None
    ) -> tuple[Lines, LinesRow[int], Work]:
        """
        Return the kernel, the row and the work.

        Lanes lie across lines where `across` says how and neighbors allow it; else
        along them if these do; else steps are scalars.
        """
        *inner, axis = self.along or [Axis(1, (0,) * len(self.rule.moving))]
        outer = list(self.apart)
        width: tuple[int, ...] = ()
        chosen, still = Strips(0), ()
        neighbors = self.still_on(outer[-1]) if across and outer else None
        if across and neighbors is not None:
            width, chosen, still = (outer.pop().extent,), across, neighbors
        elif strips.lanes and (on_line := self.still_on(axis)) is not None:
            chosen, still = strips, on_line
        kernel = Lines(*(self.rule, len(outer), len(inner), bool(width), chosen, still))
        row = LinesRow(
            levels_of(outer),
            levels_of(inner),
            Level(axis.extent, axis.strides),
            width,
            self.numbers,
        )
        return kernel, row, _work(kernel, row)


def _work(kernel: Lines, row: LinesRow[int]) -> Work:
    levels = (*row.outer, *row.inner, row.axis)
    elements = prod((*row.width, *(level.extent for level in levels)))
    units = 1
    if row.outer:
        units = row.outer[0].extent
    elif row.width:
        units = -(-row.width[0] // kernel.step)
    elif kernel.rule.INDEPENDENT:
        units = -(-row.axis.extent // kernel.step)
    return Work(units, -(-elements // max(1, units)))
