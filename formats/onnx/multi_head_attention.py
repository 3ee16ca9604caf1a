"""ONNX Runtime's MultiHeadAttention and Attention."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import i1

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.attention import AttentionOp
from glow.dialects.graph.joining import SplitOp
from glow.dialects.graph.scattering import TensorScatterOp
from glow.dialects.graph.tensors import Tensor
from glow.formats.onnx.node import Node
from glow.formats.onnx.registry import onnx_op

DOMAINS = ("com.microsoft",)
BY_HEAD = (0, 2, 1, 3)
MASKED = -10000.0  # what is added to the score of a key that is masked


@onnx_op("MultiHeadAttention", domains=DOMAINS)
def multi_head_attention(node: Node) -> tuple[Tensor | None, ...]:
    """
    Queries, keys and values apart, or packed: all of a head, or its key and value.

    Those of [batch, heads, length, elements] are of another sequence, and have no bias.
    With a length of the past, cache and past are one buffer, which is written there.
    """
    if node.optional(9) is not None or node.is_read(3):
        node.refuse("a cache_indirection or an output of scores")
    heads = heads_of(node)
    query, key, value = (
        each if each.ndim == 4 else by_head(node, each, heads)
        for each in _biased(node, heads)
    )
    slots: list[Tensor | None] = [*_past(node, 6, 7), None]
    if node.optional(8) is not None:
        past = per_batch(node, 8, query.shape[0])
        key = node.emit(TensorScatterOp, node.input(6), key, past, axis=2)
        value = node.emit(TensorScatterOp, node.input(7), value, past, axis=2)
        slots = [None, None, past + query.shape[2]]
    results = _attended(node, (query, key, value), (4, 5), slots)
    return joined(results[0]), results[1], results[2]


@onnx_op("Attention", domains=DOMAINS)
def attention(node: Node) -> tuple[Tensor | None, ...]:
    """One product makes queries, keys and values; the past holds keys, then values."""
    if node.integer("do_rotary", 0) or node.integer("past_present_share_buffer", 0):
        node.refuse("do_rotary or past_present_share_buffer")
    if node.optional(6) is not None:
        node.refuse("a past_sequence_length")
    node.ignore("rotary_embedding_dim")
    heads, made = heads_of(node), node.input(0) @ node.input(1)
    if (bias := node.optional(2)) is not None:
        made = made + bias
    width = made.shape[-1]
    sizes = node.integers("qkv_hidden_sizes") or (width // 3,) * 3
    if len(sizes) != 3 or sum(sizes) != width:
        node.invalid(f"expected three sizes of {width} elements together, got {sizes}")
    parts = [by_head(node, part, heads) for part in split_last(node, made, sizes)]
    results = _attended(node, parts, (3, 5), _parts_of_past(node))
    present = xp.stack(results[1:]) if node.is_read(1) else None
    return joined(results[0]), present


def _attended(
    node: Node,
    parts: Sequence[Tensor],
    numbers: tuple[int, int],
    slots: Sequence[Tensor | None],
) -> Sequence[Tensor]:
    """
    Return result, keys and values of an attention of `parts`, which are by head.

    `numbers` are those of the inputs with mask and bias; `slots` begin with the past.
    """
    query, key, _ = parts
    past = 0 if slots[0] is None else slots[0].shape[2]
    shape = (query.shape[0], query.shape[2], key.shape[2] + past)
    return node.emit_all(
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


def _parts_of_past(node: Node) -> tuple[Tensor | None, Tensor | None]:
    """Return keys and values of a past [2, batch, heads, length, elements]."""
    past = node.optional(4)
    if past is None:
        return None, None
    both, *shape = past.shape
    if both != 2 or len(shape) != 4:
        node.invalid(f"expected a past [2, batch, heads, ...], got {past.type}")
    return past[0], past[1]


def _past(node: Node, *indices: int) -> list[Tensor | None]:
    """Return past keys and values; none of them where they have no positions."""
    past = [node.optional(index) for index in indices]
    is_empty = any(value is not None and 0 in value.shape for value in past)
    return [None, None] if is_empty else past


def _biased(node: Node, heads: int) -> Sequence[Tensor]:
    """Return queries, keys and values with their parts of the bias, if there is one."""
    given = _unpacked(node, heads)
    bias = node.optional(3)
    if bias is None:
        return given
    width, last = given[0].shape[2], given[2]
    widths = (width, width, last.shape[2] if last.ndim == 3 else width)
    if node.shape(3) != (sum(widths),):
        node.invalid(f"expected a bias of shape [{sum(widths)}], got {bias.type}")
    parts = split_last(node, bias, widths)
    return [
        value + part if value.ndim == 3 else value
        for value, part in zip(given, parts, strict=True)
    ]


def _unpacked(node: Node, heads: int) -> Sequence[Tensor]:
    """Return queries, keys and values, each in its own tensor."""
    query, rank = node.input(0), len(node.shape(0))
    if rank == 5:
        return _cut(node, query, heads, 3)
    if node.optional(1) is not None and len(node.shape(1)) == 5:
        return [query, *_cut(node, node.input(1), heads, 2)]
    given = [query, node.input(1), node.input(2)]
    for index, value in enumerate(given):
        if len(value.shape) not in ((3, 4) if index else (3,)):
            node.invalid(f"expected input {index} of rank 3, got {value.type}")
    return given


def _cut(node: Node, value: Tensor, heads: int, count: int) -> list[Tensor]:
    """Cut [batch, length, heads, count, elements] into [batch, length, width] each."""
    batch, length, *packed, elements = value.shape
    if packed != [heads, count]:
        got = value.type
        node.invalid(f"expected {heads} heads of {count} packed parts, got {got}")
    shape = (batch, length, heads * elements)
    return [value[:, :, :, i].reshape(*shape) for i in range(count)]


def _added_to_scores(
    node: Node, mask_at: int, bias_at: int, shape: tuple[int, int, int]
) -> Tensor | None:
    """Return bias and mask as one, for scores of [batch, queries, keys]."""
    bias, number = node.optional(bias_at), node.real("mask_filter_value", MASKED)
    kept = _kept(node, mask_at, shape)
    if kept is None:
        return bias
    added = xp.where(kept, node.literal(0, node.dtype(0)), number)
    return added if bias is None else bias + added


def _kept(node: Node, index: int, shape: tuple[int, int, int]) -> Tensor | None:
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
    whole = mask.reshape(batch, 1, rows, keys)
    return whole if whole.element == i1 else whole > 0


def _within(node: Node, mask: Tensor, count: int, batch: int, keys: int) -> Tensor:
    """Return a mask of keys between start and end of each batch."""
    if count not in (batch, 2 * batch, 3 * batch + 2):
        node.invalid(
            f"expected {batch} lengths of keys, or twice as many with starts, or "
            f"{3 * batch + 2} of lengths and sums of them, got {count}"
        )
    places = node.literal(np.arange(keys))
    bounds = mask.astype(np.int64).reshape(count, 1, 1, 1)
    kept = places < bounds[:batch]
    return kept & (places >= bounds[batch:]) if count == 2 * batch else kept


def heads_of(node: Node, name: str = "num_heads") -> int:
    """Return how many heads there are, which the node must say."""
    heads = node.integer(name, 0)
    if heads < 1:
        node.invalid(f"expected attribute {name} of at least 1, got {heads}")
    return heads


def split_last(node: Node, value: Tensor, sizes: Sequence[int]) -> list[Tensor]:
    """Cut the last axis into parts of these `sizes`."""
    return list(node.emit_all(SplitOp, value, axis=-1, sizes=sizes))


def by_head(node: Node, value: Tensor, heads: int) -> Tensor:
    """Return [batch, length, heads * elements] as [batch, heads, length, elements]."""
    batch, length, width = value.shape
    if width % heads:
        node.invalid(f"expected {heads} heads of equal size, got {width} elements")
    return value.reshape(batch, length, heads, width // heads).transpose(*BY_HEAD)


def joined(value: Tensor) -> Tensor:
    """Return [batch, heads, length, elements] as [batch, length, heads * elements]."""
    batch, heads, length, elements = value.shape
    return value.transpose(*BY_HEAD).reshape(batch, length, heads * elements)


def per_batch(node: Node, index: int, batch: int) -> Tensor:
    """Return an input of integers as i64 of shape [batch]."""
    value = node.input(index)
    if value.size not in (1, batch):
        node.invalid(f"expected {batch} integers as input {index}, got {value.type}")
    return xp.broadcast_to(value.reshape(value.size).astype(np.int64), (batch,))
