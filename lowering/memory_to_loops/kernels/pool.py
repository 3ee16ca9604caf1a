"""Pools: the greatest, the mean or the norm of what a sliding window covers."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Generic

from glow.codegen.casts import convert, lowest
from glow.codegen.functions import fma, maximum, power, sqrt
from glow.codegen.loops import Level, N, Var, loop, moved, nest
from glow.codegen.memory import Memory, Strip, Strips
from glow.codegen.values import Value, absolute, compare_floats, constant, index, select
from glow.lowering.memory_to_loops.kernels.kernel import Call, Kernel
from glow.support.types import is_float

WINDOW_FIELDS = 3
"""Per window: its first position in the input, its positions there, its divisor."""


@dataclass(frozen=True)
class SpatialAxis(Generic[N]):
    """
    The windows along one axis.

    Row: places (extent, strides), where their windows start in the table, the strides
    of a position and of a tap of the operands that windows slide over.
    """

    places: Level[N]
    table: N
    positions: tuple[N, ...]
    taps: tuple[N, ...]


@dataclass(frozen=True)
class WindowsRow(Generic[N]):
    """
    Images, their windows and their channels.

    Operands come in the order: those that windows slide over, then others.
    """

    batch: Level[N]
    axes: tuple[SpatialAxis[N], ...]
    channels: Level[N]


@dataclass(frozen=True)
class Window:
    """Where operands stand for one window, and the loops over what it reads."""

    offsets: list[Value]
    taps: tuple[Level[Value], ...] = ()
    divisor: Value | None = None


@dataclass(frozen=True)
class _Windows(Kernel):
    """
    A kernel on windows that slide along spatial axes, clipped to the input.

    Unit: a place along the first spatial axis, in each image.
    """

    def windows(self, call: Call, row: WindowsRow[Value]) -> Generator[Window]:
        """Write loops over windows, channels not among them."""
        first, *others = row.axes
        for image in nest([row.batch], len(row.batch.strides)):
            for i in loop(call.begin, call.end, nonempty=True):
                window = _placed(call["windows"], Window(image), first, i)
                yield from _slide(call["windows"], others, window)


def _slide(
    table: Memory, axes: list[SpatialAxis[Value]], window: Window
) -> Generator[Window]:
    if not axes:
        yield window
        return
    axis, *inner = axes
    for i in loop(0, axis.places.extent, nonempty=True):
        yield from _slide(table, inner, _placed(table, window, axis, i))


def _placed(
    table: Memory, window: Window, axis: SpatialAxis[Value], i: Value
) -> Window:
    """Return `window` with its place along one more axis."""
    entry = axis.table + i * WINDOW_FIELDS
    first, count, divisor = (table[entry + field] for field in range(WINDOW_FIELDS))
    offsets = moved(window.offsets, i, axis.places)
    for k, step in enumerate(axis.positions):
        offsets[k] = offsets[k] + first * step
    if window.divisor is not None:
        divisor = window.divisor * divisor
    return Window(offsets, (*window.taps, Level(count, axis.taps)), divisor)


@dataclass(frozen=True)
class Pool(_Windows):
    """Reduce each window to one element per channel, by `kind`: max, avg or lp."""

    kind: str
    strips: Strips
    p: int = 2

    @property
    def prefix(self) -> str:
        return f"{self.kind}_pool"

    def write(self, call: Call, row: WindowsRow[Value]) -> None:
        for window in self.windows(call, row):
            divisor = None
            if self.kind == "avg" and window.divisor is not None:
                divisor = convert(window.divisor, call["x"].compute)
            for i, strip in self.strips.along(row.channels.extent, nonempty=True):
                starts = [offset + i for offset in window.offsets]
                if not self.strips.lanes:
                    starts = moved(window.offsets, i, row.channels)
                source, result = starts
                total = self._reduced(call["x"], source, window, strip)
                call["y"].store(self._finished(total, divisor), result, strip)

    def _reduced(self, x: Memory, at: Value, window: Window, strip: Strip) -> Value:
        start = lowest(x.compute) if self.kind == "max" else 0
        total = Var(strip.constant(start, x.compute))
        for place in nest(window.taps, 1, total, starts=[at], nonempty=False):
            total.value = self._combined(total.value, x.load(place[0], strip))
        return total.value

    def _combined(self, total: Value, value: Value) -> Value:
        match self.kind, self.p:
            case "max", _:
                return maximum(total, value)
            case "avg", _:
                return total + value
            case "lp", 1:
                return total + absolute(value)
            case "lp", 2:
                return fma(value, value, total)
            case _:
                return total + power(absolute(value), self.p)

    def _finished(self, value: Value, divisor: Value | None) -> Value:
        if divisor is not None:
            return value / divisor
        if self.kind != "lp" or self.p == 1:
            return value
        return sqrt(value) if self.p == 2 else power(value, 1 / self.p)


@dataclass(frozen=True)
class MaxPoolIndices(_Windows):
    """
    The greatest element of each window, and which one of the input it is.

    Operands of the row are the input, the numbers of its elements, the result, the
    indices.
    """

    def write(self, call: Call, row: WindowsRow[Value]) -> None:
        for window in self.windows(call, row):
            for i in loop(0, row.channels.extent, nonempty=True):
                starts = moved(window.offsets, i, row.channels)
                at, number, result, place = starts
                greatest, where = self._greatest(call["x"], [at, number], window)
                call["y"][result] = greatest
                call["indices"][place] = where

    def _greatest(
        self, x: Memory, starts: list[Value], window: Window
    ) -> tuple[Value, Value]:
        """Return the greatest element, the first of equal ones or of NaN, and where."""
        greatest = Var(constant(lowest(x.compute), x.compute))
        where = Var(index(-1))
        carried = (greatest, where)
        for at, number in nest(window.taps, 2, *carried, starts=starts, nonempty=False):
            value = x[at]
            is_better = (where.value < 0) | _is_greater(value, greatest.value)
            greatest.value = select(is_better, value, greatest.value)
            where.value = select(is_better, number, where.value)
        return greatest.value, where.value


def _is_greater(value: Value, than: Value) -> Value:
    """NaN is greater than any number, and nothing is greater than NaN."""
    if not is_float(value.element):
        return value > than
    return compare_floats("ugt", value, than) & compare_floats("ord", than, than)
