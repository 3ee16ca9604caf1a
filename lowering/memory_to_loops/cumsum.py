"""Lower running sums: within vectors along the axis, across neighbors, by scalars."""

from __future__ import annotations

from dataclasses import replace

from glow.codegen.memory import Strips
from glow.dialects.graph.scanning import CumsumOp
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import buffer_type
from glow.lowering.memory_to_loops.axes import Axis, axes_of, collapse
from glow.lowering.memory_to_loops.kernels.cumsum import Cumsum
from glow.lowering.memory_to_loops.kernels.lines import LinesOf
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.targets import Target
from glow.support.types import compute_type


@lowers(CumsumOp, in_place=True)
def lower_cumsum(main: Main, op: ApplyOp) -> None:
    x, y, p = op.buffer("input"), op.buffer("result"), op.graph_op().parameters()
    source, result = addressing_of(x), addressing_of(y)
    if 0 in result.shape:
        return
    element, starts = buffer_type(x).element_type, [0, 0]
    compute = compute_type(element)
    axes = axes_of(source.shape, [source, result])
    axis = axes.pop(p["axis"])
    if p["reverse"]:
        starts = [(axis.extent - 1) * stride for stride in axis.strides]
        axis = Axis(axis.extent, tuple(-stride for stride in axis.strides))
    others = collapse(axes, (1, 0))
    strips = Strips.of(main.target, [element, compute])
    across = None
    backward = axis.strides == (-1, -1)
    if axis.strides in ((1, 1), (-1, -1)) and axis.extent >= strips.lanes:
        axis = Axis(axis.extent, (1, 1))  # the rule knows that it goes backward
    else:
        count, strips = others[-1].extent // strips.lanes if others else 0, Strips(0)
        if count:
            vectors = Strips.of(main.target, [element, compute])
            across = replace(vectors, unroll=_vectors(main.target, count))
    rule = Cumsum(element, compute, p["exclusive"], bool(strips.lanes) and backward)
    kernel, row, work = LinesOf(rule, [axis], others).plan(strips, across)
    main.call(kernel, [main.base(x, starts[0]), main.base(y, starts[1])], row, work)


def _vectors(target: Target, count: int) -> int:
    """
    Return how many of `count` vectors are summed side by side, a power of two.

    Half the registers hold sums: the more neighbors, the fewer visits to each page.
    """
    return min(target.registers // 2, 1 << (count.bit_length() - 1))
