"""Positions and weights of a resized axis whose region is known at run time only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from xdsl.dialects import math
from xdsl.dialects.builtin import f32, f64, i32, i64
from xdsl.ir import Attribute

from glow.codegen.casts import convert, truncated
from glow.codegen.functions import function, maximum, minimum
from glow.codegen.loops import N, loop
from glow.codegen.values import Value, absolute, select
from glow.dialects.graph.interpolation import HALF_WAY, Interpolation
from glow.lowering.memory_to_loops.kernels.kernel import Call, Kernel

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

    def write(self, call: Call, row: CropTapsRow[Value]) -> None:
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


def number_of(element: Attribute) -> Attribute:
    """Return the type in which coordinates of elements of this type are computed."""
    return f64 if element == f64 else f32
