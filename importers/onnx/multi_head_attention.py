"""ONNX Runtime's attention of equally many heads, as its optimizers write it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from glow.dialects.graph.attention import AttentionOp
from glow.dialects.graph.binary import AddOp
from glow.dialects.graph.comparison import GreaterOp, GreaterOrEqualOp, LessOp
from glow.dialects.graph.joining import ConcatOp
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.logic import AndOp
from glow.dialects.graph.movement import ReshapeOp
from glow.dialects.graph.scattering import TensorScatterOp
from glow.dialects.graph.select import CastOp, WhereOp
from glow.dialects.graph.slicing import SliceOp
from glow.importers.onnx._heads import (
    I64,
    by_head,
    heads_of,
    joined,
    per_batch,
    split_last,
)
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op
from glow.support.types import element_of, shape_of

DOMAINS = ("com.microsoft",)
MASKED = -10000.0  # what is added to the score of a key that is masked


@onnx_op("MultiHeadAttention", domains=DOMAINS)
def multi_head_attention(node: Node) -> tuple[SSAValue | None, ...]:
    """
    Queries, keys and values apart, or packed: all of a head, or its key and value.

    Those of [batch, heads, length, elements] are of another sequence, and have no bias.
    With a length of the past, cache and past are one buffer, which is written there.
    """
    if node.optional(9) is not None or node.is_read(3):
        node.refuse("a cache_indirection or an output of scores")
    heads = heads_of(node)
    query, key, value = (_split(node, v, heads) for v in _biased(node, heads))
    slots: list[SSAValue | None] = [*_past(node, 6, 7), None]
    if node.optional(8) is not None:
        slots = [None, None, _ends(node, query)]
        key, value = _written(node, 6, key), _written(node, 7, value)
    found = _attended(node, (query, key, value), (4, 5), slots)
    return joined(node, found[0]), found[1], found[2]


@onnx_op("Attention", domains=DOMAINS)
def attention(node: Node) -> tuple[SSAValue | None, ...]:
    """One product makes queries, keys and values; the past holds keys, then values."""
    if node.integer("do_rotary", 0) or node.integer("past_present_share_buffer", 0):
        node.refuse("do_rotary or past_present_share_buffer")
    if node.optional(6) is not None:
        node.refuse("a past_sequence_length")
    node.ignore("rotary_embedding_dim")
    heads, made = heads_of(node), node.emit(MatMulOp, node.input(0), node.input(1))
    if (bias := node.optional(2)) is not None:
        made = node.emit(AddOp, made, bias)
    width = shape_of(made)[-1]
    sizes = node.integers("qkv_hidden_sizes") if node.has("qkv_hidden_sizes") else None
    sizes = sizes or (width // 3,) * 3
    if len(sizes) != 3 or sum(sizes) != width:
        node.invalid(f"expected three sizes of {width} elements together, got {sizes}")
    parts = split_last(node, made, sizes)
    query, key, value = (by_head(node, part, heads) for part in parts)
    past = _parts_of_past(node)
    found = _attended(node, (query, key, value), (3, 5), past)
    result = joined(node, found[0])
    if not node.is_read(1):
        return (result,)
    both = [node.emit(ReshapeOp, v, shape=(1, *shape_of(v))) for v in found[1:]]
    return result, node.emit(ConcatOp, both, axis=0)


def _attended(
    node: Node,
    parts: tuple[SSAValue, SSAValue, SSAValue],
    numbers: tuple[int, int],
    slots: Sequence[SSAValue | None],
) -> Sequence[SSAValue]:
    """
    Return result, keys and values of an attention of `parts`, which are by head.

    `numbers` are those of the inputs with mask and bias; `slots` begin with the past.
    """
    query, key, _ = parts
    past = 0 if slots[0] is None else shape_of(slots[0])[2]
    shape = (shape_of(query)[0], shape_of(query)[2], shape_of(key)[2] + past)
    return node.emit_many(
        AttentionOp,
        *parts,
        None,
        _added_to_scores(node, *numbers, shape),
        *slots,
        scale=node.real("scale", 0.0) or None,
        causal=node.integer("unidirectional", 0) != 0,
        with_present_key=True,
        with_present_value=True,
    )


def _parts_of_past(node: Node) -> tuple[SSAValue | None, SSAValue | None]:
    """Return keys and values of a past [2, batch, heads, length, elements]."""
    past = node.optional(4)
    if past is None:
        return None, None
    both, *shape = shape_of(past)
    if both != 2 or len(shape) != 4:
        node.invalid(f"expected a past [2, batch, heads, ...], got {past.type}")
    steps = [1] * 5
    sizes, places = (1, *shape), ((0,) * 5, (1, 0, 0, 0, 0))
    key, value = (
        node.emit(SliceOp, past, starts=at, sizes=sizes, steps=steps) for at in places
    )
    return node.emit(ReshapeOp, key, shape=shape), node.emit(
        ReshapeOp, value, shape=shape
    )


def _past(node: Node, *indices: int) -> list[SSAValue | None]:
    """Return past keys and values; none of them where they have no positions."""
    past = [node.optional(index) for index in indices]
    is_empty = any(value is not None and 0 in shape_of(value) for value in past)
    return [None, None] if is_empty else past


def _split(node: Node, value: SSAValue, heads: int) -> SSAValue:
    return value if len(shape_of(value)) == 4 else by_head(node, value, heads)


def _biased(node: Node, heads: int) -> Sequence[SSAValue]:
    """Return queries, keys and values with their parts of the bias, if there is one."""
    given = _unpacked(node, heads)
    bias = node.optional(3)
    if bias is None:
        return given
    flat = [value for value in given if len(shape_of(value)) == 3]
    width = shape_of(given[0])[2]
    last = given[2]
    widths = (width, width, shape_of(last)[2] if last in flat else width)
    if node.shape(3) != (sum(widths),):
        node.invalid(f"expected a bias of shape [{sum(widths)}], got {bias.type}")
    parts = split_last(node, bias, widths)
    return [
        node.emit(AddOp, value, part) if value in flat else value
        for value, part in zip(given, parts, strict=True)
    ]


def _unpacked(node: Node, heads: int) -> Sequence[SSAValue]:
    """Return queries, keys and values, each in its own tensor."""
    query, rank = node.input(0), len(node.shape(0))
    if rank == 5:
        return _cut(node, query, heads, 3)
    if node.optional(1) is not None and len(node.shape(1)) == 5:
        return [query, *_cut(node, node.input(1), heads, 2)]
    given = [query, node.input(1), node.input(2)]
    for index, value in enumerate(given):
        if len(shape_of(value)) not in ((3, 4) if index else (3,)):
            node.invalid(f"expected input {index} of rank 3, got {value.type}")
    return given


def _cut(node: Node, value: SSAValue, heads: int, count: int) -> list[SSAValue]:
    """Cut [batch, length, heads, count, elements] into [batch, length, width] each."""
    batch, length, found, packed, elements = shape_of(value)
    if (found, packed) != (heads, count):
        node.invalid(
            f"expected {heads} heads of {count} packed parts, got {value.type}"
        )
    sizes, steps = (batch, length, heads, 1, elements), (1,) * 5
    parts = [
        node.emit(SliceOp, value, starts=(0, 0, 0, i, 0), sizes=sizes, steps=steps)
        for i in range(count)
    ]
    shape = (batch, length, heads * elements)
    return [node.emit(ReshapeOp, part, shape=shape) for part in parts]


def _ends(node: Node, query: SSAValue) -> SSAValue:
    """Return how many positions are filled behind this step, per batch."""
    batch, _, length, _ = shape_of(query)
    return per_batch(node, 8, batch, more=length)


def _written(node: Node, index: int, new: SSAValue) -> SSAValue:
    """Return the cache, input `index`, with what is `new` behind the past."""
    at = per_batch(node, 8, shape_of(new)[0])
    return node.emit(TensorScatterOp, node.input(index), new, at, axis=2)


def _added_to_scores(
    node: Node, mask_at: int, bias_at: int, shape: tuple[int, int, int]
) -> SSAValue | None:
    """
    Return the bias of scores, and what a mask of keys adds to them.

    `shape` is batch, queries and keys of the scores.
    """
    bias, number = node.optional(bias_at), node.real("mask_filter_value", MASKED)
    kept = _kept(node, mask_at, shape)
    if kept is None:
        return bias
    nothing = node.literal(0, node.dtype(0))
    added = node.emit(WhereOp, kept, nothing, node.literal(number, node.dtype(0)))
    return added if bias is None else node.emit(AddOp, bias, added)


def _kept(node: Node, index: int, shape: tuple[int, int, int]) -> SSAValue | None:
    """Return which keys a mask keeps, given as numbers above 0 or as lengths."""
    mask, (batch, rows, keys) = node.optional(index), shape
    if mask is None:
        return None
    given = node.shape(index)
    if len(given) == 1:
        return _within(node, mask, given[0], batch, keys)
    if given in ((batch, 1), (1, 1)) and keys != 1:
        return None  # a dummy, as ONNX Runtime's operator takes it
    if given == (batch, keys):
        rows = 1
    elif given != (batch, rows, keys):
        node.refuse(f"a mask of shape {list(given)}")
    whole = node.emit(ReshapeOp, mask, shape=(batch, 1, rows, keys))
    if element_of(whole) == i1:
        return whole
    return node.emit(GreaterOp, whole, node.literal(0, node.dtype(index)))


def _within(node: Node, mask: SSAValue, count: int, batch: int, keys: int) -> SSAValue:
    """Return which keys lie before the end of each batch, and behind its start."""
    if count not in (batch, 2 * batch, 3 * batch + 2):
        node.invalid(
            f"expected {batch} lengths of keys, or twice as many with starts, or "
            f"{3 * batch + 2} of lengths and sums of them, got {count}"
        )
    places = node.literal(np.arange(keys), I64)
    parts: list[SSAValue] = []
    for test, start in ((LessOp, 0), (GreaterOrEqualOp, batch)):
        if start and count != 2 * batch:
            break
        part = node.emit(SliceOp, mask, starts=(start,), sizes=(batch,), steps=(1,))
        wide = node.emit(CastOp, part, to=element_of(places))
        bounds = node.emit(ReshapeOp, wide, shape=(batch, 1, 1, 1))
        parts.append(node.emit(test, places, bounds))
    return parts[0] if len(parts) == 1 else node.emit(AndOp, *parts)
