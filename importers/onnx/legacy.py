"""Operators up to opset 6, with one-sided broadcasting."""

from __future__ import annotations

from glow.dialects.graph.parametric import PreluOp
from glow.dialects.graph.tensors import Tensor
from glow.importers.onnx.elementwise import BINARY
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op

NAMES = [name for name in BINARY if not name.endswith("OrEqual")]


@onnx_op(*(name for name in NAMES if not name.startswith("Bitwise")))
def binary_of_axis(node: Node) -> Tensor:
    """The axes of the second operand are some of the first's, from `axis` on."""
    left, right = node.shape(0), node.shape(1)
    axis = node.integer("axis", len(left) - len(right))
    if not node.flag("broadcast"):
        if left != right:
            node.invalid(f"expected equal shapes, got {list(left)} and {list(right)}")
        axis = 0
    axis += len(left) if axis < 0 and node.has("axis") else 0
    there = left[max(axis, 0) : axis + len(right)]
    if axis < 0 or len(there) < len(right) or not _fits(right, there):
        node.invalid(f"{list(right)} does not fit {list(left)} from axis {axis} on")
    return node.emit(BINARY[node.record.op_type], node.input(0), _placed(node, axis))


@onnx_op("PRelu")
def prelu_of_channels(node: Node) -> Tensor:
    """The slope is one for all, or one for each channel."""
    shape, slope = node.shape(0), node.shape(1)
    if slope in ((), (1,)):
        return node.emit(PreluOp, node.input(0), node.input(1))
    if len(shape) < 2 or slope != shape[1:2]:
        node.invalid(f"expected a slope for each channel, got {node.input(1).type}")
    return node.emit(PreluOp, node.input(0), _placed(node, 1))


def _fits(right: tuple[int, ...], there: tuple[int, ...]) -> bool:
    return all(own in (1, other) for own, other in zip(right, there, strict=True))


def _placed(node: Node, axis: int) -> Tensor:
    """Return the second operand with axes behind its own, which begin at `axis`."""
    left, right = node.shape(0), node.shape(1)
    rest = (1,) * (len(left) - axis - len(right))
    return node.input(1).reshape(*right, *rest)
