"""Lower softmax: along the fastest axis, across neighbors, or by scalars."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import f32

from glow.codegen.casts import lowest
from glow.codegen.functions import exponential, larger, log
from glow.codegen.strips import Strips
from glow.dialects.graph.along_axis import LogSoftmaxOp, SoftmaxOp
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import buffer_type
from glow.lowering.memory_to_loops.axes import axes_of, collapse
from glow.lowering.memory_to_loops.kernels.line_kernels import LinesOf
from glow.lowering.memory_to_loops.kernels.lines import Line, Rule
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.types import compute_type


@dataclass(frozen=True)
class Softmax(Rule):
    """Softmax of a line; with `log`, its logarithm."""

    log: bool

    @property
    def name(self) -> str:
        return "log_softmax" if self.log else "softmax"

    def line(self, line: Line) -> None:
        compute, least = line.compute, lowest(line.compute)
        # Exponentials wait in the result, unless a narrow type would round them.
        is_stored = not self.log and line.call["x"].element == compute
        peaks = line.total(least, compute)
        for at in line.along(peaks):
            peaks.value = larger(peaks.value, at.load("x", least))
        peak = peaks.result("larger")

        powers = line.total(0, compute)
        for at in line.along(powers):
            power = exponential(at.load("x", least) - peak)
            if is_stored:
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
            power = at.load("y") if is_stored else exponential(at.load("x") - peak)
            at.store(power * factor)


@lowers(SoftmaxOp, LogSoftmaxOp, in_place=True)
def lower_softmax(main: Main, op: ApplyOp) -> None:
    x, y, graph_op = op.buffer("input"), op.buffer("result"), op.graph_op()
    source, result = addressing_of(x), addressing_of(y)
    axes = axes_of(result.shape, [source, result])
    axis = axes.pop(graph_op.parameters()["axis"])
    rule = Softmax(isinstance(graph_op, LogSoftmaxOp))
    strips, across = Strips(0), None
    if compute_type(buffer_type(x).element_type) == f32:
        # Exponentials of f64 are calls of the C library.
        strips = main.strips(x, unroll=2)
        across = main.strips(x) if axis.extent > 1 else None
    lines = LinesOf(rule, [axis], collapse(axes, (1, 0)))
    kernel, row, work = lines.plan(strips, across)
    main.call(kernel, {"x": x, "y": y}, row, work)
