"""Values that hold heads, as ONNX Runtime's operators pass and pack them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from glow.dialects.graph.binary import AddOp
from glow.dialects.graph.joining import SplitOp
from glow.dialects.graph.movement import ExpandOp, ReshapeOp, TransposeOp
from glow.dialects.graph.select import CastOp
from glow.importers.onnx.node import Node
from glow.support.types import element_type_of, shape_of

BY_HEAD = (0, 2, 1, 3)
I64 = np.dtype(np.int64)


def heads_of(node: Node, name: str = "num_heads") -> int:
    """Return how many heads there are, which the node must say."""
    heads = node.integer(name, 0)
    if heads < 1:
        node.invalid(f"expected attribute {name} of at least 1, got {heads}")
    return heads


def split_last(node: Node, value: SSAValue, sizes: Sequence[int]) -> list[SSAValue]:
    """Cut the last axis into parts of these `sizes`."""
    return list(node.emit_many(SplitOp, value, axis=-1, sizes=sizes))


def by_head(node: Node, value: SSAValue, heads: int) -> SSAValue:
    """Return [batch, length, heads * elements] as [batch, heads, length, elements]."""
    batch, length, width = shape_of(value)
    if width % heads:
        node.invalid(f"expected {heads} heads of equal size, got {width} elements")
    shape = (batch, length, heads, width // heads)
    split = node.emit(ReshapeOp, value, shape=shape)
    return node.emit(TransposeOp, split, permutation=BY_HEAD)


def joined(node: Node, value: SSAValue) -> SSAValue:
    """Return [batch, heads, length, elements] as [batch, length, heads * elements]."""
    batch, heads, length, elements = shape_of(value)
    swapped = node.emit(TransposeOp, value, permutation=BY_HEAD)
    return node.emit(ReshapeOp, swapped, shape=(batch, length, heads * elements))


def per_batch(node: Node, index: int, batch: int, more: int = 0) -> SSAValue:
    """Return an input of integers as i64 of shape [batch], plus `more`."""
    value = node.input(index)
    count = int(np.prod(shape_of(value)))
    if count not in (1, batch):
        node.invalid(f"expected {batch} integers as input {index}, got {value.type}")
    flat = node.emit(ReshapeOp, value, shape=(count,))
    wide = node.emit(CastOp, flat, to=element_type_of(I64))
    if more:
        wide = node.emit(AddOp, wide, node.literal(more, I64))
    return wide if count == batch else node.emit(ExpandOp, wide, shape=(batch,))
