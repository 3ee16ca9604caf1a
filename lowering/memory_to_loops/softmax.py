"""Lower softmax: along the fastest axis, across neighbors, or by scalars."""

from __future__ import annotations

from xdsl.dialects.builtin import f32

from glow.codegen.memory import Strips
from glow.dialects.graph.normalization import LogSoftmaxOp, SoftmaxOp
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import buffer_type
from glow.lowering.memory_to_loops.axes import axes_of, collapse
from glow.lowering.memory_to_loops.kernels.lines import LinesOf
from glow.lowering.memory_to_loops.kernels.softmax import Softmax
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.types import compute_type


@lowers(SoftmaxOp, LogSoftmaxOp, in_place=True)
def lower_softmax(main: Main, op: ApplyOp) -> None:
    x, y, graph_op = op.buffer("input"), op.buffer("result"), op.graph_op()
    source, result = addressing_of(x), addressing_of(y)
    if 0 in result.shape:
        return
    element = buffer_type(x).element_type
    axes = axes_of(result.shape, [source, result])
    axis = axes.pop(graph_op.parameters()["axis"])
    compute = compute_type(element)
    rule = Softmax(element, compute, isinstance(graph_op, LogSoftmaxOp))
    strips, across = Strips(0), None
    if compute == f32:  # exponentials of f64 are calls of the C library
        strips = Strips.of(main.target, [element, compute], unroll=2)
        across = Strips.of(main.target, [element, compute]) if axis.extent > 1 else None
    lines = LinesOf(rule, [axis], collapse(axes, (1, 0)))
    kernel, row, work = lines.plan(strips, across)
    main.call(kernel, [main.base(x), main.base(y)], row, work)
