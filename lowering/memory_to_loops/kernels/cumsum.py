"""Running sums of lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.ir import Attribute

from glow.codegen.loops import Var, loop
from glow.codegen.memory import Strip, rest_of
from glow.codegen.shuffles import extracted, shuffled
from glow.codegen.values import Value, constant
from glow.lowering.memory_to_loops.kernels.kernel import Operand
from glow.lowering.memory_to_loops.kernels.lines import Line, Rule


@dataclass(frozen=True)
class Cumsum(Rule):
    """
    Sums of the elements up to each; `exclusive` ones leave it out.

    Along vectors, sums are made within a vector first, then onto what came before:
    floats are not added in their order. `backward`: the stride there is -1.
    """

    element: Attribute
    compute: Attribute
    exclusive: bool
    backward: bool = False

    @property
    def name(self) -> str:
        return "cumsum"

    def operands(self) -> Mapping[str, Operand]:
        return {name: Operand(self.element, self.compute) for name in ("x", "y")}

    def line(self, line: Line) -> None:
        if line.across is None and line.strips.lanes:
            self._vectors(line)
            return
        total = line.total(0, self.compute)
        for at in line.along(total):
            before, total.value = total.value, total.value + at.load()
            at.store(before if self.exclusive else total.value)

    def _vectors(self, line: Line) -> None:
        lanes, extent = line.strips.lanes, line.axis.extent
        whole = extent - rest_of(extent, lanes)
        total = Var(constant(0, self.compute))
        x, y = line.call["x"], line.call["y"]
        for i in loop(0, whole, total, step=lanes):
            source, result = self._places(line, i, lanes)
            value = self._turned(x.load(source, Strip(lanes)))
            sums, last = self._within(value)
            y.store(self._turned(sums + total.value), result)
            total.value += last
        for i in loop(whole, extent, total):
            source, result = self._places(line, i, 1)
            before, total.value = total.value, total.value + x[source]
            y[result] = before if self.exclusive else total.value

    def _places(self, line: Line, i: Value, count: int) -> list[Value]:
        """Return where `count` elements from i on begin in memory."""
        starts = (line.starts["x"], line.starts["y"])
        if not self.backward:
            return [start + i for start in starts]
        # The first element of a vector is the last in memory.
        return [start - i + (1 - count) for start in starts]

    def _turned(self, x: Value) -> Value:
        if not self.backward:
            return x
        return shuffled(x, x, range(x.lanes - 1, -1, -1))

    def _within(self, x: Value) -> tuple[Value, Value]:
        """Return the sums within a vector, and that of all its lanes."""
        zero, step = x.like(0), 1
        while step < x.lanes:
            x += shuffled(zero, x, _later(x.lanes, step))
            step *= 2
        last = extracted(x, x.lanes - 1)
        if self.exclusive:
            x = shuffled(zero, x, _later(x.lanes, 1))
        return x, last


def _later(lanes: int, step: int) -> list[int]:
    """Return the lanes that are x's own, `step` later, behind those of zeros."""
    return [*range(step), *range(lanes, 2 * lanes - step)]
