"""Softmax and its logarithm: the maximum, the sum of exponentials, the quotient."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.ir import Attribute

from glow.codegen.casts import lowest
from glow.codegen.exponential import exponential
from glow.codegen.functions import larger, log
from glow.lowering.memory_to_loops.kernels.kernel import Operand
from glow.lowering.memory_to_loops.kernels.lines import Line, Rule


@dataclass(frozen=True)
class Softmax(Rule):
    """Softmax of a line; with `log`, its logarithm."""

    element: Attribute
    compute: Attribute
    log: bool

    @property
    def name(self) -> str:
        return "log_softmax" if self.log else "softmax"

    @property
    def is_stored(self) -> bool:
        """Whether exponentials wait in the result: a narrow type would round them."""
        return not self.log and self.element == self.compute

    def operands(self) -> Mapping[str, Operand]:
        return {name: Operand(self.element, self.compute) for name in ("x", "y")}

    def line(self, line: Line) -> None:
        least = lowest(self.compute)
        peaks = line.total(least, self.compute)
        for at in line.along(peaks):
            peaks.value = larger(peaks.value, at.load("x", least))
        peak = peaks.result("larger")

        powers = line.total(0, self.compute)
        for at in line.along(powers):
            power = exponential(at.load("x", least) - peak)
            if self.is_stored:
                at.store(power)
            powers.value += power
        # An infinite or undefined maximum makes it NaN, as ONNX Runtime has it.
        total = powers.result("add") + (peak - peak)

        if self.log:
            whole = log(total)
            for at in line.along():
                at.store(at.load("x") - peak - whole)
            return
        factor = 1 / total
        for at in line.along():
            power = at.load("y") if self.is_stored else exponential(at.load("x") - peak)
            at.store(power * factor)
