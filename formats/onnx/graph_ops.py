"""Graph ops that ONNX lacks: calls of functions of domain `glow`."""

from __future__ import annotations

from importlib import import_module

from glow.dialects.graph.base import GraphOp
from glow.formats.onnx.node import Node
from glow.formats.onnx.nodes import GLOW
from glow.formats.onnx.registry import Outputs, onnx_op
from glow.support.discovery import defined_in, modules_in

OPS: dict[str, type[GraphOp]] = {
    op.name.partition(".")[2]: op
    for module in modules_in("glow.dialects.graph")
    for op in defined_in(import_module(module), GraphOp)
    if hasattr(op, "compute")
}


@onnx_op(*OPS, domains=[GLOW])
def graph_op(node: Node) -> Outputs:
    """Of optional results, parameters say which there are."""
    made = node.apply(OPS[node.record.op_type])
    return [each for each in made if each is not None]
