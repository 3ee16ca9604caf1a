"""Lower top_k: a heap per line, which is entered by what is better than its worst."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import i64

from glow.dialects.graph.ranking import TopKOp
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import Buffer, buffer_type
from glow.lowering.memory_to_loops.axes import axes_of, collapse, levels_of
from glow.lowering.memory_to_loops.kernels.kernel import work_of
from glow.lowering.memory_to_loops.kernels.top_k import TopK, TopKRow
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.types import element_of, normalize_axis


def _scratch(op: TopKOp) -> list[Buffer]:
    """Return room to put one line into order: a heap, and where its elements are."""
    return [Buffer(element_of(op.input), [op.k]), Buffer(i64, [op.k])]


@lowers(TopKOp, scratch=_scratch)
def lower_top_k(main: Main, op: ApplyOp) -> None:
    x, p = op.buffer("input"), op.graph_op().parameters()
    source, k = addressing_of(x), p["k"]
    if 0 in source.shape or not k:
        return
    operands = [source, *map(addressing_of, op.outs)]
    at = normalize_axis(p["axis"], len(source.shape))
    shape = (*source.shape[:at], 1, *source.shape[at + 1 :])
    lines = collapse(axes_of(shape, operands), range(len(operands) - 1, -1, -1))
    extent, lanes = source.shape[at], main.target.f32_lanes
    # Most elements are worse than a small heap's worst: several are seen at once.
    if source.strides[at] != 1 or extent - k < lanes:
        lanes = 0
    element = buffer_type(x).element_type
    present = p["with_values"], p["with_indices"]
    kernel = TopK(element, p["largest"], *present, len(lines), lanes)
    arguments = [main.base(value) for value in (x, *op.outs, *op.scratch)]
    levels = levels_of(lines)
    strides = tuple(operand.strides[at] for operand in operands)
    row = TopKRow(levels, extent, k, k.bit_length() - 1, strides)
    main.call(kernel, arguments, row, work_of(levels, prod(source.shape)))
