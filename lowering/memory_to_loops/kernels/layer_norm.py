"""Normalization of lines: statistics, then the result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Attribute

from glow.codegen.casts import convert
from glow.codegen.functions import fma, sqrt
from glow.codegen.values import Value
from glow.lowering.memory_to_loops.kernels.kernel import Operand
from glow.lowering.memory_to_loops.kernels.lines import Line, Rule, Spot


@dataclass(frozen=True)
class Norm(Rule):
    """
    (x - mean) / sqrt(variance + epsilon) * scale + bias; uncentered, the mean is 0.

    `given` are the operands after input and result, out of scale, bias, mean and
    inverse (one over the standard deviation) in this order.
    """

    NUMBERS: ClassVar = ("count",)

    elements: tuple[Attribute, ...]
    compute: Attribute
    epsilon: float
    centered: bool
    given: tuple[str, ...]

    @property
    def name(self) -> str:
        return "layer_norm" if self.centered else "rms_norm"

    def operands(self) -> Mapping[str, Operand]:
        names = ("x", "y", *self.given)
        return {
            name: Operand(element, self.compute)
            for name, element in zip(names, self.elements, strict=True)
        }

    def line(self, line: Line) -> None:
        count = convert(line.numbers["count"], self.compute)
        mean = self._mean(line, count) if self.centered else None
        squares = line.total(0, self.compute)
        for at in line.along(squares):
            x = at.load()
            if mean is not None:
                x = at.strip.cleared(x - mean)
            squares.value = fma(x, x, squares.value)
        inverse = 1 / sqrt(squares.result("add") / count + self.epsilon)
        for name, value in (("mean", mean), ("inverse", inverse)):
            if name in self.given and value is not None:
                line.store(value, name)
        for at in line.along(hoist=("scale", "bias")):
            x = at.load() if mean is None else at.load() - mean
            at.store(self._shifted(at, x * inverse))

    def _mean(self, line: Line, count: Value) -> Value:
        total = line.total(0, self.compute)
        for at in line.along(total):
            total.value += at.load()
        return total.result("add") / count

    def _shifted(self, at: Spot, x: Value) -> Value:
        """Return x times scale plus bias, where there are such."""
        if "scale" not in self.given:
            return x + at.load("bias") if "bias" in self.given else x
        if "bias" not in self.given:
            return x * at.load("scale")
        return fma(x, at.load("scale"), at.load("bias"))
