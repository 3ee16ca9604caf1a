"""Reductions of lines: sums, extremes, norms, and logarithms of these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import f32, f64
from xdsl.ir import Attribute

from glow.codegen.casts import convert, highest, lowest, truncated
from glow.codegen.functions import Combination, combined, exp, fma, log, sqrt
from glow.codegen.values import Value, absolute, select
from glow.lowering.memory_to_loops.kernels.kernel import Operand
from glow.lowering.memory_to_loops.kernels.lines import Line, Rule
from glow.support.types import is_bool, is_float

_SUMS = ("sum", "mean", "l1", "l2", "sum_square", "log_sum", "log_sum_exp")
_ROOTS_AND_LOGARITHMS = ("l2", "log_sum", "log_sum_exp")


@dataclass(frozen=True)
class Reduce(Rule):
    """
    Reduce a line to one element.

    Sums of f32 are sums of f64, so that a million elements do not blur the result.
    """

    NUMBERS: ClassVar = ("count",)

    kind: str
    element: Attribute
    compute: Attribute

    @property
    def name(self) -> str:
        return f"reduce_{self.kind}"

    def operands(self) -> Mapping[str, Operand]:
        return {name: Operand(self.element, self.compute) for name in ("x", "y")}

    @property
    def has_vector_form(self) -> bool:
        """Whether vectors do all of it: roots of integers go through floats."""
        is_whole = not is_float(self.compute)
        return not (is_whole and self.kind in (*_ROOTS_AND_LOGARITHMS, "mean"))

    @property
    def accumulator(self) -> Attribute:
        """The type of partial results."""
        is_sum = self.kind in _SUMS
        if (is_sum and self.compute == f32) or self.kind == "log_sum_exp":
            return f64
        return self.compute

    def line(self, line: Line) -> None:
        peak = None
        if self.kind == "log_sum_exp":
            peak = self._peak(self._extreme(line, "max"))
        if self.kind in ("max", "min"):
            result = self._extreme(line, self.kind)
        else:
            result = self._finished(self._sum(line, peak), line.numbers["count"], peak)
        line.store(result)

    def _extreme(self, line: Line, kind: str) -> Value:
        """Return the greatest or the least element; of bools, any or all."""
        if is_bool(self.compute):
            bound, combination = (0, "or") if kind == "max" else (-1, "and")
        else:
            bound = (lowest if kind == "max" else highest)(self.compute)
            combination = "max" if kind == "max" else "min"
        total = line.total(bound, self.compute)
        for at in line.along(total):
            x = at.load("x", bound)
            total.value = combined(combination, total.value, x)
        return total.result(combination)

    def _sum(self, line: Line, peak: Value | None) -> Value:
        """Return the sum of elements, of powers or magnitudes, or the product."""
        combination: Combination = "mul" if self.kind == "prod" else "add"
        neutral = 1 if self.kind == "prod" else 0
        absent = lowest(self.compute) if peak is not None else neutral
        total = line.total(neutral, self.accumulator)
        for at in line.along(total):
            x = at.load("x", absent)
            if self.kind in ("l2", "sum_square"):
                x = convert(x, self.accumulator)
                total.value = fma(x, x, total.value)
            else:
                term = convert(self._term(x, peak), self.accumulator)
                total.value = combined(combination, total.value, term)
        return total.result(combination)

    def _term(self, x: Value, peak: Value | None) -> Value:
        if self.kind == "l1":
            return absolute(x)
        if peak is None:
            return x
        if not is_float(self.compute):
            x, peak = convert(x, f64), convert(peak, f64)
        return exp(x - peak)

    def _finished(self, total: Value, count: Value, peak: Value | None) -> Value:
        """Return the result of `count` elements."""
        if self.kind == "mean":
            total = total / convert(count, self.accumulator)
        if not is_float(self.compute):
            return self._finished_integer(total, peak)
        total = convert(total, self.compute)
        match self.kind:
            case "l2":
                return sqrt(total)
            case "log_sum":
                return log(total)
            case "log_sum_exp":
                assert peak is not None
                return log(total) + peak
            case _:
                return total

    def _finished_integer(self, total: Value, peak: Value | None) -> Value:
        """Take roots and logarithms in f64, and truncate."""
        if self.kind not in _ROOTS_AND_LOGARITHMS:
            return total
        total = convert(total, f64)
        total = sqrt(total) if self.kind == "l2" else log(total)
        if peak is not None:
            total = total + convert(peak, f64)
        return truncated(total, self.compute)

    def _peak(self, greatest: Value) -> Value:
        """Return what exponents are relative to: the maximum, 0 if it is infinite."""
        if not is_float(self.compute):
            return greatest
        return select(absolute(greatest) < float("inf"), greatest, 0)
