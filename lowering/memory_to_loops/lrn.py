"""Lower local response normalization: channels in registers, or one by one."""

from __future__ import annotations

from xdsl.dialects.builtin import f32

from glow.codegen.memory import Strips
from glow.dialects.graph.normalization import LrnOp
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import buffer_type
from glow.lowering.memory_to_loops.axes import Axis, axes_of, collapse
from glow.lowering.memory_to_loops.kernels.lines import LinesOf
from glow.lowering.memory_to_loops.kernels.lrn import LrnColumns, LrnRows, Response
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.types import compute_type


@lowers(LrnOp)
def lower_lrn(main: Main, op: ApplyOp) -> None:
    x, y = op.buffer("input"), op.buffer("result")
    source, result = addressing_of(x), addressing_of(y)
    if 0 in result.shape:
        return
    element = buffer_type(x).element_type
    compute = compute_type(element)
    response = Response(**op.graph_op().parameters())
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
    main.call(kernel, [main.base(x), main.base(y)], row, work)


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
