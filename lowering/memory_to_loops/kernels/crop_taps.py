"""Positions and weights of a resized axis whose region is known at run time only."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, func, math
from xdsl.dialects.builtin import f32, f64, i32, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from glow.dialects.graph.interpolation import HALF_WAY, Interpolation
from glow.lowering.memory_to_loops.builder import (
    INDEX,
    OFFSETS,
    TABLE,
    Body,
    flat,
    function,
)
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.nest import Row
from glow.lowering.memory_to_loops.kernels.numbers import Numbers

Values = list[SSAValue]


@dataclass(frozen=True)
class CropTaps(Kernel):
    """
    Write the tables of one axis that `Resize` reads, as `Interpolation` defines them.

    A record of positions begins with 1 where the place is inside of the input. Numbers
    are of type `number`; so are weights, which the nearest elements lack.
    Row: extent, places and stride of the axis, where its start and its end are in the
    region, where its positions and its weights begin.
    """

    region: Attribute
    number: Attribute
    how: Interpolation
    is_one: bool

    @property
    def prefix(self) -> str:
        return "crop_taps"

    def build(self) -> FuncOp:
        arguments: list[tuple[str, Attribute]] = [("roi", flat(self.region))]
        arguments.append(("positions", OFFSETS))
        arguments += [("weights", flat(self.number))] * (self.how.mode != "nearest")
        arguments += [("rows", TABLE), ("at", INDEX)]
        op, b, args = function(self.symbol, arguments)
        row = Row(b, args)
        extent, places = row.next("extent"), row.next("places")
        whole = Numbers(b, i64)
        stride = whole.of_index(row.next("stride"))
        ends = [self._read(b, args["roi"], row.next("end")) for _ in range(2)]
        positions, weights = row.next("positions"), row.next("weights")
        n = Numbers(b, self.number)
        last = n.of_index(b.difference(extent, b.const(1)))
        steps = n.of_index(b.difference(places, b.const(1)))

        def place(b: Body, i: SSAValue) -> None:
            n = Numbers(b, self.number)
            at = self._coordinate(n, n.of_index(i), ends, last, steps)
            taps = self._taps(n, at, last)
            length = len(taps)
            record = b.sum(positions, b.product(i, length + 1))
            b.store(_is_inside(n, at, last), args["positions"], record)
            for k, (position, weight) in enumerate(taps):
                found = n.truncated(_held(n, position, last), i64)
                found = Numbers(b, i64).mul(found, stride)
                narrow = arith.TruncIOp.create(operands=[found], result_types=[i32])
                b.store(b.add(narrow), args["positions"], b.sum(record, k + 1))
                if weight is not None:
                    entry = b.sum(weights, b.product(i, length))
                    b.store(weight, args["weights"], b.sum(entry, k))

        b.each(0, places, place)
        b.do(func.ReturnOp())
        return op

    def _read(self, b: Body, roi: SSAValue, at: SSAValue) -> SSAValue:
        found = b.load(roi, at)
        if self.region == self.number:
            return found
        convert = arith.ExtFOp if self.number == f64 else arith.TruncFOp
        return b.add(convert.create(operands=[found], result_types=[self.number]))

    def _coordinate(
        self, n: Numbers, x: SSAValue, ends: Values, last: SSAValue, steps: SSAValue
    ) -> SSAValue:
        start, end = ends
        if self.is_one:
            return n.mul(n.mul(n.const(0.5), n.add(start, end)), last)
        moved = n.div(n.mul(n.mul(x, n.sub(end, start)), last), steps)
        return n.add(n.mul(start, last), moved)

    def _taps(
        self, n: Numbers, at: SSAValue, last: SSAValue
    ) -> list[tuple[SSAValue, SSAValue | None]]:
        """Return positions, some beyond the ends of the input, and their weights."""
        if self.how.mode == "nearest":
            return [(self._rounded(n, at), None)]
        if self.how.mode == "linear":
            return self._linear(n, at, last)
        return self._cubic(n, at, last)

    def _rounded(self, n: Numbers, at: SSAValue) -> SSAValue:
        below, above = n.function(math.FloorOp, at), n.function(math.CeilOp, at)
        beyond = n.sub(n.sub(at, below), n.const(0.5))
        match self.how.rounding:
            case "floor":
                return below
            case "ceil":
                return above
            case "round_prefer_ceil":
                is_below = n.compare("lt", beyond, n.const(-HALF_WAY))
                return n.select(is_below, below, above)
            case _:
                is_above = n.compare("gt", beyond, n.const(HALF_WAY))
                return n.select(is_above, above, below)

    def _linear(
        self, n: Numbers, at: SSAValue, last: SSAValue
    ) -> list[tuple[SSAValue, SSAValue | None]]:
        at = _held(n, at, last)
        first = n.function(math.FloorOp, at)
        second = n.minimum(n.add(first, n.const(1)), last)
        is_end, half = n.compare("eq", first, second), n.const(0.5)
        return [
            (first, n.select(is_end, half, n.sub(second, at))),
            (second, n.select(is_end, half, n.sub(at, first))),
        ]

    def _cubic(
        self, n: Numbers, at: SSAValue, last: SSAValue
    ) -> list[tuple[SSAValue, SSAValue | None]]:
        first, zero = n.function(math.FloorOp, at), n.const(0)
        positions = [n.add(first, n.const(k)) for k in range(-1, 3)]
        weights = [self._curve(n, n.abs(n.sub(at, p))) for p in positions]
        if self.how.exclude_outside:
            for k, position in enumerate(positions):
                held = _held(n, position, last)
                is_inside = n.compare("eq", position, held)
                weights[k] = n.select(is_inside, weights[k], zero)
            total = n.add(n.add(weights[0], weights[1]), n.add(weights[2], weights[3]))
            total = n.select(n.compare("eq", total, zero), n.const(1), total)
            weights = [n.div(weight, total) for weight in weights]
        return list(zip(positions, weights, strict=True))

    def _curve(self, n: Numbers, x: SSAValue) -> SSAValue:
        """Return the weight of what lies at distance `x`, by Keys' convolution."""
        a = self.how.cubic_coeff_a
        near = n.sub(n.mul(n.const(a + 2), x), n.const(a + 3))
        near = n.add(n.mul(n.mul(near, x), x), n.const(1))
        far = n.sub(n.mul(n.const(a), x), n.const(5 * a))
        far = n.add(n.mul(far, x), n.const(8 * a))
        far = n.sub(n.mul(far, x), n.const(4 * a))
        is_far = n.compare("lt", x, n.const(2))
        outer = n.select(is_far, far, n.const(0))
        return n.select(n.compare("le", x, n.const(1)), near, outer)


def _held(n: Numbers, value: SSAValue, last: SSAValue) -> SSAValue:
    """Return `value` between 0 and `last`."""
    return n.minimum(n.maximum(value, n.const(0)), last)


def _is_inside(n: Numbers, at: SSAValue, last: SSAValue) -> SSAValue:
    """Return 1 where `at` is neither before the first nor behind the last element."""
    ends = n.compare("ge", at, n.const(0)), n.compare("le", at, last)
    both = n.b.binary(arith.AndIOp, *ends)
    return n.b.add(arith.ExtUIOp.create(operands=[both], result_types=[i32]))


def number_of(element: Attribute) -> Attribute:
    """Return the type in which coordinates of elements of this type are computed."""
    return f64 if element == f64 else f32
