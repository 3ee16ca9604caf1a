"""Optional values, which are present or absent at import."""

from __future__ import annotations

from glow.dialects.graph.tensors import Tensor
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op


@onnx_op("OptionalHasElement")
def optional_has_element(node: Node) -> Tensor:
    return node.literal(node.optional(0) is not None)


@onnx_op("OptionalGetElement")
def optional_get_element(node: Node) -> Tensor:
    return node.input(0)
