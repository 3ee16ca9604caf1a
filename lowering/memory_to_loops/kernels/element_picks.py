"""Elements along an axis, each at the place that its own index names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from glow.codegen.casts import as_unsigned, convert
from glow.codegen.conditions import select
from glow.codegen.functions import maximum
from glow.codegen.loops import Level, N, branches, loop, nest
from glow.codegen.memory import rest_of
from glow.codegen.strips import Strips, Total
from glow.codegen.values import INDEX, Value
from glow.lowering.memory_to_loops.kernels.kernel import Call, Fault, Kernel
from glow.support.types import unsigned

AT_ONCE = 4


@dataclass(frozen=True)
class ElementPicksRow(Generic[N]):
    """
    Loops around lines (strides of x, indices, y), and lines (strides of x, y).

    Then extent and stride in x of the axis picked from, the fault code.
    """

    outer: tuple[Level[N], ...]
    line: Level[N]
    extent: N
    stride: N
    code: N


@dataclass(frozen=True)
class ElementPicks(Kernel):
    """
    Copy an element per index; one out of range is reported and taken as 0.

    The indices of a line are neighbors. They are checked before, on vectors; only if
    one is out of range does each element check its own. `along`: lines of y have unit
    stride, those of x stand still, and the axis picked from has unit stride.
    Unit: an iteration of the outermost loop around lines.
    """

    along: bool
    strips: Strips

    def write(self, call: Call[ElementPicksRow[Value]]) -> None:
        row = call.row
        count, fault = row.line.extent, Fault(call["fault"], row.code)
        for x, first, y in nest(row.outer, 3, bounds=call.range):
            starts = (x, first, y)
            is_wrong = self._is_any_outside(call, first)
            for wrong in branches(is_wrong):
                if not wrong:
                    self._copy_trusted(call, starts)
                    continue
                for i in loop(0, count, nonempty=True):
                    index = call["indices"][first + i]
                    self._copy(call, starts, i, fault.checked(index, row.extent))

    def _copy_trusted(
        self, call: Call[ElementPicksRow[Value]], starts: tuple[Value, ...]
    ) -> None:
        """Copy elements whose indices are in range, several at once."""
        row, count = call.row, call.row.line.extent
        whole = count - rest_of(count, AT_ONCE)
        for size, lower, upper in ((AT_ONCE, 0, whole), (1, whole, count)):
            for i in loop(lower, upper, step=size):
                for k in range(size):
                    index = convert(call["indices"][starts[1] + (i + k)], INDEX)
                    index = select(index < 0, index + row.extent, index)
                    self._copy(call, starts, i + k, index)

    def _copy(
        self,
        call: Call[ElementPicksRow[Value]],
        starts: tuple[Value, ...],
        i: Value,
        picked: Value,
    ) -> None:
        row, (x, _, y) = call.row, starts
        at, to = x + picked, y + i
        if not self.along:
            read, write = row.line.strides
            at, to = x + picked * row.stride + i * read, y + i * write
        call["y"][to] = call["x"][at]

    def _is_any_outside(
        self, call: Call[ElementPicksRow[Value]], first: Value
    ) -> Value:
        """Return whether some index plus `extent` is, without a sign, too large."""
        row, natural = call.row, unsigned(call["indices"].element)
        shift = convert(row.extent, natural)
        most = Total.of(self.strips, 0, natural)
        for i, strip in self.strips.along(row.line.extent, most):
            values = as_unsigned(call["indices"].load(first + i, strip))
            most.value = maximum(most.value, values + shift)
        return most.result("max") >= convert(row.extent * 2, natural)
