"""ONNX Runtime's RotaryEmbedding."""

from __future__ import annotations

import numpy as np

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.rotary_embedding import RotaryEmbeddingOp
from glow.dialects.graph.tensors import Tensor
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op

DOMAINS = ("com.microsoft",)


@onnx_op("RotaryEmbedding", domains=DOMAINS)
def rotary_embedding(node: Node) -> Tensor:
    """Positions stand before the tables; a single one is that of the first token."""
    if node.integer("is_packed_batching", 0) or node.real("scale", 1.0) != 1:
        node.refuse("is_packed_batching or a scale")
    value, rotated = node.input(0), node.integer("rotary_embedding_dim", 0)
    heads, shape = node.integer("num_heads", 0), node.shape(0)
    if len(shape) == 3 and not heads:
        if rotated:
            node.invalid("attribute num_heads is missing")
        heads = shape[2] // max(2 * node.shape(2)[-1], 1)
    return node.emit(
        RotaryEmbeddingOp,
        value,
        node.input(2),
        node.input(3),
        _positions(node, shape[0], shape[-2] if len(shape) == 4 else shape[1]),
        num_heads=heads if len(shape) == 3 else None,
        rotary_embedding_dim=rotated,
        interleaved=node.integer("interleaved", 0) != 0,
    )


def _positions(node: Node, batch: int, length: int) -> Tensor:
    value = node.input(1)
    if value.shape != (1,):
        return value
    counted = value + np.arange(length, dtype=value.dtype)
    return xp.broadcast_to(counted, (batch, length))
