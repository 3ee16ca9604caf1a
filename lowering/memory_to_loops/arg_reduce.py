"""Lower arg_max and arg_min: along the axis, across neighbors, or by scalars."""

from __future__ import annotations

from dataclasses import replace

from xdsl.dialects.builtin import i64

from glow.codegen.memory import Strips
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.window import ArgReduceOp
from glow.lowering.memory_to_loops.axes import axes_of, collapse
from glow.lowering.memory_to_loops.kernels.arg_reduce import ArgReduce
from glow.lowering.memory_to_loops.kernels.lines import LinesOf
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.types import compute_type


@lowers(ArgReduceOp)
def lower_arg_reduce(main: Main, op: ArgReduceOp) -> None:
    source, result = addressing_of(op.input), addressing_of(op.result)
    if 0 in result.shape:
        return
    element = buffer_type(op.input).element_type
    axes = axes_of(source.shape, [source, result])
    axis = axes.pop(op.axis.value.data)
    kind = op.kind.data
    rule = ArgReduce(
        kind, element, compute_type(element), op.select_last_index is not None
    )
    lines = LinesOf(rule, [axis], collapse(axes, (1, 0)), still=frozenset({"y"}))
    strips = Strips.of(main.target, [element, i64], unroll=4)
    if axis.strides[0] == 1 and axis.extent >= strips.lanes:
        kernel, row, work = lines.plan(strips, None)
    else:
        kernel, row, work = lines.plan(Strips(0), replace(strips, unroll=2))
    main.call(kernel, [main.base(op.input), main.base(op.result)], row, work)
