"""One-hot encoding."""

from __future__ import annotations

from xdsl.dialects.builtin import i64

from glow.dialects.graph.encoding import OneHotOp
from glow.dialects.graph.select import CastOp
from glow.dialects.graph.tensors import Tensor
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op
from glow.support.types import INDEX


@onnx_op("OneHot")
def one_hot(node: Node) -> Tensor:
    """Indices may be numbers of any type, and so may the depth."""
    depth, indices = node.known(1, "a depth"), node.input(0)
    if depth.size != 1 or not depth.reshape(-1)[0] >= 1:
        node.invalid(f"expected a depth above 0, got {depth.tolist()}")
    if node.element(0) not in INDEX.members:
        indices = node.emit(CastOp, indices, to=i64)
    count, axis = int(depth.reshape(-1)[0]), node.integer("axis")
    return node.emit(OneHotOp, indices, node.input(2), depth=count, axis=axis)
