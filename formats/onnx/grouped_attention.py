"""ONNX Runtime's GroupQueryAttention, with a cache."""

from __future__ import annotations

import numpy as np

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.attention import AttentionOp
from glow.dialects.graph.joining import ConcatOp
from glow.dialects.graph.rotary_embedding import RotaryEmbeddingOp
from glow.dialects.graph.scattering import TensorScatterOp
from glow.dialects.graph.slicing import PadOp
from glow.dialects.graph.tensors import Tensor
from glow.formats.onnx.multi_head_attention import (
    by_head,
    heads_of,
    joined,
    per_batch,
    split_last,
)
from glow.formats.onnx.node import Node
from glow.formats.onnx.registry import onnx_op

SEQLENS, TOTAL, COS, SIN, POSITIONS, BIAS, SINK = 5, 6, 7, 8, 9, 10, 11


@onnx_op("GroupQueryAttention", domains=("com.microsoft",))
def group_query_attention(node: Node) -> tuple[Tensor | None, ...]:
    """
    Each element of the batch has a past of its own length, at the front of the cache.

    The total length must be known. A cache with room for it is written at the end of
    each past; a smaller one grows. Beyond that the cache keeps its contents, where ONNX
    Runtime has zeros unless past and present are one buffer.
    """
    _refuse_what_is_lacking(node)
    heads, shared = heads_of(node), heads_of(node, "kv_num_heads")
    query, key, value = _parts(node, heads, shared)
    batch, length, _ = query.shape
    total = _total(node, length)
    ends = per_batch(node, SEQLENS, batch) + 1
    # After a past, the positions before this step differ; in the first one, all are 0.
    starts = None if length == total else ends - length
    if node.integer("do_rotary", 0):
        positions = _positions(node, batch, length, starts)
        query = _rotated_parts(node, query, heads, positions)
        key = _rotated_parts(node, key, shared, positions)
    keys = _cached(node, 3, by_head(node, key, shared), total, starts)
    values = _cached(node, 4, by_head(node, value, shared), total, starts)
    window, capacity = node.integer("local_window_size", -1), keys.shape[2]
    mask = None
    if starts is None:  # which keys are not padding
        mask = node.literal(np.arange(capacity)) < ends.reshape(batch, 1, 1, 1)
    # Each query sees a key, itself, so results of one that sees none do not matter.
    result = node.emit(
        AttentionOp,
        by_head(node, query, heads),
        keys,
        values,
        mask,
        _bias(node, capacity),
        None,
        None,
        None if starts is None else ends,
        scale=node.real("scale", 0.0) or None,
        softcap=node.real("softcap", 0.0),
        causal=True,
        left_window_size=window - 1 if window > 0 else -1,
        unseen="nan",
    )
    return joined(result), keys, values


def _refuse_what_is_lacking(node: Node) -> None:
    if node.integer("smooth_softmax", 0) > 0 or node.optional(SINK) is not None:
        node.refuse("smooth_softmax or a head_sink")
    if node.is_read(3) or node.integer("qk_output", 0):
        node.refuse("an output of scores")
    kinds = [node.string(n) for n in ("k_quant_type", "v_quant_type") if node.has(n)]
    node.ignore("kv_cache_bit_width")
    if any(index is not None for index in node.inputs[12:]) or set(kinds) - {"NONE"}:
        node.refuse("a quantized cache")
    if (node.optional(3) is None) != (node.optional(4) is None):
        node.invalid("expected both past_key and past_value, or none")


def _parts(node: Node, heads: int, shared: int) -> list[Tensor]:
    """Return queries, keys and values, each [batch, length, heads * elements]."""
    query = node.input(0)
    if len(query.shape) != 3:
        node.invalid(f"expected a query of rank 3, got {query.type}")
    if node.optional(1) is not None:
        return [query, node.input(1), node.input(2)]
    width, count = query.shape[2], heads + 2 * shared
    if width % count:
        node.invalid(f"expected {count} packed heads of equal size, got {query.type}")
    size = width // count
    return split_last(node, query, (heads * size, shared * size, shared * size))


def _total(node: Node, length: int) -> int:
    """Return the largest number of positions of any element of the batch."""
    total = int(node.known(TOTAL, "a total_sequence_length").reshape(-1)[0])
    past = node.shape(3)[2] if node.optional(3) is not None else 0
    if total < length or (total > past and total not in (length, past + length)):
        node.invalid(
            f"expected a total_sequence_length of {past + length} for a cache that "
            f"grows, or of {length} to {past}, got {total}"
        )
    return total


def _positions(node: Node, batch: int, length: int, starts: Tensor | None) -> Tensor:
    """Return the position of each token; ONNX Runtime reads one of the first tokens."""
    if (given := node.optional(POSITIONS)) is not None:
        return given
    counted = node.literal(np.arange(length))
    if starts is None:
        return xp.broadcast_to(counted, (batch, length))
    return starts.reshape(batch, 1) + counted


def _rotated_parts(node: Node, value: Tensor, heads: int, positions: Tensor) -> Tensor:
    rotated, elements = 2 * node.shape(COS)[-1], value.shape[2] // heads
    return node.emit(
        RotaryEmbeddingOp,
        value,
        node.input(COS),
        node.input(SIN),
        positions,
        num_heads=heads,
        rotary_embedding_dim=rotated if rotated != elements else 0,
        interleaved=node.integer("rotary_interleaved", 0) != 0,
    )


def _cached(
    node: Node, index: int, new: Tensor, total: int, starts: Tensor | None
) -> Tensor:
    """Return the cache, input `index`, with `new` written at its place."""
    cache = node.optional(index)
    if cache is None or 0 in cache.shape:
        if starts is not None:
            got = total - new.shape[2]
            node.invalid(f"expected a past of {got} positions, got none")
        return new
    room = total - cache.shape[2]
    if room > 0:
        batch, heads, _, elements = new.shape
        zeros = np.zeros((batch, heads, room, elements), cache.dtype)
        cache = node.emit(ConcatOp, [cache, zeros], axis=2)
    return node.emit(TensorScatterOp, cache, new, starts, axis=2)


def _bias(node: Node, capacity: int) -> Tensor | None:
    """Return the bias of scores, with zeros where the cache is longer."""
    bias = node.optional(BIAS)
    if bias is None:
        return None
    missing = capacity - bias.shape[-1]
    if missing < 1:
        return bias
    return node.emit(PadOp, bias, pads=[0] * 7 + [missing])
