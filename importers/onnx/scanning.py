"""Ops that go along lines of a tensor."""

from __future__ import annotations

from xdsl.ir import SSAValue

from glow.dialects.graph.scanning import CumsumOp, TriluOp
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op


@onnx_op("CumSum")
def cumsum(node: Node) -> SSAValue:
    axes = node.known_ints(1, "axis") or ()
    if len(axes) != 1:
        node.invalid(f"expected one axis, got {list(axes)}")
    return node.emit(
        CumsumOp,
        node.input(0),
        axis=axes[0],
        exclusive=node.flag("exclusive"),
        reverse=node.flag("reverse"),
    )


@onnx_op("Trilu")
def trilu(node: Node) -> SSAValue:
    upper = node.flag("upper")
    return node.emit(TriluOp, node.input(0), node.optional(1), upper=upper)
