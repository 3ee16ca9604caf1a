"""Rotary embeddings as ONNX Runtime's optimizers write them."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from glow.dialects.graph.binary import AddOp
from glow.dialects.graph.movement import ExpandOp
from glow.dialects.graph.rotary_embedding import RotaryEmbeddingOp
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op
from glow.support.types import shape_of

DOMAINS = ("com.microsoft",)


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
