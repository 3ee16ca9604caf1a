"""Lower arg_max and arg_min: along the axis, across neighbors, or by scalars."""

from __future__ import annotations

from dataclasses import replace

from xdsl.dialects.builtin import i64

from glow.codegen.memory import Strips
from glow.dialects.graph.arg_reduction import ArgMaxOp, ArgMinOp
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import buffer_type
from glow.lowering.memory_to_loops.axes import axes_of, collapse, with_axes
from glow.lowering.memory_to_loops.kernels.arg_reduce import ArgReduce
from glow.lowering.memory_to_loops.kernels.lines import LinesOf
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.types import compute_type, normalize_axis


@lowers(ArgMaxOp, ArgMinOp)
def lower_arg_reduce(main: Main, op: ApplyOp) -> None:
    x, y, graph_op = op.buffer("input"), op.buffer("result"), op.graph_op()
    p, kind = graph_op.parameters(), "max" if isinstance(graph_op, ArgMaxOp) else "min"
    source, result = addressing_of(x), addressing_of(y)
    at = normalize_axis(p["axis"], len(source.shape))
    if not p["keepdims"]:
        result = with_axes(result, [at])
    if 0 in result.shape:
        return
    element = buffer_type(x).element_type
    axes = axes_of(source.shape, [source, result])
    axis = axes.pop(at)
    rule = ArgReduce(kind, element, compute_type(element), p["select_last_index"])
    lines = LinesOf(rule, [axis], collapse(axes, (1, 0)), still=frozenset({"y"}))
    strips = Strips.of(main.target, [element, i64], unroll=4)
    if axis.strides[0] == 1 and axis.extent >= strips.lanes:
        kernel, row, work = lines.plan(strips, None)
    else:
        kernel, row, work = lines.plan(Strips(0), replace(strips, unroll=2))
    main.call(kernel, [main.base(x), main.base(y)], row, work)
