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
from glow.support.targets import Target


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
        vectors = _vectors(main.target, fastest.extent // strips.lanes)
        strips = replace(strips, unroll=vectors)
    kernel = CumsumColumns(element, len(outer), exclusive, strips)
    main.call(kernel, arguments, nest_row([*outer, fastest, axis]))


def _vectors(target: Target, count: int) -> int:
    """
    Return how many of `count` vectors are summed side by side, a power of two.

    Half the registers hold sums: the more neighbours, the fewer visits to each page.
    """
    return min(target.registers // 2, 1 << (count.bit_length() - 1))
