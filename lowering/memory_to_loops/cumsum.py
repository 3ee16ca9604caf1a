"""Lower running sums: within vectors along the axis, across neighbours, by scalars."""

from __future__ import annotations

from dataclasses import replace

from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.scanning import CumsumOp
from glow.lowering.memory_to_loops.axes import Axis, axes_of, collapse, nest_row
from glow.lowering.memory_to_loops.kernels.cumsum import CumsumColumns, CumsumRows
from glow.lowering.memory_to_loops.kernels.strips import Strips
from glow.lowering.memory_to_loops.main import Main, lowers

MOST_VECTORS = 8  # of sums that are kept in registers


@lowers(CumsumOp)
def lower_cumsum(main: Main, op: CumsumOp) -> None:
    source, result = addressing_of(op.input), addressing_of(op.result)
    if 0 in result.shape:
        return
    element, exclusive = buffer_type(op.input).element_type, op.exclusive is not None
    axes = axes_of(source.shape, [source, result])
    axis = axes.pop(op.axis.value.data)
    others = collapse(axes, (1, 0))
    arguments = [main.base(op.input), main.base(op.result)]
    strips = Strips.of(main.target, [element])
    if axis.strides in ((1, 1), (-1, -1)) and axis.extent >= strips.lanes:
        backward = axis.strides[0] < 0
        kernel = CumsumRows(element, len(others), exclusive, backward, strips.lanes)
        main.call(kernel, arguments, [*nest_row(others), axis.extent])
        return
    *outer, fastest = others or [Axis(1, (0, 0))]
    if fastest.strides != (1, 1) or fastest.extent < strips.lanes:
        strips = Strips(0)
    else:
        strips = replace(strips, unroll=_vectors(fastest.extent // strips.lanes))
    kernel = CumsumColumns(element, len(outer), exclusive, strips)
    main.call(kernel, arguments, nest_row([*outer, fastest, axis]))


def _vectors(count: int) -> int:
    """Return a power of two up to `count`: enough neighbours to keep a page busy."""
    return min(MOST_VECTORS, 1 << (count.bit_length() - 1))
