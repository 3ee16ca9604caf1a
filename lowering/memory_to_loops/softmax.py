"""Lower softmax: along the fastest axis, across neighbors, or by scalars."""

from __future__ import annotations

from xdsl.dialects.builtin import f32

from glow.codegen.memory import Strips
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.normalization import SoftmaxOp
from glow.lowering.memory_to_loops.axes import axes_of, collapse
from glow.lowering.memory_to_loops.kernels.lines import LinesOf
from glow.lowering.memory_to_loops.kernels.softmax import Softmax
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.types import compute_type


@lowers(SoftmaxOp)
def lower_softmax(main: Main, op: SoftmaxOp) -> None:
    source, result = addressing_of(op.input), addressing_of(op.result)
    if 0 in result.shape:
        return
    element = buffer_type(op.input).element_type
    axes = axes_of(result.shape, [source, result])
    axis = axes.pop(op.axis.value.data)
    compute = compute_type(element)
    rule = Softmax(element, compute, op.log is not None)
    strips, across = Strips(0), None
    if compute == f32:  # exponentials of f64 are calls of the C library
        strips = Strips.of(main.target, [element, compute], unroll=2)
        across = Strips.of(main.target, [element, compute]) if axis.extent > 1 else None
    lines = LinesOf(rule, [axis], collapse(axes, (1, 0)))
    kernel, row, work = lines.plan(strips, across)
    main.call(kernel, [main.base(op.input), main.base(op.result)], row, work)
