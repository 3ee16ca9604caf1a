"""Dropout, in inference."""

from __future__ import annotations

from glow.dialects.graph.dropout import DropoutOp
from glow.dialects.graph.select import CastOp
from glow.dialects.graph.tensors import Tensor
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op


@onnx_op("Dropout")
def dropout_of_attributes(node: Node) -> tuple[Tensor, ...]:
    """Up to opset 9, the mask has the type of the input."""
    if node.opset < 7 and not node.flag("is_test"):
        node.refuse("is_test=0")
    node.ignore("ratio")  # it concerns training only
    results = node.emit_all(DropoutOp, node.input(0), with_mask=node.is_read(1))
    if len(results) == 1 or node.opset >= 10:
        return results
    return results[0], node.emit(CastOp, results[1], to=node.element(0))


@onnx_op("Dropout", since=12)
def dropout(node: Node) -> tuple[Tensor, ...]:
    node.ignore("seed")
    is_training = node.optional(2) is not None and node.known(2, "a training_mode")
    # Only what drops nothing does not ask for random numbers.
    if is_training and (node.optional(1) is None or node.known(1, "a ratio").any()):
        node.refuse("training_mode=1")
    given = (node.input(0), node.optional(1))
    return node.emit_all(DropoutOp, *given, with_mask=node.is_read(1))
