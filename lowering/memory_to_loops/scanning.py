"""Lower running sums and triangles of matrices."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from glow.codegen.functions import maximum, minimum
from glow.codegen.loops import Level, Var, loop
from glow.codegen.memory import Strip, rest_of
from glow.codegen.shuffles import extracted, shuffled
from glow.codegen.strips import Strips
from glow.codegen.values import INDEX, Value, constant, index
from glow.dialects.graph.along_axis import CumsumOp
from glow.dialects.graph.slicing import TriluOp
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.lowering.memory_to_loops.axes import axes_of, collapse
from glow.lowering.memory_to_loops.kernels.line_kernels import LinesOf
from glow.lowering.memory_to_loops.kernels.lines import Line, Rule
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.targets import Target


@dataclass(frozen=True)
class Cumsum(Rule):
    """
    Sums of the elements up to each; `exclusive` ones leave it out.

    Along vectors, sums are made within a vector first, then onto what came before:
    floats are not added in their order. `backward`: the stride there is -1.
    """

    exclusive: bool
    backward: bool = False

    def line(self, line: Line) -> None:
        if line.across is None and line.strips.lanes:
            self._vectors(line)
            return
        total = line.total(0, line.compute)
        for at in line.along(total):
            before, total.value = total.value, total.value + at.load()
            at.store(before if self.exclusive else total.value)

    def _vectors(self, line: Line) -> None:
        lanes, extent = line.strips.lanes, line.axis.extent
        whole = extent - rest_of(extent, lanes)
        total = Var(constant(0, line.compute))
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
    """Return the lanes that are x's own, `step` later, after those of zeros."""
    return [*range(step), *range(lanes, 2 * lanes - step)]


@lowers(CumsumOp, in_place=True)
def lower_cumsum(main: Main, op: ApplyOp) -> None:
    x, y, p = op.buffer("input"), op.buffer("result"), op.graph_op().parameters()
    source, result = addressing_of(x), addressing_of(y)
    starts = [0, 0]
    axes = axes_of(source.shape, [source, result])
    axis = axes.pop(p["axis"])
    if p["reverse"]:
        starts = [(axis.extent - 1) * stride for stride in axis.strides]
        axis = Level(axis.extent, tuple(-stride for stride in axis.strides))
    others = collapse(axes, (1, 0))
    strips = main.strips(x)
    across = None
    backward = axis.strides == (-1, -1)
    if axis.strides in ((1, 1), (-1, -1)) and axis.extent >= strips.lanes:
        axis = Level(axis.extent, (1, 1))  # the rule knows that it goes backward
    else:
        count, strips = others[-1].extent // strips.lanes if others else 0, Strips(0)
        if count:
            across = replace(main.strips(x), unroll=_vectors(main.target, count))
    rule = Cumsum(p["exclusive"], bool(strips.lanes) and backward)
    kernel, row, work = LinesOf(rule, [axis], others).plan(strips, across)
    arguments = {"x": main.base(x, starts[0]), "y": main.base(y, starts[1])}
    main.call(kernel, arguments, row, work)


def _vectors(target: Target, count: int) -> int:
    """
    Return how many of `count` vectors are summed side by side, a power of two.

    Half the registers hold sums: the more neighbors, the fewer visits to each page.
    """
    return min(target.registers // 2, 1 << (count.bit_length() - 1))


@dataclass(frozen=True)
class Trilu(Rule):
    """Copy a part of each row, clear the other; k is 0 where it is not given."""

    MOVING: ClassVar = ("x", "y", "row")
    NUMBERS: ClassVar = ("rows",)

    upper: bool

    def line(self, line: Line) -> None:
        border = self._first(line) + line.starts["row"]
        border = minimum(maximum(border, 0), line.axis.extent)
        first, second = (index(0), border), (border, line.axis.extent)
        cleared, copied = (first, second) if self.upper else (second, first)
        for at in line.along(start=cleared[0], end=cleared[1]):
            at.store(0)
        for at in line.along(start=copied[0], end=copied[1]):
            at.store(at.load())

    def _first(self, line: Line) -> Value:
        """Return where the second part of the first row would begin."""
        after = 0 if self.upper else 1
        if "k" not in line.call.operands:
            return index(after)
        k = minimum(line.call["k"][0], line.axis.extent)
        return maximum(k, 0 - line.numbers["rows"]) + after


@lowers(TriluOp, in_place=True)
def lower_trilu(main: Main, op: ApplyOp) -> None:
    x, y, k = op.buffer("input"), op.buffer("result"), op.find("k")
    source, result = addressing_of(x), addressing_of(y)
    numbers = [0] * len(source.shape)
    numbers[-2] = 1
    *apart, columns = [
        Level(axis.extent, (*axis.strides, number))
        for axis, number in zip(
            axes_of(source.shape, [source, result]), numbers, strict=True
        )
    ]
    strips = main.strips(x, unroll=2, moved=True)
    if columns.extent < strips.lanes:
        strips = Strips(0)
    rule = Trilu(op.graph_op().parameters()["upper"])
    lines = LinesOf(
        *(rule, [columns], collapse(apart, (1, 0))),
        *((source.shape[-2],), frozenset({"row"})),
    )
    arguments = {"x": main.stored(x), "y": main.stored(y)}
    if k is not None:
        arguments["k"] = main.base(k, compute=INDEX)
    kernel, row, work = lines.plan(strips, None)
    main.call(kernel, arguments, row, work)
