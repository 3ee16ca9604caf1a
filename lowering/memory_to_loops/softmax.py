"""Lower softmax: along the fastest axis, across neighbours, or by scalars."""

from __future__ import annotations

from xdsl.dialects.builtin import f32

from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.normalization import SoftmaxOp
from glow.lowering.memory_to_loops.axes import axes_of, collapse, nest_row
from glow.lowering.memory_to_loops.kernels.softmax import SoftmaxColumns, SoftmaxRows
from glow.lowering.memory_to_loops.kernels.strips import Strips
from glow.lowering.memory_to_loops.main import Main, lowers


@lowers(SoftmaxOp)
def lower_softmax(main: Main, op: SoftmaxOp) -> None:
    source, result = addressing_of(op.input), addressing_of(op.result)
    if 0 in result.shape:
        return
    element, log = buffer_type(op.input).element_type, op.log is not None
    axes = axes_of(result.shape, [source, result])
    axis = axes.pop(op.axis.value.data)
    others = collapse(axes, (1, 0))
    arguments = [main.base(op.input), main.base(op.result)]
    is_vector = element == f32  # exponentials of f64 are calls of the C library
    if is_vector and others and others[-1].strides == (1, 1) and axis.extent > 1:
        *outer, fastest = others
        strips = Strips.of(main.target, [element])
        kernel = SoftmaxColumns(element, len(outer), log, strips)
        row = [*nest_row([*outer, axis]), fastest.extent]
        main.call(kernel, arguments, row)
        return
    runs = axis.strides == (1, 1) or axis.extent == 1
    strips = Strips(0)
    if is_vector and runs:
        strips = Strips.of(main.target, [element], unroll=2)
    kernel = SoftmaxRows(element, len(others), log, strips)
    main.call(kernel, arguments, nest_row([*others, axis]))
