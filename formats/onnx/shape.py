"""Constants, shapes, and operators that change no element."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, prod

import numpy as np

from glow.dialects.graph.movement import ExpandOp, ReshapeOp
from glow.dialects.graph.select import DropoutOp
from glow.dialects.graph.tensors import Tensor
from glow.formats.onnx.node import Node
from glow.formats.onnx.nodes import NodeWriter, OnnxValue
from glow.formats.onnx.registry import Outputs, onnx_form, onnx_op
from glow.formats.onnx.tensors import check_extents, dtype_of_onnx
from glow.support.dtypes import is_floating, widened
from glow.support.element_conversion import convert
from glow.support.types import (
    dtype_of,
    element_of,
    normalize_axes,
    normalize_axis,
    shape_of,
)

MAX_RANGE = 1 << 24

FLOATS, INTS = ("value_float", "value_floats"), ("value_int", "value_ints")


@onnx_op("Constant")
def constant(node: Node) -> Tensor:
    names = list(node.record.attributes)
    if len(names) != 1:
        node.invalid(f"expected one attribute with the value, got {names}")
    (name,) = names
    if name in ("value", "sparse_value"):
        return node.literal(node.tensor(name))
    if name not in FLOATS + INTS:
        node.refuse(f"attribute {name}")
    dtype = np.dtype(np.float32 if name in FLOATS else np.int64)
    return node.literal(node.value(name), dtype)


@onnx_op("ConstantOfShape")
def constant_of_shape(node: Node) -> Tensor:
    shape = node.known_ints(0, "a shape") or ()
    value = node.tensor("value") if node.has("value") else np.zeros(1, np.float32)
    if value.size != 1:
        node.invalid(f"expected a value of one element, got {value.size}")
    check_extents(shape, value.itemsize, "the result")
    return node.literal(np.broadcast_to(value.reshape(()), shape))


@onnx_op("EyeLike")
def eye_like(node: Node) -> Tensor:
    dtype = node.dtype(0)
    if node.has("dtype"):
        dtype = dtype_of_onnx(node.integer("dtype"), "the attribute dtype")
    if len(node.shape(0)) != 2 or max(node.shape(0)) > 1 << 12:
        node.refuse(f"an input of type {node.input(0).type}")
    rows, columns = node.shape(0)
    offset = max(-rows, min(columns, node.integer("k")))
    return node.literal(np.eye(rows, columns, offset, dtype))


@onnx_op("Range")
def range_(node: Node) -> Tensor:
    start, limit, delta = (node.known_scalar(i, "bounds") for i in range(3))
    if delta == 0 or not np.isfinite([start, limit, delta]).all():
        node.invalid(f"cannot count from {start} to {limit} by {delta}")
    if start.dtype.kind in "iu":
        count = max(-((int(start) - int(limit)) // int(delta)), 0)
    else:
        count = max(ceil((float(limit) - float(start)) / float(delta)), 0)
    if count > MAX_RANGE:
        node.refuse(f"{count} elements, more than {MAX_RANGE}")
    first, step = widened(start), widened(delta)
    numbers = first + np.arange(count).astype(first.dtype) * step
    return node.literal(convert(numbers, start.dtype))


@onnx_op("Shape")
def shape(node: Node) -> Tensor:
    extents = node.shape(0)
    start, end = node.integer("start", 0), node.integer("end", len(extents))
    return node.literal(extents[slice(start, end)], np.dtype(np.int64))


@onnx_op("Size")
def size(node: Node) -> Tensor:
    return node.literal(prod(node.shape(0)), np.dtype(np.int64))


@onnx_op("Reshape")
def reshape(node: Node) -> Tensor:
    """0 copies an extent unless `allowzero`; -1 is what remains."""
    if node.opset < 5:
        wanted = node.integers("shape") or ()
    else:
        wanted = node.known_ints(1, "a shape") or ()
    own = node.shape(0)
    zero_copies = not node.integer("allowzero", 0)
    if zero_copies and 0 in wanted[len(own) :]:
        node.invalid(f"shape {list(wanted)} copies an axis that the input lacks")
    shape = [
        own[axis] if extent == 0 and zero_copies else extent
        for axis, extent in enumerate(wanted)
    ]
    if shape.count(-1) > 1 or min(shape, default=0) < -1:
        node.invalid(f"expected at most one -1 in the shape, got {list(wanted)}")
    if -1 in shape:
        rest = prod(extent for extent in shape if extent != -1)
        if not rest or prod(own) % rest:
            node.invalid(f"cannot reshape {node.input(0).type} to {list(wanted)}")
        shape[shape.index(-1)] = prod(own) // rest
    return node.input(0).reshape(*shape)


@onnx_form(ReshapeOp)
def reshape_node(op: ReshapeOp, out: NodeWriter) -> OnnxValue:
    zeros = True if 0 in op.shape else None
    return out.node("Reshape", op.input, op.shape, allowzero=zeros)


@onnx_op("Flatten")
def flatten(node: Node) -> Tensor:
    extents, axis = node.shape(0), node.integer("axis")
    axis = axis if axis == len(extents) else normalize_axis(axis, len(extents))
    return node.input(0).reshape(prod(extents[:axis]), prod(extents[axis:]))


@onnx_op("Squeeze")
def squeeze(node: Node) -> Tensor:
    extents, axes = node.shape(0), node.list_of("axes", 1)
    if axes is None:
        axes = tuple(axis for axis, extent in enumerate(extents) if extent == 1)
    axes = normalize_axes(axes, len(extents))
    if any(extents[axis] != 1 for axis in axes):
        node.invalid(f"expected extent 1 along {list(axes)}, got {node.input(0).type}")
    kept = [extent for axis, extent in enumerate(extents) if axis not in axes]
    return node.input(0).reshape(*kept)


@onnx_op("Unsqueeze")
def unsqueeze(node: Node) -> Tensor:
    axes = node.list_of("axes", 1) or ()
    rank = len(node.shape(0)) + len(axes)
    axes = normalize_axes(axes, rank)
    extents = iter(node.shape(0))
    shape = [1 if axis in axes else next(extents) for axis in range(rank)]
    return node.input(0).reshape(*shape)


@onnx_op("Expand")
def expand(node: Node) -> Tensor:
    wanted = node.known_ints(1, "a shape") or ()
    return node.emit(ExpandOp, node.input(0), shape=wanted)


@onnx_form(ExpandOp)
def expand_node(op: ExpandOp, out: NodeWriter) -> OnnxValue:
    return out.node("Expand", op.input, op.shape)


@onnx_op("Identity", "OptionalGetElement")
def identity(node: Node) -> Tensor:
    return node.input(0)


@onnx_op("OptionalHasElement")
def optional_has_element(node: Node) -> Tensor:
    return node.literal(node.optional(0) is not None)


@onnx_op("Dropout")
def dropout_of_attributes(node: Node) -> Outputs:
    """Up to opset 9, the mask has the type of the input."""
    if node.opset < 7 and not node.flag("is_test"):
        node.refuse("is_test=0")
    node.ignore("ratio")  # it concerns training only
    result, mask = node.apply(DropoutOp)
    if mask is not None and node.opset < 10:
        mask = mask.astype(node.element(0))
    return result, mask


@onnx_op("Dropout", since=12)
def dropout(node: Node) -> Outputs:
    node.ignore("seed")
    is_training = node.optional(2) is not None and node.known(2, "a training_mode")
    # A dropout needs random numbers unless its ratio is 0.
    if is_training and (node.optional(1) is None or node.known(1, "a ratio").any()):
        node.refuse("training_mode=1")
    return node.apply(DropoutOp)


@onnx_form(DropoutOp)
def dropout_node(op: DropoutOp, out: NodeWriter) -> Sequence[OnnxValue | None]:
    if is_floating(dtype_of(element_of(op.input))):
        return out.as_node("Dropout", op)
    return out.function(op, _nothing_dropped)


def _nothing_dropped(op: DropoutOp, out: NodeWriter) -> Sequence[OnnxValue | None]:
    """The input, and that all of it is kept: ONNX drops floats only."""
    kept = out.tensor(np.broadcast_to(np.True_, shape_of(op.input)))
    return (op.input, kept)[: len(op.results)]
