"""Lower local response normalisation: channels in registers, or one by one."""

from __future__ import annotations

from xdsl.dialects.builtin import f32

from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.normalization import LrnOp
from glow.lowering.memory_to_loops.axes import Axis, axes_of, collapse, nest_row
from glow.lowering.memory_to_loops.kernels.lrn import LrnColumns, LrnRows, Response
from glow.lowering.memory_to_loops.kernels.strips import Strips
from glow.lowering.memory_to_loops.main import Main, lowers


@lowers(LrnOp)
def lower_lrn(main: Main, op: LrnOp) -> None:
    source, result = addressing_of(op.input), addressing_of(op.result)
    if 0 in result.shape:
        return
    element = buffer_type(op.input).element_type
    numbers = (op.alpha, op.beta, op.bias)
    response = Response(op.size.value.data, *(n.value.data for n in numbers))
    axes = axes_of(result.shape, [source, result])
    channels = axes.pop(1)
    others = collapse(axes, (1, 0))
    arguments = [main.base(op.input), main.base(op.result)]
    strips = Strips.of(main.target, [element])
    fits = strips.masked or channels.extent % strips.lanes == 0
    is_near = max(response.before, response.after) <= strips.lanes
    if element == f32 and channels.strides == (1, 1) and fits and is_near:
        kernel = LrnRows(element, len(others), response, strips.lanes, strips.masked)
        main.call(kernel, arguments, [*nest_row(others), channels.extent])
        return
    *outer, fastest = others or [Axis(1, (0, 0))]
    if element != f32 or fastest.strides != (1, 1):
        strips = Strips(0)
    kernel = LrnColumns(element, len(outer), response, strips)
    main.call(kernel, arguments, nest_row([*outer, channels, fastest]))
