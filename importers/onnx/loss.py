"""Losses of classifications."""

from __future__ import annotations

from typing import Any

from glow.dialects.graph.loss import CrossEntropyLossOp, NegativeLogLikelihoodLossOp
from glow.dialects.graph.tensors import Tensor
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op


@onnx_op("NegativeLogLikelihoodLoss")
def negative_log_likelihood(node: Node) -> Tensor:
    return node.emit(NegativeLogLikelihoodLossOp, *_given(node), **_parameters(node))


@onnx_op("SoftmaxCrossEntropyLoss")
def cross_entropy(node: Node) -> tuple[Tensor, ...]:
    return node.emit_all(
        CrossEntropyLossOp,
        *_given(node),
        **_parameters(node),
        with_log_prob=node.is_read(1),
    )


def _given(node: Node) -> tuple[Tensor, Tensor, Tensor | None]:
    return node.input(0), node.input(1), node.optional(2)


def _parameters(node: Node) -> dict[str, Any]:
    has_ignored = node.has("ignore_index")
    return {
        "reduction": node.choice("reduction", "none", "sum", "mean"),
        "ignore_index": node.integer("ignore_index") if has_ignored else None,
    }
