"""Lower arg_max and arg_min: along the axis, across neighbours, or by scalars."""

from __future__ import annotations

from dataclasses import replace

from xdsl.dialects.builtin import i64

from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.window import ArgReduceOp
from glow.lowering.memory_to_loops.axes import Axis, axes_of, collapse, nest_row
from glow.lowering.memory_to_loops.kernels.arg_reduce import (
    ArgReduceColumns,
    ArgReduceRows,
)
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
    others, is_last = collapse(axes, (1, 0)), op.select_last_index is not None
    arguments = [main.base(op.input), main.base(op.result)]
    strips = Strips.of(main.target, [element, i64], unroll=4)
    if axis.strides[0] == 1 and axis.extent >= strips.lanes:
        kernel = ArgReduceRows(op.kind.data, element, len(others), is_last, strips)
        main.call(kernel, arguments, [*nest_row(others), axis.extent])
        return
    *outer, fastest = others or [Axis(1, (0, 0))]
    strips = replace(strips, unroll=2) if fastest.strides == (1, 1) else Strips(0)
    kernel = ArgReduceColumns(op.kind.data, element, len(outer), is_last, strips)
    row = [*nest_row([*outer, fastest]), axis.extent, axis.strides[0]]
    main.call(kernel, arguments, row)
