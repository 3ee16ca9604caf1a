"""Reductions along axes."""

from __future__ import annotations

from glow.dialects.graph.arg_reduction import ArgMaxOp, ArgMinOp
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.declaration import declared
from glow.dialects.graph.reduction import ReductionOp
from glow.dialects.graph.tensors import Tensor
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op

REDUCTIONS = declared(ReductionOp)
ARGUMENTS: dict[str, type[GraphOp]] = {"ArgMax": ArgMaxOp, "ArgMin": ArgMinOp}


@onnx_op(*REDUCTIONS)
def reduction(node: Node) -> Tensor:
    axes = node.list_of("axes", 1)
    keepdims = node.flag("keepdims")
    if node.integer("noop_with_empty_axes", 0) and not axes:
        axes = ()
    elif not axes:
        axes = tuple(range(len(node.shape(0))))
    op = REDUCTIONS[node.record.op_type]
    return node.emit(op, node.input(0), axes=axes, keepdims=keepdims)


@onnx_op(*ARGUMENTS)
def argument(node: Node) -> Tensor:
    return node.emit(
        ARGUMENTS[node.record.op_type],
        node.input(0),
        axis=node.integer("axis"),
        keepdims=node.flag("keepdims"),
        select_last_index=node.integer("select_last_index", 0) != 0,
    )
