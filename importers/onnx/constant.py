"""Constants, ranges and identity matrices."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glow.dialects.graph.tensors import Tensor
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op
from glow.importers.onnx.tensors import check_extents, dtype_of_onnx
from glow.support.dtypes import widened
from glow.support.element_conversion import convert

MAX_RANGE = 1 << 24

NUMBERS = {
    "value_float": np.float32,
    "value_floats": np.float32,
    "value_int": np.int64,
    "value_ints": np.int64,
}


@onnx_op("Constant")
def constant(node: Node) -> Tensor:
    names = list(node.record.attributes)
    if len(names) != 1:
        node.invalid(f"expected one attribute with the value, got {names}")
    (name,) = names
    if name in ("value", "sparse_value"):
        return node.literal(node.tensor(name))
    if name not in NUMBERS:
        node.refuse(f"attribute {name}")
    return node.literal(node.value(name), np.dtype(NUMBERS[name]))


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
    start, limit, delta = (_scalar(node, index) for index in range(3))
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


def _scalar(node: Node, index: int) -> NDArray[Any]:
    value = node.known(index, "bounds")
    if value.size != 1:
        node.invalid(f"expected bounds of one element, got {list(value.shape)}")
    return value.reshape(())
