"""Lower local response normalization: channels in registers, or one by one."""

from __future__ import annotations

from xdsl.dialects.builtin import f32

from glow.codegen.memory import Strips
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.normalization import LrnOp
from glow.lowering.memory_to_loops.axes import Axis, axes_of, collapse
from glow.lowering.memory_to_loops.kernels.lines import LinesOf
from glow.lowering.memory_to_loops.kernels.lrn import LrnColumns, LrnRows, Response
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.types import compute_type


@lowers(LrnOp)
def lower_lrn(main: Main, op: LrnOp) -> None:
    source, result = addressing_of(op.input), addressing_of(op.result)
    if 0 in result.shape:
        return
    element = buffer_type(op.input).element_type
    compute = compute_type(element)
    numbers = (op.alpha, op.beta, op.bias)
    response = Response(op.size.value.data, *(n.value.data for n in numbers))
    axes = axes_of(result.shape, [source, result])
    channels = axes[1]
    strips = Strips.of(main.target, [element, compute])
    fits = strips.masked or channels.extent % strips.lanes == 0
    is_near = max(response.before, response.after) <= strips.lanes
    if compute == f32 and channels.strides == (1, 1) and fits and is_near:
        others = collapse([axes[0], *axes[2:]], (1, 0))
        lines = LinesOf(LrnRows(element, compute, response), [channels], others)
    else:
        lines = _columns(LrnColumns(element, compute, response), axes)
        strips = strips if compute == f32 else Strips(0)
    kernel, row, work = lines.plan(strips, None)
    main.call(kernel, [main.base(op.input), main.base(op.result)], row, work)


def _columns(rule: LrnColumns, axes: list[Axis]) -> LinesOf:
    """Return lines along the fastest axis; channels are the innermost of the others."""
    channels = axes.pop(1)
    *outer, fastest = collapse(axes, (1, 0)) or [Axis(1, (0, 0))]
    counted = [
        Axis(axis.extent, (*axis.strides, int(axis is channels)))
        for axis in (*outer, channels, fastest)
    ]
    numbers = (channels.extent, channels.strides[0])
    still = frozenset({"channel"})
    return LinesOf(rule, counted[-1:], counted[:-1], numbers, still)
