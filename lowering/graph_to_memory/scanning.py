"""Lower running sums, and parts of matrices."""

from __future__ import annotations

from xdsl.ir import SSAValue

from glow.dialects.graph.scanning import CumsumOp, TriluOp
from glow.dialects.memory import scanning
from glow.dialects.memory.address import Addressing, addressing_of
from glow.lowering.graph_to_memory.state import Lowering, lowers
from glow.support.types import normalize_axis, shape_of


@lowers(CumsumOp)
def _cumsum(lowering: Lowering, op: CumsumOp) -> None:
    axis = normalize_axis(op.axis, len(shape_of(op.input)))
    source, out = lowering[op.input], lowering.destination(op.result)
    if op.reverse and 0 not in shape_of(op.input):
        source, out = (_flipped(lowering, buffer, axis) for buffer in (source, out))
    exclusive = op.exclusive
    lowering.add(scanning.CumsumOp(source, out, axis=axis, exclusive=exclusive))


def _flipped(lowering: Lowering, buffer: SSAValue, axis: int) -> SSAValue:
    """Return `buffer` from its end on along `axis`."""
    a, strides = addressing_of(buffer), list(addressing_of(buffer).strides)
    offset = a.offset + (a.shape[axis] - 1) * strides[axis]
    strides[axis] = -strides[axis]
    return lowering.view(buffer, Addressing(a.shape, tuple(strides), offset))


@lowers(TriluOp)
def _trilu(lowering: Lowering, op: TriluOp) -> None:
    k = None if op.k is None else lowering[op.k]
    source, out = lowering[op.input], lowering.destination(op.result)
    lowering.add(scanning.TriluOp(source, k, out, upper=op.upper))
