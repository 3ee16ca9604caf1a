"""ONNX operators of the domain `test.outside`."""

from glow.dialects.graph.tensors import Tensor
from glow.formats.onnx.node import Node
from glow.formats.onnx.registry import onnx_op
from glow_outside.scaled_shift import ScaledShiftOp


@onnx_op("ScaledShift", domains=["test.outside"])
def scaled_shift(node: Node) -> Tensor:
    axis, places = node.integer("axis"), node.integer("places", 1)
    return node.emit(
        ScaledShiftOp, node.input(0), node.input(1), axis=axis, places=places
    )
