"""Lower top_k: a heap per line, which is entered by what is better than its worst."""

from __future__ import annotations

from math import prod

from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.ranking import TopKOp
from glow.lowering.memory_to_loops.axes import axes_of, collapse, levels_of
from glow.lowering.memory_to_loops.kernels.kernel import work_of
from glow.lowering.memory_to_loops.kernels.top_k import TopK, TopKRow
from glow.lowering.memory_to_loops.main import Main, lowers


@lowers(TopKOp)
def lower_top_k(main: Main, op: TopKOp) -> None:
    source, (k,) = addressing_of(op.input), addressing_of(op.heap).shape
    if 0 in source.shape or not k:
        return
    outs = [value for value in (op.values, op.indices) if value is not None]
    operands = [source, *map(addressing_of, outs)]
    at = op.axis.value.data
    shape = (*source.shape[:at], 1, *source.shape[at + 1 :])
    lines = collapse(axes_of(shape, operands), range(len(operands) - 1, -1, -1))
    extent, lanes = source.shape[at], main.target.f32_lanes
    # Most elements are worse than a small heap's worst: several are seen at once.
    if source.strides[at] != 1 or extent - k < lanes:
        lanes = 0
    element = buffer_type(op.input).element_type
    present = op.values is not None, op.indices is not None
    kernel = TopK(element, op.largest is not None, *present, len(lines), lanes)
    arguments = [main.base(value) for value in (op.input, *outs, op.heap, op.places)]
    levels = levels_of(lines)
    strides = tuple(operand.strides[at] for operand in operands)
    row = TopKRow(levels, extent, k, k.bit_length() - 1, strides)
    main.call(kernel, arguments, row, work_of(levels, prod(source.shape)))
