"""Heads of attention: splitting, joining and lengths per batch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.joining import SplitOp
from glow.dialects.graph.tensors import Tensor
from glow.importers.onnx.node import Node

BY_HEAD = (0, 2, 1, 3)


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
