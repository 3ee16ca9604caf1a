"""What reductions do with each element, with partial results, and at the end."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import f32, f64
from xdsl.ir import Attribute, SSAValue

from glow.lowering.memory_to_loops.builder import Body, vector_of
from glow.lowering.memory_to_loops.kernels.numbers import Numbers, highest, lowest
from glow.support.types import is_bool, is_float, is_unsigned

_SUMS = ("sum", "mean", "l1", "l2", "sum_square", "log_sum", "log_sum_exp")
_ROOTS_AND_LOGARITHMS = ("l2", "log_sum", "log_sum_exp")


@dataclass(frozen=True)
class Reduction:
    """
    A kind of reduction of elements of one type.

    Sums of f32 are sums of f64, so that a million elements do not blur the result.
    """

    kind: str
    element: Attribute

    @property
    def has_vector_form(self) -> bool:
        """Whether vectors do all of it: roots of integers go through floats."""
        is_whole = not is_float(self.element)
        return not (is_whole and self.kind in (*_ROOTS_AND_LOGARITHMS, "mean"))

    @property
    def accumulator(self) -> Attribute:
        """The type of partial results."""
        is_sum = self.kind in _SUMS
        if (is_sum and self.element == f32) or self.kind == "log_sum_exp":
            return f64
        return self.element

    @property
    def neutral(self) -> float:
        """What partial results start from."""
        match self.kind:
            case "prod":
                return 1
            case "max":
                return 0 if is_bool(self.element) else lowest(self.element)
            case "min":
                return -1 if is_bool(self.element) else highest(self.element)
            case _:
                return 0

    @property
    def absent(self) -> float:
        """An element that changes no result: what lanes that are masked off hold."""
        is_exp = self.kind == "log_sum_exp"
        return lowest(self.element) if is_exp else self.neutral

    def numbers(self, b: Body, lanes: int) -> Numbers:
        """Return arithmetic on partial results."""
        return Numbers(b, self.accumulator, lanes)

    def add(
        self,
        b: Body,
        found: SSAValue,
        element: SSAValue,
        lanes: int,
        peak: SSAValue | None,
    ) -> SSAValue:
        """Return partial result `found` with one more element, or one per lane."""
        n = self.numbers(b, lanes)
        match self.kind:
            case "l1":
                plain = Numbers(b, self.element, lanes)
                return n.add(found, self._widened(b, plain.abs(element), lanes))
            case "l2" | "sum_square":
                wide = self._widened(b, element, lanes)
                return n.fma(wide, wide, found)
            case "log_sum_exp":
                assert peak is not None
                power = self._power(b, element, peak, lanes)
                return n.add(found, power)
            case _:
                return self.join(b, found, self._widened(b, element, lanes), lanes)

    def join(self, b: Body, x: SSAValue, y: SSAValue, lanes: int) -> SSAValue:
        """Return one partial result for two."""
        n = self.numbers(b, lanes)
        match self.kind:
            case "prod":
                return n.mul(x, y)
            case "max" if is_bool(self.element):
                return b.binary(arith.OrIOp, x, y)
            case "min" if is_bool(self.element):
                return b.binary(arith.AndIOp, x, y)
            case "max":
                return n.maximum(x, y)
            case "min":
                return n.minimum(x, y)
            case _:
                return n.add(x, y)

    def across(self, b: Body, value: SSAValue) -> SSAValue:
        """Return one partial result for all lanes of a vector."""
        return self.numbers(b, 0).across(self._combining(), value)

    def _combining(self) -> vector.CombiningKindFlag:
        flags = vector.CombiningKindFlag
        match self.kind:
            case "prod":
                return flags.MUL
            case "max" if is_bool(self.element):
                return flags.OR
            case "min" if is_bool(self.element):
                return flags.AND
            case "max" if is_float(self.element):
                return flags.MAXIMUMF
            case "min" if is_float(self.element):
                return flags.MINIMUMF
            case "max":
                return flags.MAXUI if is_unsigned(self.element) else flags.MAXSI
            case "min":
                return flags.MINUI if is_unsigned(self.element) else flags.MINSI
            case _:
                return flags.ADD

    def finish(
        self,
        b: Body,
        found: SSAValue,
        lanes: int,
        count: SSAValue,
        peak: SSAValue | None,
    ) -> SSAValue:
        """Return the result of `count` elements."""
        n = self.numbers(b, lanes)
        if self.kind == "mean":
            found = n.div(found, n.spread(n.of_index(count)))
        if not is_float(self.element):
            return self._finish_integer(b, found, peak)
        found = self._narrowed(b, found, lanes)
        n = Numbers(b, self.element, lanes)
        match self.kind:
            case "l2":
                return n.function(math.SqrtOp, found)
            case "log_sum":
                return n.function(math.LogOp, found)
            case "log_sum_exp":
                assert peak is not None
                return n.add(n.function(math.LogOp, found), peak)
            case _:
                return found

    def _finish_integer(
        self, b: Body, found: SSAValue, peak: SSAValue | None
    ) -> SSAValue:
        """Take roots and logarithms in f64, and truncate."""
        if self.kind not in _ROOTS_AND_LOGARITHMS:
            return found
        n = Numbers(b, f64)
        if self.accumulator != f64:
            found = n.of_integer(found, self.element)
        root = math.SqrtOp if self.kind == "l2" else math.LogOp
        found = n.function(root, found)
        if peak is not None:
            found = n.add(found, n.of_integer(peak, self.element))
        return n.truncated(found, self.element)

    def _widened(self, b: Body, value: SSAValue, lanes: int) -> SSAValue:
        if self.accumulator == self.element:
            return value
        wide = vector_of(f64, lanes) if lanes else f64
        return b.add(arith.ExtFOp.create(operands=[value], result_types=[wide]))

    def _narrowed(self, b: Body, value: SSAValue, lanes: int) -> SSAValue:
        if self.accumulator == self.element:
            return value
        type_ = vector_of(self.element, lanes) if lanes else self.element
        return b.add(arith.TruncFOp.create(operands=[value], result_types=[type_]))

    def _power(
        self, b: Body, element: SSAValue, peak: SSAValue, lanes: int
    ) -> SSAValue:
        """Return exp(element - peak) as a partial result."""
        if not is_float(self.element):
            n = Numbers(b, f64)
            x, y = (n.of_integer(value, self.element) for value in (element, peak))
            return n.function(math.ExpOp, n.sub(x, y))
        n = Numbers(b, self.element, lanes)
        power = n.function(math.ExpOp, n.sub(element, peak))
        return self._widened(b, power, lanes)

    def peak(self, b: Body, found: SSAValue, lanes: int) -> SSAValue:
        """Return what exponents are taken relative to: the maximum if it is finite."""
        if not is_float(self.element):
            return found
        n = Numbers(b, self.element, lanes)
        is_finite = n.compare("lt", n.abs(found), n.const(float("inf")))
        return n.select(is_finite, found, n.const(0))
