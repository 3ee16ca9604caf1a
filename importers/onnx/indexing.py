"""Ops that read or write where an integer tensor says."""

from __future__ import annotations

from xdsl.ir import SSAValue

from glow.dialects.graph.indexing import GatherElementsOp, GatherNdOp, GatherOp
from glow.dialects.graph.scattering import (
    REDUCTIONS,
    ScatterElementsOp,
    ScatterNdOp,
    TensorScatterOp,
)
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op


@onnx_op("Gather")
def gather(node: Node) -> SSAValue:
    return node.emit(GatherOp, node.input(0), node.input(1), axis=node.integer("axis"))


@onnx_op("GatherElements")
def gather_elements(node: Node) -> SSAValue:
    axis = node.integer("axis")
    return node.emit(GatherElementsOp, node.input(0), node.input(1), axis=axis)


@onnx_op("GatherND")
def gather_nd(node: Node) -> SSAValue:
    batch_dims = node.integer("batch_dims", 0)
    return node.emit(GatherNdOp, node.input(0), node.input(1), batch_dims=batch_dims)


def _reduction(node: Node) -> str:
    return node.choice("reduction", *REDUCTIONS) if node.opset >= 16 else "none"


@onnx_op("Scatter", "ScatterElements")
def scatter_elements(node: Node) -> SSAValue:
    return node.emit(
        ScatterElementsOp,
        *(node.input(index) for index in range(3)),
        axis=node.integer("axis"),
        reduction=_reduction(node),
    )


@onnx_op("ScatterND")
def scatter_nd(node: Node) -> SSAValue:
    operands = (node.input(index) for index in range(3))
    return node.emit(ScatterNdOp, *operands, reduction=_reduction(node))


@onnx_op("TensorScatter")
def tensor_scatter(node: Node) -> SSAValue:
    return node.emit(
        TensorScatterOp,
        node.input(0),
        node.input(1),
        node.optional(2),
        axis=node.integer("axis"),
        mode=node.choice("mode", "linear", "circular"),
    )
