"""Attention that one kernel computes faster than a row of simpler ops."""

from __future__ import annotations

from xdsl.dialects.builtin import f32
from xdsl.ir import Operation

from glow.dialects.graph.attention import AttentionOp
from glow.support.targets import Target
from glow.support.types import element_of


def keeps(op: Operation, target: Target) -> bool:
    """
    Return whether `op` is an attention of f32 with heads on an axis of their own.

    What comes before keys and values is joined with them, and scores are no result.
    """
    if not isinstance(op, AttentionOp):
        return False
    others = (op.past_key, op.present_key, op.present_value, op.scores)
    s = op.sizes
    return (
        not any(value is not None for value in others)
        and element_of(op.query) == f32
        and op.softmax_precision in (None, f32)
        and not s.is_flat
        and min(s.batch, s.heads, s.length, s.elements, s.value_elements) > 0
        and 0 < s.total < _EXACT
        and _is_faster(op, target)
    )


def _is_faster(op: AttentionOp, target: Target) -> bool:
    """
    Return whether one kernel is faster than products and a softmax.

    It is where not all keys are valid, since only those are read, for one or two
    queries of a head of keys, and where scores are many.
    """
    queries = op.sizes.group * op.sizes.length
    costs, is_windowed = target.costs, op.window != (-1, -1)
    few = costs.plain_windowed_scores if is_windowed else costs.plain_scores
    is_large = queries * op.sizes.total > few
    is_single = queries <= costs.single_queries
    return op.valid_length is not None or is_single or is_large


_EXACT = 1 << 24
"""Positions below this are numbers of f32."""
