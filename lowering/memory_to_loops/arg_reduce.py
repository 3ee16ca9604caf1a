"""Lower arg_max and arg_min: neighbours in lanes, or by scalars."""

from __future__ import annotations

from xdsl.dialects.builtin import i64

from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.window import ArgReduceOp
from glow.lowering.memory_to_loops.axes import Axis, axes_of, collapse, nest_row
from glow.lowering.memory_to_loops.kernels.arg_reduce import ArgReduce
from glow.lowering.memory_to_loops.kernels.strips import Strips
from glow.lowering.memory_to_loops.main import Main, lowers


@lowers(ArgReduceOp)
def lower_arg_reduce(main: Main, op: ArgReduceOp) -> None:
    source, result = addressing_of(op.input), addressing_of(op.result)
    if 0 in result.shape:
        return
    element = buffer_type(op.input).element_type
    axes = axes_of(source.shape, [source, result])
    axis = axes.pop(op.axis.value.data)
    *outer, fastest = collapse(axes, (1, 0)) or [Axis(1, (0, 0))]
    strips = Strips(0)
    if fastest.strides == (1, 1):
        strips = Strips.of(main.target, [element, i64], unroll=2)
    is_last = op.select_last_index is not None
    kernel = ArgReduce(op.kind.data, element, len(outer), is_last, strips)
    row = [*nest_row([*outer, fastest]), axis.extent, axis.strides[0]]
    main.call(kernel, [main.base(op.input), main.base(op.result)], row)
