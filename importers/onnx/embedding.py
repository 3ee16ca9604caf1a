"""
Rows of tables, in operators that ONNX does not define.

PyTorch exports embedding_bag as a call of ATen, its tensor library, where ONNX has no
operator (ONNX_ATEN_FALLBACK); Caffe2's operators are nodes of its own domain, or of
none where they came with Caffe2's exporter.
"""

from __future__ import annotations

from collections.abc import Sequence

from glow.dialects.graph.embedding import (
    MODES,
    EmbeddingBagOp,
    EmbeddingOp,
    SparseLengthsSumOp,
)
from glow.dialects.graph.tensors import Tensor
from glow.importers.onnx.node import Node
from glow.importers.onnx.records import DEFAULT_DOMAIN
from glow.importers.onnx.registry import Outputs, onnx_op

ATEN = (DEFAULT_DOMAIN, "org.pytorch.aten")
CAFFE2 = (DEFAULT_DOMAIN, "org.pytorch._caffe2")


@onnx_op("ATen", domains=ATEN)
def aten(node: Node) -> Outputs:
    """Import a call of the function that attribute `operator` names."""
    if not node.has("operator"):
        node.invalid("attribute operator is missing")
    # Which of several functions of one name; that, and what gradients are like.
    node.ignore("overload_name", "scale_grad_by_freq", "sparse")
    match node.string("operator"):
        case "embedding":
            node.ignore("padding_idx")  # it concerns training only
            return node.emit(EmbeddingOp, node.input(0), node.input(1))
        case "embedding_bag":
            return _embedding_bag(node)
        case other:
            node.refuse(f"operator={other!r}")


def _embedding_bag(node: Node) -> Sequence[Tensor]:
    """The first of four results; the others are there for gradients."""
    mode, padding_idx = node.integer("mode", 0), node.integer("padding_idx", -1)
    if not 0 <= mode < len(MODES):
        node.invalid(f"expected a mode from 0 to {len(MODES) - 1}, got {mode}")
    bags = node.emit(
        EmbeddingBagOp,
        node.input(0),
        node.input(1),
        node.optional(2),
        node.optional(3),
        mode=MODES[mode],
        padding_idx=padding_idx if padding_idx >= 0 else None,
        include_last_offset=node.integer("include_last_offset", 0) != 0,
    )
    return [bags]


@onnx_op("SparseLengthsSum", "SparseLengthsMean", domains=CAFFE2)
def sparse_lengths(node: Node) -> Tensor:
    given = [node.input(index) for index in range(3)]
    return node.emit(SparseLengthsSumOp, *given, mode=_mode(node))


@onnx_op("SparseLengthsWeightedSum", "SparseLengthsWeightedMean", domains=CAFFE2)
def sparse_lengths_weighted(node: Node) -> Tensor:
    """Weights stand behind the table."""
    table, weights, *bags = (node.input(index) for index in range(4))
    node.ignore("grad_on_weights")
    return node.emit(SparseLengthsSumOp, table, *bags, weights, mode=_mode(node))


def _mode(node: Node) -> str:
    return "mean" if node.record.op_type.endswith("Mean") else "sum"
