"""Elementwise operators that are not one op: of any tensors, and of old versions."""

from __future__ import annotations

from functools import reduce

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.binary import AddOp, MaxOp, MinOp, ModOp
from glow.dialects.graph.parametric import PreluOp
from glow.dialects.graph.select import ClipOp
from glow.dialects.graph.tensors import Tensor
from glow.importers.onnx.node import Node
from glow.importers.onnx.one_to_one import BINARY
from glow.importers.onnx.registry import Outputs, onnx_op
from glow.support.dtypes import is_floating

VARIADIC: dict[str, type[GraphOp]] = {"Max": MaxOp, "Min": MinOp, "Sum": AddOp}
UP_TO_6 = [
    name
    for name in BINARY
    if not name.endswith("OrEqual") and not name.startswith("Bitwise")
]


@onnx_op(*VARIADIC)
def of_any_tensors(node: Node) -> Tensor:
    return _folded(node, VARIADIC[node.record.op_type])


@onnx_op("Mean")
def mean(node: Node) -> Tensor:
    return _folded(node, AddOp) / len(node.given)


def _folded(node: Node, op: type[GraphOp]) -> Tensor:
    """Return op(op(input 0, input 1), ...)."""
    if not node.given:
        node.invalid("expected at least one input, got none")
    return reduce(lambda lhs, rhs: node.emit(op, lhs, rhs), node.given)


@onnx_op("Mod")
def mod(node: Node) -> Outputs:
    if node.opset >= 28 and not node.flag("fmod") and is_floating(node.dtype(0)):
        return node.input(0) % node.input(1)
    return node.apply(ModOp)


@onnx_op("Clip")
def clip_by_attributes(node: Node) -> Tensor:
    bounds = [
        node.literal(node.real(name), node.dtype(0)) if node.has(name) else None
        for name in ("min", "max")
    ]
    return node.emit(ClipOp, node.input(0), *bounds)


@onnx_op("Clip", since=11)
def clip(node: Node) -> Tensor:
    """A bound may be a list of one, as in ONNX Runtime."""
    bounds = [
        bound.reshape() if bound is not None and bound.shape == (1,) else bound
        for bound in (node.optional(1), node.optional(2))
    ]
    return node.emit(ClipOp, node.input(0), *bounds)


@onnx_op(*UP_TO_6)
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
