"""Normalizations, softmax and hardmax."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.along_axis import LogSoftmaxOp, SoftmaxOp
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.indexing import OneHotOp
from glow.dialects.graph.layer_norm import LayerNormOp, RmsNormOp
from glow.dialects.graph.normalization import BatchNormOp, GroupNormOp, InstanceNormOp
from glow.dialects.graph.reduction import ReduceL1Op, ReduceL2Op
from glow.dialects.graph.tensors import Tensor
from glow.formats.onnx.node import Node
from glow.formats.onnx.nodes import NodeWriter, OnnxInput, OnnxValue
from glow.formats.onnx.problems import Unsupported
from glow.formats.onnx.registry import Outputs, onnx_form, onnx_op
from glow.formats.onnx.shape import flatten
from glow.support.types import dtype_of, element_of, normalize_axis, shape_of

SOFTMAX: dict[str, type[GraphOp]] = {"LogSoftmax": LogSoftmaxOp, "Softmax": SoftmaxOp}


@onnx_op("BatchNormalization")
def batch_norm(node: Node) -> Outputs:
    if node.integer("training_mode", 0):
        return _trained_batch_norm(node)
    if node.opset < 7 and not node.flag("is_test"):
        node.refuse("is_test=0")
    if not node.integer("spatial", 1):
        node.refuse("spatial=0")
    node.ignore("momentum")  # it concerns training only
    given = [node.input(index) for index in (0, 3, 4, 1, 2)]
    return node.apply(BatchNormOp, *given)


@onnx_form(BatchNormOp)
def batch_norm_node(
    op: BatchNormOp, out: NodeWriter
) -> OnnxValue | Sequence[OnnxValue | None]:
    if op.scale is None or op.bias is None:
        return out.function(op, _whole_batch_norm)
    return _whole_batch_norm(op, out)


def _whole_batch_norm(op: BatchNormOp, out: NodeWriter) -> OnnxValue:
    channels = shape_of(op.mean)
    scale, bias = (
        _or_filled(op.scale, 1, op, channels),
        _or_filled(op.bias, 0, op, channels),
    )
    given = op.input, scale, bias, op.mean, op.variance
    return out.node("BatchNormalization", *given, epsilon=op.epsilon)


def _or_filled(
    value: SSAValue | None, number: int, op: GraphOp, shape: Sequence[int]
) -> OnnxInput:
    """Return an operand that ONNX requires, or what its absence stands for."""
    dtype = dtype_of(element_of(op.operands[0]))
    return np.full(shape, number, dtype) if value is None else value


def _trained_batch_norm(node: Node) -> Outputs:
    """Normalize by what the batch has, and move the running statistics towards it."""
    x, momentum = node.input(0), node.real("momentum")
    axes = tuple(axis for axis in range(x.ndim) if axis != 1)
    mean = xp.mean(x, axes, keepdims=True)
    away = x - mean
    variance = xp.mean(away * away, axes)
    mean = mean.reshape(x.shape[1])
    given = [x, mean, variance, node.input(1), node.input(2)]
    y = node.emit(BatchNormOp, *given, epsilon=node.real("epsilon"))
    running = [
        node.input(index) * momentum + new.astype(node.dtype(index)) * (1 - momentum)
        for index, new in ((3, mean), (4, variance))
    ]
    return y, *running


@onnx_op("InstanceNormalization")
def instance_norm(node: Node) -> Outputs:
    if len(node.shape(0)) < 3:
        node.invalid(f"expected a rank of at least 3, got {node.input(0).type}")
    return node.apply(InstanceNormOp)


@onnx_form(InstanceNormOp)
def instance_norm_node(
    op: InstanceNormOp, out: NodeWriter
) -> OnnxValue | Sequence[OnnxValue | None]:
    """Of rank 2, each element is its own mean, so the result is the bias."""
    if op.scale is None or op.bias is None or len(shape_of(op.input)) < 3:
        return out.function(op, _whole_instance_norm)
    return _whole_instance_norm(op, out)


def _whole_instance_norm(op: InstanceNormOp, out: NodeWriter) -> OnnxValue:
    shape = shape_of(op.input)
    scale, bias = (
        _or_filled(value, number, op, shape[1:2])
        for value, number in ((op.scale, 1), (op.bias, 0))
    )
    value = out.tensor(op.input)
    if len(shape) == 2:
        value = value.reshape(*shape, 1)
    result = out.node("InstanceNormalization", value, scale, bias, epsilon=op.epsilon)
    return result if len(shape) > 2 else out.node("Reshape", result, shape)


@onnx_op("GroupNormalization", since=18)
def group_norm_by_group(node: Node) -> Outputs:
    """Scale and bias have a number for each group."""
    channels, groups = node.shape(0)[1], node.integer("num_groups")
    if groups < 1 or channels % groups:
        node.invalid(f"expected num_groups to divide {channels} channels, got {groups}")

    def per_channel(index: int, name: str) -> Tensor:
        value = node.input(index)
        if node.shape(index) != (groups,):
            node.invalid(
                f"expected a {name} of shape [{groups}] per group, got {value.type}"
            )
        wide = (groups, channels // groups)
        return xp.broadcast_to(value.reshape(groups, 1), wide).reshape(channels)

    parts = per_channel(1, "scale"), per_channel(2, "bias")
    return node.apply(GroupNormOp, node.input(0), *parts)


@onnx_op("GroupNormalization", since=21)
def group_norm(node: Node) -> Outputs:
    _check_stash_type(node)
    return node.apply(GroupNormOp)


@onnx_form(GroupNormOp)
def group_norm_node(
    op: GroupNormOp, out: NodeWriter
) -> OnnxValue | Sequence[OnnxValue | None]:
    if out.opset < 21:
        raise Unsupported("GroupNormalization with a scale per channel before opset 21")
    if op.scale is None or op.bias is None:
        return out.function(op, _whole_group_norm)
    return _whole_group_norm(op, out)


def _whole_group_norm(op: GroupNormOp, out: NodeWriter) -> OnnxValue:
    channels = shape_of(op.input)[1:2]
    scale, bias = (
        _or_filled(op.scale, 1, op, channels),
        _or_filled(op.bias, 0, op, channels),
    )
    numbers = {"num_groups": op.num_groups, "epsilon": op.epsilon}
    return out.node("GroupNormalization", op.input, scale, bias, **numbers)


def _check_stash_type(node: Node) -> None:
    if node.integer("stash_type") != 1:
        node.refuse(f"stash_type={node.integer('stash_type')}")


@onnx_op("LayerNormalization")
def layer_norm(node: Node) -> tuple[Tensor, ...]:
    _check_stash_type(node)
    return node.emit_all(
        LayerNormOp,
        node.input(0),
        node.input(1),
        node.optional(2),
        axis=node.integer("axis"),
        epsilon=node.real("epsilon"),
        with_statistics=node.is_read(1) or node.is_read(2),
    )


@onnx_form(LayerNormOp)
def layer_norm_node(op: LayerNormOp, out: NodeWriter) -> Sequence[OnnxValue | None]:
    if op.scale is None:
        return out.function(op, _whole_layer_norm)
    return _whole_layer_norm(op, out)


def _whole_layer_norm(op: LayerNormOp, out: NodeWriter) -> Sequence[OnnxValue | None]:
    scale = _or_filled(op.scale, 1, op, shape_of(op.input)[op.axis :])
    given = op.input, scale, op.bias
    return out.as_node("LayerNormalization", op, *given, with_statistics=None)


@onnx_op("MeanVarianceNormalization")
def mean_variance_norm(node: Node) -> Tensor:
    """
    (x - mean) / (deviation + 1e-9) over any axes: a layer norm with these last.

    Where the deviation is 0, so is the result; where it is not, what ONNX adds to it
    is below the precision of f32.
    """
    rank = len(node.shape(0))
    given = node.integers("axes") or range(rank)
    axes = sorted({normalize_axis(axis, rank) for axis in given})
    others = [axis for axis in range(rank) if axis not in axes]
    order = (*others, *axes)
    back = tuple(order.index(axis) for axis in range(rank))
    last = node.input(0).transpose(*order)
    norm = node.emit(LayerNormOp, last, axis=len(others), epsilon=1e-18)
    return norm.transpose(*back)


@onnx_op("RMSNormalization")
def rms_norm(node: Node) -> Tensor:
    """The result has the type of the scale, which may be another one."""
    _check_stash_type(node)
    value, scale = node.input(0), node.input(1)
    numbers = {"axis": node.integer("axis"), "epsilon": node.real("epsilon")}
    if node.element(0) == node.element(1):
        return node.emit(RmsNormOp, value, scale, **numbers)
    return node.emit(RmsNormOp, value, **numbers).astype(scale.element) * scale


@onnx_form(RmsNormOp)
def rms_norm_node(
    op: RmsNormOp, out: NodeWriter
) -> OnnxValue | Sequence[OnnxValue | None]:
    if op.scale is None:
        return out.function(op, _whole_rms_norm)
    return _whole_rms_norm(op, out)


def _whole_rms_norm(op: RmsNormOp, out: NodeWriter) -> OnnxValue:
    scale = _or_filled(op.scale, 1, op, shape_of(op.input)[op.axis :])
    numbers = {"axis": op.axis, "epsilon": op.epsilon}
    return out.node("RMSNormalization", op.input, scale, **numbers)


@onnx_op(*SOFTMAX)
def flattening_softmax(node: Node) -> Tensor:
    """Softmax over all axes from `axis` on, taken together."""
    op, value, axis = SOFTMAX[node.record.op_type], node.input(0), node.integer("axis")
    if axis in (-1, value.ndim - 1):
        return node.emit(op, value, axis=axis)
    return node.emit(op, flatten(node), axis=1).reshape(*value.shape)


@onnx_op("Hardmax")
def flattening_hardmax(node: Node) -> Tensor:
    """Hardmax over all axes from `axis` on, taken together."""
    return _hardmax(node, flatten(node), 1).reshape(*node.shape(0))


@onnx_op("Hardmax", since=13)
def hardmax(node: Node) -> Tensor:
    axis = normalize_axis(node.integer("axis"), len(node.shape(0)))
    return _hardmax(node, node.input(0), axis)


def _hardmax(node: Node, value: Tensor, axis: int) -> Tensor:
    best, values = xp.argmax(value, axis), node.literal([0, 1], value.dtype)
    return node.emit(OneHotOp, best, values, depth=value.shape[axis], axis=axis)


@onnx_op("LpNormalization")
def lp_normalization(node: Node) -> Tensor:
    value, p = node.input(0), node.integer("p")
    if p not in (1, 2):
        node.invalid(f"expected p out of 1, 2, got {p}")
    op = ReduceL1Op if p == 1 else ReduceL2Op
    axis = normalize_axis(node.integer("axis"), value.ndim)
    norm = node.emit(op, value, axes=(axis,), keepdims=True)
    return xp.where(norm == 0, 0, value / norm)
