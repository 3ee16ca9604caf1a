"""Which ops have a kernel of their own, though they could be written as others."""

from __future__ import annotations

from math import inf

from xdsl.dialects.builtin import f32
from xdsl.ir import Operation

from glow.dialects.graph.attention import AttentionOp
from glow.support.targets import Target
from glow.support.types import element_of


def keeps(op: Operation, target: Target) -> bool:
    """Say whether `op` is one query per head of a cache that says what is valid."""
    if not isinstance(op, AttentionOp) or op.valid_length is None:
        return False
    present = {n for n, v in zip(_SLOTS, op.slots()[3:], strict=False) if v is not None}
    results = (op.present_key, op.present_value, op.scores)
    p = op.parameters()
    # A query that is behind all valid keys sees them whether causal or not.
    return (
        present == {"valid_length"}
        and not any(result is not None for result in results)
        and element_of(op.query) == f32
        and not op.sizes.is_flat
        and op.sizes.length == 1
        and op.sizes.total > 0
        and p["softcap"] == 0
        and p["left_window_size"] == p["right_window_size"] == -1
        and p["softmax_precision"] in (None, f32)
        and p["masked_score"] == -inf
        and p["unseen"] == "zero"
    )


_SLOTS = ("mask", "bias", "past_key", "past_value", "valid_length")
