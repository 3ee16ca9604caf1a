"""Conversions: casts, and quantization by tensor, axis or block."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.select import BitcastOp, CastOp
from glow.dialects.graph.tensors import Tensor
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op
from glow.importers.onnx.tensors import dtype_of_onnx
from glow.support.types import element_type_of, normalize_axis


@onnx_op("Cast")
def cast(node: Node) -> Tensor:
    number = node.integer("to") if node.opset >= 6 else _number(node, "to")
    dtype = dtype_of_onnx(number, "the attribute to")
    node.ignore("saturate", "round_mode")  # they concern types of 8 bits only
    return node.emit(CastOp, node.input(0), to=element_type_of(dtype))


def _number(node: Node, name: str) -> int:
    """Return the element type that an attribute of old versions has by name."""
    kind = node.string(name).upper()
    known: dict[str, int] = dict(TensorProto.DataType.items())
    if kind not in known:
        node.invalid(f"no element type is called {node.string(name)!r}")
    return known[kind]


@onnx_op("CastLike")
def cast_like(node: Node) -> Tensor:
    node.ignore("saturate", "round_mode")
    return node.emit(CastOp, node.input(0), to=node.element(1))


@onnx_op("BitCast", since=26)
def bit_cast(node: Node) -> Tensor:
    dtype = dtype_of_onnx(node.integer("to"), "the attribute to")
    if dtype.kind == "b":
        node.refuse("a result of bools")
    return node.emit(BitcastOp, node.input(0), to=element_type_of(dtype))


@onnx_op("QuantizeLinear")
def quantize_linear(node: Node) -> Tensor:
    """The integer nearest to x / scale, plus the zero point, within what fits."""
    node.ignore("saturate")  # it concerns floats of 8 bits only
    scale, number = _parameter(node, 1), node.integer("output_dtype", 0)
    zero = _parameter(node, 2) if node.optional(2) is not None else None
    dtype = dtype_of_onnx(number, "output_dtype") if number else np.dtype(np.uint8)
    if zero is not None:
        if number and dtype != zero.dtype:
            node.invalid(f"expected a zero point of {dtype}, got {zero.dtype}")
        dtype = zero.dtype
    if dtype.kind not in "iu" or dtype.itemsize > 2:
        node.invalid(f"cannot quantize to {dtype}")
    precision = node.integer("precision", 0)
    inner = dtype_of_onnx(precision, "precision") if precision else scale.dtype
    result = xp.round(node.input(0).astype(inner) / scale.astype(inner))
    if zero is not None:
        result = result + zero.astype(inner)
    bounds = np.iinfo(dtype)
    result = xp.minimum(xp.maximum(result, int(bounds.min)), int(bounds.max))
    return node.emit(CastOp, result, to=element_type_of(dtype), saturate=True)


@onnx_op("DequantizeLinear")
def dequantize_linear(node: Node) -> Tensor:
    """(x - zero point) * scale"""
    scale, number = _parameter(node, 1), node.integer("output_dtype", 0)
    dtype = dtype_of_onnx(number, "output_dtype") if number else scale.dtype
    whole = node.input(0).astype(np.int32)
    if node.optional(2) is not None:
        if node.dtype(2) != node.dtype(0):
            node.invalid(
                f"expected a zero point of {node.dtype(0)}, got {node.dtype(2)}"
            )
        whole = whole - _parameter(node, 2).astype(np.int32)
    return (whole.astype(scale.dtype) * scale).astype(dtype)


def _parameter(node: Node, index: int) -> Tensor:
    """Return a scale or zero point so that it broadcasts to the input."""
    shape, value = node.shape(0), node.input(index)
    own = value.shape
    if own in ((), (1,)):
        return value.reshape()
    axis = normalize_axis(node.integer("axis", 1), len(shape))
    size = node.integer("block_size", 0)
    if not size:
        if own != shape[axis : axis + 1]:
            node.invalid(
                f"expected a number for each place of axis {axis}, got {list(own)}"
            )
        return value.reshape(*(1,) * axis, *own, *(1,) * (len(shape) - axis - 1))
    blocks = -(-shape[axis] // size) if size > 0 else 0
    if own != (*shape[:axis], blocks, *shape[axis + 1 :]):
        node.invalid(
            f"expected a number for each block of {size} along axis {axis}, "
            f"got {list(own)}"
        )
    before, behind = own[:axis], own[axis + 1 :]
    column = value.reshape(*before, blocks, 1, *behind)
    wide = xp.broadcast_to(column, (*before, blocks, size, *behind))
    whole = wide.reshape(*before, blocks * size, *behind)
    return whole[(slice(None),) * axis + (slice(shape[axis]),)]
