"""Operators that give an input back: Identity, Dropout, optional values."""

from __future__ import annotations

from glow.dialects.graph.dropout import DropoutOp
from glow.dialects.graph.tensors import Tensor
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import Outputs, onnx_op


@onnx_op("Identity", "OptionalGetElement")
def identity(node: Node) -> Tensor:
    return node.input(0)


@onnx_op("OptionalHasElement")
def optional_has_element(node: Node) -> Tensor:
    return node.literal(node.optional(0) is not None)


@onnx_op("Dropout")
def dropout_of_attributes(node: Node) -> Outputs:
    """Up to opset 9, the mask has the type of the input."""
    if node.opset < 7 and not node.flag("is_test"):
        node.refuse("is_test=0")
    node.ignore("ratio")  # it concerns training only
    result, mask = node.apply(DropoutOp)
    if mask is not None and node.opset < 10:
        mask = mask.astype(node.element(0))
    return result, mask


@onnx_op("Dropout", since=12)
def dropout(node: Node) -> Outputs:
    node.ignore("seed")
    is_training = node.optional(2) is not None and node.known(2, "a training_mode")
    # Only what drops nothing does not ask for random numbers.
    if is_training and (node.optional(1) is None or node.known(1, "a ratio").any()):
        node.refuse("training_mode=1")
    return node.apply(DropoutOp)
