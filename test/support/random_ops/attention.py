"""Random calls of attention and rotary embeddings."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import f64

from glow.dialects.graph.attention import AttentionOp
from glow.dialects.graph.rotary_embedding import RotaryEmbeddingOp
from random_ops.call import BOOL, FLOATS, INDICES, Array, Call, Dtype, Source

LENGTHS = (1, 2, 3, 7, 8, 9, 17)
ELEMENTS = (1, 2, 8, 12, 16)


def _attention(s: Source) -> Call:
    batch, kv_heads, group = (s.integer(1, 3) for _ in range(3))
    heads, length, new = kv_heads * group, s.choose(LENGTHS), s.choose(LENGTHS)
    elements, dtype = (s.choose(ELEMENTS), s.choose(ELEMENTS)), s.choose(FLOATS)
    counts = {"q_num_heads": heads, "kv_num_heads": kv_heads} if s.flip() else {}
    given = [
        _heads(s, (batch, *shape), dtype, bool(counts))
        for shape in (
            (heads, length, elements[0]),
            *((kv_heads, new, n) for n in elements),
        )
    ]
    past = s.choose((0, 1, 5)) if s.flip() else None
    cache = [
        None if past is None else s.finite((batch, kv_heads, past, n), dtype)
        for n in elements
    ]
    valid = None
    if past is None and s.flip():
        valid = np.asarray(s.rng.integers(-1, new + 3, batch), s.choose(INDICES))
    scores = (batch, heads, length, new + (past or 0))
    mask = np.asarray(s.rng.random(s.broadcast(scores)) < 0.7) if s.flip() else None
    bias = s.finite(s.broadcast(scores), dtype) if s.flip() else None
    assert mask is None or mask.dtype == BOOL
    slots = (*given, mask, bias, *cache, valid)
    return Call(AttentionOp, slots, counts | _choices(s), sums=True)


def _heads(s: Source, shape: tuple[int, ...], dtype: Dtype, is_flat: bool) -> Array:
    """Return elements of [batch, heads, length, elements], or flat."""
    if is_flat:
        shape = (shape[0], shape[2], shape[1] * shape[3])
    return s.finite(shape, dtype)


def _choices(s: Source) -> dict[str, Any]:
    return {
        "scale": s.choose((None, 0.5, 1.0)),
        "softcap": s.choose((0.0, 0.0, 1.5)),
        "causal": s.flip(),
        "left_window_size": s.choose((-1, -1, 0, 2)),
        "right_window_size": s.choose((-1, -1, 0, 2)),
        "softmax_precision": s.choose((None, None, f64)),
        "masked_score": s.choose((-np.inf, -np.inf, -1e4)),
        "unseen": s.choose(AttentionOp.declared()["unseen"].words),
        "scores_of": s.choose(AttentionOp.declared()["scores_of"].words),
        "with_present_key": s.flip(),
        "with_present_value": s.flip(),
        "with_scores": s.flip(),
    }


def _rotary(s: Source) -> Call:
    batch, heads, length = (s.integer(1, 4) for _ in range(3))
    elements, dtype = s.choose((2, 6, 8, 32)), s.choose(FLOATS)
    flags = {"interleaved": s.flip(), "num_heads": heads if s.flip() else None}
    shape = (batch, heads, length, elements)
    value = _heads(s, shape, dtype, flags["num_heads"] is not None)
    turned = s.choose((0, 2, elements))
    rows, half = s.integer(1, 9), (turned or elements) // 2
    positions, tables = None, (s.choose((1, batch)), length, half)
    if s.flip():
        drawn = s.rng.integers(-rows, rows, (batch, length))
        positions, tables = np.asarray(drawn, s.choose(INDICES)), (rows, half)
    angles = [s.finite(tables, dtype) for _ in range(2)]
    slots = (value, *angles, positions)
    flags["rotary_embedding_dim"] = turned
    return Call(RotaryEmbeddingOp, slots, flags, sums=True)


GENERATORS = {
    "graph.attention": _attention,
    "graph.rotary_embedding": _rotary,
}
