"""Lower what decompose-attention leaves whole: one query of a cache."""

from __future__ import annotations

from xdsl.ir import SSAValue

from glow.dialects.graph.attention import AttentionOp
from glow.dialects.memory import attention
from glow.dialects.memory.address import find_addressing
from glow.dialects.memory.base import buffer_type
from glow.lowering.graph_to_memory.state import Lowering, lowers
from glow.support.types import element_of


@lowers(AttentionOp)
def _attention(lowering: Lowering, op: AttentionOp) -> None:
    assert op.valid_length is not None
    sizes, element = op.sizes, element_of(op.query)
    lowering.add(
        attention.AttentionOp(
            _in_lines(lowering, op.query),
            _in_lines(lowering, op.key),
            _in_lines(lowering, op.value),
            lowering[op.valid_length],
            lowering.temporary(element, (sizes.total,)),
            lowering.destination(op.result),
            scale=sizes.scale(op.parameters()["scale"]),
        )
    )


def _in_lines(lowering: Lowering, value: SSAValue) -> SSAValue:
    """Return a buffer of `value` whose elements of a head are neighbours."""
    buffer = lowering[value]
    found = find_addressing(buffer_type(buffer))
    has_lines = found is not None and (found.shape[-1] == 1 or found.strides[-1] == 1)
    return buffer if has_lines else lowering.contiguous(value)
