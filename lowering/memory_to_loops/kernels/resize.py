"""Weighted sums of elements that tables name; tables of regions known at run time."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Generic

from xdsl.dialects import math
from xdsl.dialects.builtin import i32, i64

from glow.codegen.casts import convert, truncated
from glow.codegen.conditions import select
from glow.codegen.functions import fma, function, maximum, minimum
from glow.codegen.loops import Level, N, Var, loop, moved, nest
from glow.codegen.memory import SCALAR, Strip
from glow.codegen.strips import Strips
from glow.codegen.values import Value, absolute, index
from glow.dialects.graph.interpolation import HALF_WAY, Interpolation
from glow.lowering.memory_to_loops.kernels.kernel import Call, Kernel
from glow.support.costs import Costs


@dataclass(frozen=True)
class ResizedAxis(Generic[N]):
    """A resized axis: places, stride of the result, where its tables begin, taps."""

    places: N
    result: N
    positions: N
    weights: N
    taps: N


@dataclass(frozen=True)
class ResizeRow(Generic[N]):
    """Loops around images, the resized axes, the innermost axis if it is not one."""

    outer: tuple[Level[N], ...]
    axes: tuple[ResizedAxis[N], ...]
    inner: tuple[Level[N], ...]


@dataclass(frozen=True)
class _Tap:
    """The place of an element, and its weight: None for 1."""

    at: Value
    weight: Value | None = None

    def __add__(self, other: _Tap) -> _Tap:
        """Return the element that is as far on, with the product of both weights."""
        at = self.at + other.at
        if self.weight is None or other.weight is None:
            return _Tap(at, self.weight or other.weight)
        return _Tap(at, self.weight * other.weight)


@dataclass(frozen=True)
class _Record:
    """The taps of a place along an axis: how many, and where the tables have them."""

    count: Value
    position: Value
    weight: Value


@dataclass(frozen=True)
class Resize(Kernel):
    """
    Sum up, for each place of the result, elements of the input by weights.

    `taps` says how many per axis, and 0 that the row does. Where nothing is `weighted`,
    there is one. Where places may be `partial`, a record of positions begins with 1 or
    0: whether the place is computed. If `unit`, places of the last axis are neighbors.
    Unit: a place along the first resized axis, in each image.
    Units: positions count elements of the source from its start.
    """

    taps: tuple[int, ...]
    weighted: bool
    partial: bool
    unit: bool
    strips: Strips

    def per_ns(self, costs: Costs) -> float:
        return costs.resized_per_ns if self.strips.lanes else costs.scalars_per_ns

    def write(self, call: Call[ResizeRow[Value]]) -> None:
        for source, result in nest(call.row.outer, 2):
            _Writer(self, call).axis(0, result, [_Tap(source)], [])


@dataclass(frozen=True)
class _Writer:
    """Writes loops over places, and the sum in each of them."""

    kernel: Resize
    call: Call[ResizeRow[Value]]

    def axis(
        self, index: int, result: Value, taps: list[_Tap], records: list[_Record]
    ) -> None:
        """Write a loop over the places of axis `index` and of those inside it."""
        if index == len(self.call.row.axes):
            self._line(result, taps, records)
            return
        axis, count = self.call.row.axes[index], self.kernel.taps[index]
        first, end = self.call.range if index == 0 else (0, axis.places)
        is_unit = index + 1 == len(self.call.row.axes) and self.kernel.unit
        for i in loop(first, end, nonempty=True):
            at = result + (i if is_unit else i * axis.result)
            for record in self._records(axis, count, i):
                if count:
                    own = [self._tap(record, k) for k in range(count)]
                    spread = [tap + other for tap in taps for other in own]
                    self.axis(index + 1, at, spread, [])
                else:
                    self.axis(index + 1, at, taps, [*records, record])

    def _records(
        self, axis: ResizedAxis[Value], count: int, i: Value
    ) -> Generator[_Record]:
        """Yield the record of place i, inside a condition if it may be left out."""
        partial = int(self.kernel.partial)
        length = index(count) if count else axis.taps
        start = axis.positions + i * (length + partial)
        record = _Record(length, start + partial, axis.weights + i * length)
        if not partial:
            yield record
            return
        for _ in loop(0, self.call["positions"][start]):
            yield record

    def _tap(self, record: _Record, i: Value | int) -> _Tap:
        at = self.call["positions"][record.position + i]
        if not self.kernel.weighted:
            return _Tap(at)
        return _Tap(at, self.call["weights"][record.weight + i])

    def _line(
        self, result: Value, taps: Sequence[_Tap], records: Sequence[_Record]
    ) -> None:
        """Write the computation of a place, along the innermost axis if there is."""
        y = self.call["y"]
        if not self.call.row.inner:
            y.store(self._summed(taps, records, SCALAR), result)
            return
        (inner,) = self.call.row.inner
        strips = self.kernel.strips
        for i, strip in strips.along(inner.extent, nonempty=True):
            source, to = (i, i) if strips.lanes else moved(None, i, inner)
            there = [_Tap(tap.at + source, tap.weight) for tap in taps]
            y.store(self._summed(there, records, strip), result + to, strip)

    def _summed(
        self, taps: Sequence[_Tap], records: Sequence[_Record], strip: Strip
    ) -> Value:
        if not records:
            total = None
            for tap in taps:
                total = self._added(total, tap, strip)
            assert total is not None
            return total
        (start,) = taps
        total = Var(strip.constant(0, self.call["x"].compute))
        self._looped(start, records, total, strip)
        return total.value

    def _looped(
        self, start: _Tap, records: Sequence[_Record], total: Var, strip: Strip
    ) -> None:
        if not records:
            total.value = self._added(total.value, start, strip)
            return
        record, *rest = records
        for i in loop(0, record.count, total, nonempty=True):
            self._looped(start + self._tap(record, i), rest, total, strip)

    def _added(self, total: Value | None, tap: _Tap, strip: Strip) -> Value:
        """Return `total`, None at first, with an element added."""
        value = self.call["x"].load(tap.at, strip)
        if tap.weight is None:
            return value
        weight = strip.spread(tap.weight)
        return value * weight if total is None else fma(value, weight, total)


TapValues = list[tuple[Value, Value | None]]
"""Positions, some beyond the ends of the input, and their weights."""


@dataclass(frozen=True)
class CropTapsRow(Generic[N]):
    """
    An axis: its extent, places and stride, and where in buffers is what.

    `start` and `end` are in the region; positions and weights begin at those numbers.
    """

    extent: N
    places: N
    stride: N
    start: N
    end: N
    positions: N
    weights: N


@dataclass(frozen=True)
class CropTaps(Kernel):
    """
    Write the tables of one axis that `Resize` reads, as `Interpolation` defines them.

    A record of positions begins with 1 where the place is inside of the input. The
    nearest elements lack weights.
    Unit: a place.
    """

    how: Interpolation
    is_one: bool

    def write(self, call: Call[CropTapsRow[Value]]) -> None:
        row = call.row
        stride = convert(row.stride, i64)
        ends = call["roi"][row.start], call["roi"][row.end]
        number = call["roi"].compute
        last = convert(row.extent - 1, number)
        steps = convert(row.places - 1, number)
        for i in loop(*call.range):
            at = self._coordinate(convert(i, number), ends, last, steps)
            taps = self._taps(at, last)
            record = row.positions + i * (len(taps) + 1)
            is_inside = (at >= 0) & (at <= last)
            call["positions"][record] = convert(is_inside, i32)
            for k, (position, weight) in enumerate(taps):
                offset = truncated(_held(position, last), i64) * stride
                call["positions"][record + (k + 1)] = convert(offset, i32)
                if weight is not None:
                    entry = row.weights + i * len(taps)
                    call["weights"][entry + k] = weight

    def _coordinate(
        self, x: Value, ends: tuple[Value, Value], last: Value, steps: Value
    ) -> Value:
        start, end = ends
        if self.is_one:
            return 0.5 * (start + end) * last
        return start * last + x * (end - start) * last / steps

    def _taps(self, at: Value, last: Value) -> TapValues:
        if self.how.mode == "nearest":
            return [(self._rounded(at), None)]
        if self.how.mode == "linear":
            return self._linear(at, last)
        return self._cubic(at, last)

    def _rounded(self, at: Value) -> Value:
        below, above = function(math.FloorOp, at), function(math.CeilOp, at)
        beyond = at - below - 0.5
        match self.how.rounding:
            case "floor":
                return below
            case "ceil":
                return above
            case "round_prefer_ceil":
                return select(beyond < -HALF_WAY, below, above)
            case _:
                return select(beyond > HALF_WAY, above, below)

    def _linear(self, at: Value, last: Value) -> TapValues:
        at = _held(at, last)
        first = function(math.FloorOp, at)
        second = minimum(first + 1, last)
        is_end = first == second
        return [
            (first, select(is_end, 0.5, second - at)),
            (second, select(is_end, 0.5, at - first)),
        ]

    def _cubic(self, at: Value, last: Value) -> TapValues:
        first = function(math.FloorOp, at)
        positions = [first + k for k in range(-1, 3)]
        weights = [self._curve(absolute(at - p)) for p in positions]
        if self.how.exclude_outside:
            for k, position in enumerate(positions):
                is_inside = position == _held(position, last)
                weights[k] = select(is_inside, weights[k], 0)
            total = weights[0] + weights[1] + (weights[2] + weights[3])
            total = select(total == 0, 1, total)
            weights = [weight / total for weight in weights]
        return list(zip(positions, weights, strict=True))

    def _curve(self, x: Value) -> Value:
        """Return the weight of what lies at distance `x`, by Keys' convolution."""
        a = self.how.cubic_coeff_a
        near = ((a + 2) * x - (a + 3)) * x * x + 1
        far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
        return select(x <= 1, near, select(x < 2, far, 0))


def _held(value: Value, last: Value) -> Value:
    """Return `value` between 0 and `last`."""
    return minimum(maximum(value, 0), last)
