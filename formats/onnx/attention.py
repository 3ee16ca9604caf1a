"""Attention as ONNX defines it, and rotary embeddings, also of ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp, f32, f64, i1, i64
from xdsl.ir import SSAValue

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.attention import AttentionOp
from glow.dialects.graph.attention_sizes import SCORES
from glow.dialects.graph.rotary_embedding import RotaryEmbeddingOp
from glow.dialects.graph.slicing import PadOp
from glow.dialects.graph.tensors import OpList, Tensor
from glow.formats.onnx.node import Node
from glow.formats.onnx.nodes import NodeWriter, OnnxForm, OnnxValue
from glow.formats.onnx.registry import Outputs, onnx_form, onnx_op
from glow.formats.onnx.tensors import dtype_of_onnx
from glow.passes.constants import Constants
from glow.passes.graph.decompose_attention import decompose_attention
from glow.passes.graph.decompose_rotary_embedding import decompose_rotary_embedding
from glow.support.arrays import Array
from glow.support.dtypes import is_narrow
from glow.support.types import element_of, element_type_of, shape_of


@onnx_op("Attention")
def attention(node: Node) -> Outputs:
    mask, bias = _mask(node)
    mode = node.integer("qk_matmul_output_mode")
    if not 0 <= mode < len(SCORES):
        node.invalid(f"expected qk_matmul_output_mode from 0 to 3, got {mode}")
    precision = None
    if node.has("softmax_precision"):
        kind = node.integer("softmax_precision")
        dtype = dtype_of_onnx(kind, "the attribute softmax_precision")
        # Of floats of 16 bits, softmax is computed in f32 in any case.
        precision = f32 if is_narrow(dtype) else element_type_of(dtype)
    return node.apply(
        AttentionOp,
        *(node.input(index) for index in range(3)),
        mask,
        bias,
        *(node.optional(index) for index in (4, 5, 6)),
        q_num_heads=_heads(node, "q_num_heads"),
        kv_num_heads=_heads(node, "kv_num_heads"),
        causal=node.flag("is_causal"),
        softmax_precision=precision,
        scores_of=SCORES[mode],
    )


@onnx_form(AttentionOp)
def attention_node(op: AttentionOp, out: NodeWriter) -> Sequence[OnnxValue | None]:
    """ONNX has one mask and no window; a query that sees no key has weights of 0."""
    mask = op.bias if op.mask is None else op.mask
    is_plain = (
        out.has("Attention")
        and (op.mask is None or op.bias is None)
        and (mask is None or _is_mask(op, mask))
        and (op.valid_length is None or out.opset >= 24)
        and max(op.left_window_size, op.right_window_size) < 0
        and (op.mask is None or op.masked_score == -inf)
        and op.unseen == "zero"
    )
    if not is_plain:
        return out.function(op, _products)
    heads = {name: getattr(op, name) for name in ("q_num_heads", "kv_num_heads")}
    return out.outputs(
        [slot is not None for slot in _results(op)],
        "Attention",
        *(op.query, op.key, op.value, mask),
        *(op.past_key, op.past_value, op.valid_length),
        **(heads if op.sizes.is_flat else {}),
        scale=op.scale,
        softcap=op.softcap,
        is_causal=op.causal,
        softmax_precision=op.softmax_precision,
        qk_matmul_output_mode=SCORES.index(op.scores_of),
    )


def _results(op: AttentionOp) -> tuple[SSAValue | None, ...]:
    return op.result, op.present_key, op.present_value, op.scores


def _is_mask(op: AttentionOp, mask: SSAValue) -> bool:
    """Return whether a mask covers all keys and has a rank that ONNX broadcasts."""
    shape = shape_of(mask)
    return len(shape) in (2, 4) and shape[-1] == op.sizes.total


def _products(op: AttentionOp, out: NodeWriter) -> Sequence[OnnxValue | None]:
    new = _Draft()
    results = decompose_attention(op, cast(Any, new), "")
    for each in new.ops:
        out.write(cast(Any, each))
    return cast(Sequence[Tensor], results)


class _Draft(OpList):
    """Ops of a pattern, which may discard them; constants by symbol are unknown."""

    constants = Constants(ModuleOp([]))

    def constant(self, array: Array, name: str | None = None) -> SSAValue:
        return super().constant(array)

    def discard(self) -> None:
        self.ops.clear()


def _heads(node: Node, name: str) -> int | None:
    """Return how many heads the last axis holds; of rank 4 the shape says it."""
    heads = node.integer(name, 0)
    if len(node.shape(0)) == 4:
        return None
    return heads or None


def _mask(node: Node) -> tuple[Tensor | None, Tensor | None]:
    """
    Return the mask, if it is one of booleans, and the bias, if it is one of numbers.

    Keys beyond its end are not seen; before opset 24, one column broadcasts.
    """
    value = node.optional(3)
    if value is None:
        return None, None
    shape = value.shape
    is_bool = value.element == i1
    missing = _total(node) - shape[-1] if shape else 0
    if missing > 0 and (node.opset >= 24 or shape[-1] != 1):
        pads = [0] * (2 * len(shape) - 1) + [missing]
        dtype = np.dtype(np.bool_) if is_bool else node.dtype(3)
        nothing = node.literal(False if is_bool else -np.inf, dtype)
        value = node.emit(PadOp, value, nothing, pads=pads)
    return (value, None) if is_bool else (None, value)


def _total(node: Node) -> int:
    """Return the positions of keys, past and new."""
    past = node.shape(4)[2] if node.optional(4) is not None else 0
    return past + node.shape(1)[-2]


@onnx_op("RotaryEmbedding")
def rotary_embedding(node: Node) -> Outputs:
    return node.apply(RotaryEmbeddingOp, num_heads=_heads(node, "num_heads"))


@onnx_form(RotaryEmbeddingOp)
def rotary_embedding_node(
    op: RotaryEmbeddingOp, out: NodeWriter
) -> OnnxValue | Sequence[OnnxValue | None]:
    """ONNX takes positions of 64 bits, or tables for each element of the batch."""
    batch = shape_of(op.input)[0]
    fits = shape_of(op.cos)[0] == shape_of(op.sin)[0] == batch
    if op.positions is not None:
        fits = element_of(op.positions) == i64
    if fits and out.has("RotaryEmbedding") and element_of(op.input) != f64:
        return out.as_node("RotaryEmbedding", op)
    return out.function(op, cast(OnnxForm, decompose_rotary_embedding))


@onnx_op("RotaryEmbedding", domains=("com.microsoft",))
def rotary_embedding_of_onnx_runtime(node: Node) -> Tensor:
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
