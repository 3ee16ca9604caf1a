"""Activations."""

from xdsl.ir import SSAValue

from glow.dialects.graph.activation import ReluOp
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op


@onnx_op("Relu", since=6)
def relu(node: Node) -> SSAValue:
    return node.emit(ReluOp, node.input(0))
