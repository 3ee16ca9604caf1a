"""Normalizations, as inference has them."""

from __future__ import annotations

from math import prod

from xdsl.ir import SSAValue

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.binary import AddOp, DivOp, MulOp, SubOp
from glow.dialects.graph.movement import ReshapeOp
from glow.dialects.graph.normalization import (
    BatchNormOp,
    LayerNormOp,
    LogSoftmaxOp,
    LrnOp,
    SoftmaxOp,
)
from glow.dialects.graph.reduction import ReduceMeanOp
from glow.dialects.graph.unary import SqrtOp
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op
from glow.support.types import normalize_axis

SOFTMAX: dict[str, type[GraphOp]] = {
    "LogSoftmax": LogSoftmaxOp,
    "Softmax": SoftmaxOp,
}


@onnx_op("BatchNormalization")
def batch_norm(node: Node) -> tuple[SSAValue, ...]:
    if node.integer("training_mode", 0):
        node.refuse("training_mode=1")
    if not node.integer("spatial", 1):
        node.refuse("spatial=0")
    node.ignore("momentum")  # it concerns training only
    given = [node.input(index) for index in range(5)]
    return (node.emit(BatchNormOp, *given, epsilon=node.real("epsilon")),)


@onnx_op("InstanceNormalization")
def instance_norm(node: Node) -> SSAValue:
    """(x - mean) / sqrt(variance + epsilon) * scale + bias, over each channel."""
    value, rank = node.input(0), len(node.shape(0))
    if rank < 3:
        node.invalid(f"expected a rank of at least 3, got {value.type}")
    axes = tuple(range(2, rank))
    mean = node.emit(ReduceMeanOp, value, axes=axes, keepdims=True)
    centred = node.emit(SubOp, value, mean)
    squares = node.emit(MulOp, centred, centred)
    variance = node.emit(ReduceMeanOp, squares, axes=axes, keepdims=True)
    epsilon = node.literal(node.real("epsilon"), node.dtype(0))
    deviation = node.emit(SqrtOp, node.emit(AddOp, variance, epsilon))
    shape = (-1, *(1,) * (rank - 2))
    scale, bias = (
        node.emit(ReshapeOp, node.input(i), shape=(prod(node.shape(i)), *shape[1:]))
        for i in (1, 2)
    )
    scaled = node.emit(MulOp, node.emit(DivOp, centred, deviation), scale)
    return node.emit(AddOp, scaled, bias)


@onnx_op("LayerNormalization")
def layer_norm(node: Node) -> tuple[SSAValue, ...]:
    if node.integer("stash_type") != 1:
        node.refuse(f"stash_type={node.integer('stash_type')}")
    return node.emit_many(
        LayerNormOp,
        node.input(0),
        node.input(1),
        node.optional(2),
        axis=node.integer("axis"),
        epsilon=node.real("epsilon"),
        with_statistics=node.is_read(1) or node.is_read(2),
    )


@onnx_op("LRN")
def lrn(node: Node) -> SSAValue:
    return node.emit(
        LrnOp,
        node.input(0),
        size=node.integer("size"),
        alpha=node.real("alpha"),
        beta=node.real("beta"),
        bias=node.real("bias"),
    )


@onnx_op(*SOFTMAX)
def flattening_softmax(node: Node) -> SSAValue:
    """Softmax over all axes from `axis` on, taken together."""
    value, shape = node.input(0), node.shape(0)
    op, axis = SOFTMAX[node.record.op_type], node.integer("axis")
    axis = axis if axis == len(shape) else normalize_axis(axis, len(shape))
    if axis == len(shape) - 1:
        return node.emit(op, value, axis=axis)
    rows, columns = prod(shape[:axis]), prod(shape[axis:])
    flat = node.emit(ReshapeOp, value, shape=(rows, columns))
    return node.emit(ReshapeOp, node.emit(op, flat, axis=1), shape=shape)


@onnx_op(*SOFTMAX, since=13)
def softmax(node: Node) -> SSAValue:
    op = SOFTMAX[node.record.op_type]
    return node.emit(op, node.input(0), axis=node.integer("axis"))
