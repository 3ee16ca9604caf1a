"""Attention and rotary embeddings as ONNX Runtime's optimizers write them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from glow.dialects.graph.attention import AttentionOp
from glow.dialects.graph.binary import AddOp
from glow.dialects.graph.movement import ExpandOp, ReshapeOp
from glow.dialects.graph.rotary_embedding import RotaryEmbeddingOp
from glow.dialects.graph.select import CastOp, WhereOp
from glow.dialects.graph.slicing import SliceOp
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op
from glow.support.types import shape_of

DOMAINS = ("com.microsoft",)
MASKED = -10000.0  # what is added to the score of a key that is masked


@onnx_op("RotaryEmbedding", domains=DOMAINS)
def rotary_embedding(node: Node) -> SSAValue:
    """Positions stand before the tables; a single one is that of the first token."""
    if node.integer("is_packed_batching", 0) or node.real("scale", 1.0) != 1:
        node.refuse("is_packed_batching or a scale")
    value, turned = node.input(0), node.integer("rotary_embedding_dim", 0)
    heads, shape = node.integer("num_heads", 0), node.shape(0)
    if len(shape) == 3 and not heads:
        if turned:
            node.invalid("attribute num_heads is missing")
        heads = shape[2] // max(2 * node.shape(2)[-1], 1)
    return node.emit(
        RotaryEmbeddingOp,
        value,
        node.input(2),
        node.input(3),
        _positions(node, shape[0], shape[-2] if len(shape) == 4 else shape[1]),
        num_heads=heads if len(shape) == 3 else None,
        rotary_embedding_dim=turned,
        interleaved=node.integer("interleaved", 0) != 0,
    )


def _positions(node: Node, batch: int, length: int) -> SSAValue:
    value = node.input(1)
    if shape_of(value) != (1,):
        return value
    counted = node.literal(np.arange(length), node.dtype(1))
    return node.emit(ExpandOp, node.emit(AddOp, value, counted), shape=(batch, length))


@onnx_op("MultiHeadAttention", domains=DOMAINS)
def multi_head_attention(node: Node) -> tuple[SSAValue | None, ...]:
    """Of equally many heads of queries, keys and values, each [batch, length, ...]."""
    if any(node.optional(i) is None or len(node.shape(i)) != 3 for i in range(3)):
        node.refuse("packed or split heads")
    if node.optional(8) is not None or node.optional(9) is not None:
        node.refuse("a cache of fixed length")
    heads, scale = node.integer("num_heads", 0), node.real("scale", 0.0)
    wanted = [True, node.is_read(1), node.is_read(2)]
    found = node.emit_many(
        AttentionOp,
        *_biased(node),
        None,
        _added_to_scores(node),
        node.optional(6),
        node.optional(7),
        q_num_heads=heads,
        kv_num_heads=heads,
        scale=scale or None,
        causal=node.integer("unidirectional", 0) != 0,
        with_present_key=wanted[1],
        with_present_value=wanted[2],
    )
    results = iter(found)
    return tuple(next(results) if present else None for present in wanted)


def _biased(node: Node) -> Sequence[SSAValue]:
    """Return queries, keys and values with their parts of the bias, if there is one."""
    given, bias = [node.input(index) for index in range(3)], node.optional(3)
    if bias is None:
        return given
    widths = [shape_of(value)[2] for value in given]
    if node.shape(3) != (sum(widths),):
        node.invalid(f"expected a bias of shape [{sum(widths)}], got {bias.type}")
    starts = [sum(widths[:index]) for index in range(3)]
    return [
        node.emit(
            AddOp,
            value,
            node.emit(SliceOp, bias, starts=(start,), sizes=(width,), steps=(1,)),
        )
        for value, start, width in zip(given, starts, widths, strict=True)
    ]


def _added_to_scores(node: Node) -> SSAValue | None:
    """Return the bias of scores, and what a mask of keys adds to them."""
    mask, bias = node.optional(4), node.optional(5)
    number = node.real("mask_filter_value", MASKED)
    if mask is None:
        return bias
    shape = node.shape(4)
    if len(shape) not in (2, 3):
        node.refuse("a key_padding_mask of lengths")
    rows = shape[1] if len(shape) == 3 else 1
    whole = node.emit(ReshapeOp, mask, shape=(shape[0], 1, rows, shape[-1]))
    kept = node.emit(CastOp, whole, to=i1)
    nothing = node.literal(0, node.dtype(0))
    added = node.emit(WhereOp, kept, nothing, node.literal(number, node.dtype(0)))
    return added if bias is None else node.emit(AddOp, bias, added)
