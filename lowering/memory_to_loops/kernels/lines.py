"""Rules of single lines along an axis: what kernels of `line_kernels` write."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute

from glow.codegen.casts import convert
from glow.codegen.loops import Level, Var, loop, nest
from glow.codegen.memory import SCALAR, Strip
from glow.codegen.strips import Strips, Total
from glow.codegen.values import Value, broadcast, index, joined, lane_numbers
from glow.lowering.memory_to_loops.kernels.kernel import Call
from glow.lowering.memory_to_loops.kernels.library_function import in_words
from glow.support.costs import Costs


@dataclass(frozen=True)
class Rule(ABC):
    """
    The meaning of an op on one line; it is part of a kernel's key.

    Of the operands that move, it touches no elements but those of the line.
    """

    INDEPENDENT: ClassVar[bool] = False
    """Whether elements of a line are apart, so that a line may be cut into pieces."""
    MOVING: ClassVar[tuple[str, ...]] = ("x", "y")
    """The operands, and counters that are no memory, that loops advance."""
    NUMBERS: ClassVar[tuple[str, ...]] = ()
    """Further integers of the row that a line is given, by name."""

    def per_ns(self, costs: Costs) -> float:
        """Return how many elements of lines vectors compute in a nanosecond."""
        return costs.elements_per_ns

    @property
    def name(self) -> str:
        """The start of the kernel's symbol."""
        return in_words(self)

    @property
    def moving(self) -> tuple[str, ...]:
        """`MOVING`, in the order of a row, or what takes its place."""
        return self.MOVING

    @abstractmethod
    def line(self, line: Line) -> None:
        """Write the code of a line, or of one line per lane."""


@dataclass(frozen=True)
class Spot:
    """One step along a line: where each operand is, and how many elements wide."""

    line: Line
    i: Value
    strip: Strip
    starts: Mapping[str, Value]
    hoisted: Mapping[tuple[str, int], Value]

    def load(self, operand: str = "x", otherwise: float = 0) -> Value:
        """Load elements; lanes beyond the end of the line are `otherwise`."""
        if (operand, self.strip.lanes) in self.hoisted:
            return self.strip.spread(self.hoisted[operand, self.strip.lanes])
        memory, place = self.line.call[operand], self.place(operand)
        if operand in self.line.still:
            return self.strip.spread(memory[place])
        if self.strip.lanes and operand in self.line.pitches:
            return memory.gather(place, self.line.apart(operand, self.strip))
        return memory.load(place, self.strip, otherwise)

    def store(self, value: Value | float, operand: str = "y") -> None:
        """Store elements."""
        memory = self.line.call[operand]
        if not isinstance(value, Value):
            value = self.strip.constant(value, memory.compute)
        self.line.put(value, operand, self.place(operand), self.strip)

    def numbers(self, element: Attribute) -> Value:
        """Return the positions of the elements in their line, as integers."""
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
    operands that do not move from lane to lane, `pitches` the moves of those that move
    by more than an element.
    """

    rule: Rule
    call: Call[Any]
    starts: Mapping[str, Value]
    inner: tuple[Level[Value], ...]
    axis: Level[Value]
    strips: Strips
    numbers: Mapping[str, Value]
    still: tuple[str, ...] = ()
    across: Strip | None = None
    bounds: tuple[Value, Value] | None = None
    pitches: Mapping[str, Value] = field(default_factory=dict[str, Value])

    @property
    def lanes(self) -> Strip:
        """The strip of values of which each line has one."""
        return self.across or SCALAR

    @property
    def compute(self) -> Attribute:
        """The type that elements of x are computed in."""
        return self.call["x"].compute

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
        """Store values of which each line has one."""
        self.put(value, operand, self.starts[operand], self.lanes)

    def put(self, value: Value, operand: str, place: Value, strip: Strip) -> None:
        """Store the lanes of `strip`, the first at `place`."""
        if strip.lanes and operand in self.pitches:
            self.call[operand].scatter(value, place, self.pitches[operand])
        else:
            self.call[operand].store(value, place, strip)

    def apart(self, operand: str, strip: Strip) -> Value:
        """Return how far behind the first each lane is."""
        pitch = convert(self.pitches[operand], i32)
        numbers = lane_numbers(i32, strip.lanes)
        steps = range(0, strip.size, strip.lanes)
        return joined([(numbers + step) * pitch for step in steps])

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
            yield from self.strips.along(last, *totals, start=first, nonempty=nonempty)
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
