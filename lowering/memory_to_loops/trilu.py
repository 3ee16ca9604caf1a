"""Lower parts of matrices: per row a copy and zeros, with a run-time border."""

from __future__ import annotations

from glow.codegen.memory import Strips
from glow.dialects.graph.scanning import TriluOp
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import buffer_type
from glow.lowering.memory_to_loops.axes import Axis, axes_of, collapse
from glow.lowering.memory_to_loops.kernels.lines import LinesOf
from glow.lowering.memory_to_loops.kernels.trilu import Trilu
from glow.lowering.memory_to_loops.main import Main, lowers


@lowers(TriluOp, in_place=True)
def lower_trilu(main: Main, op: ApplyOp) -> None:
    x, y, k = op.buffer("input"), op.buffer("result"), op.find("k")
    source, result = addressing_of(x), addressing_of(y)
    if 0 in result.shape:
        return
    element = buffer_type(x).element_type
    numbers = [0] * len(source.shape)
    numbers[-2] = 1
    *apart, columns = [
        Axis(axis.extent, (*axis.strides, number))
        for axis, number in zip(
            axes_of(source.shape, [source, result]), numbers, strict=True
        )
    ]
    strips = Strips.of(main.target, [element], unroll=2)
    if columns.extent < strips.lanes:
        strips = Strips(0)
    integer = None if k is None else buffer_type(k).element_type
    rule = Trilu(element, integer, op.graph_op().parameters()["upper"])
    lines = LinesOf(
        *(rule, [columns], collapse(apart, (1, 0))),
        *((source.shape[-2],), frozenset({"row"})),
    )
    buffers = [x, y, *([] if k is None else [k])]
    kernel, row, work = lines.plan(strips, None)
    main.call(kernel, [main.base(value) for value in buffers], row, work)
