"""Elementwise operators that are not one op: variadic, old, casts, quantization."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
from onnx import TensorProto
from xdsl.dialects.builtin import f32

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.activation import CeluOp, EluOp, PreluOp
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.binary import AddOp, MaxOp, MinOp, ModOp
from glow.dialects.graph.logic import BitShiftOp
from glow.dialects.graph.select import BitcastOp, CastOp, ClipOp
from glow.dialects.graph.tensors import Tensor, emit
from glow.dialects.graph.unary import IsNanOp, NegOp
from glow.formats.onnx.node import Node
from glow.formats.onnx.nodes import NodeWriter, OnnxValue
from glow.formats.onnx.one_to_one import BINARY
from glow.formats.onnx.registry import Outputs, onnx_form, onnx_op
from glow.formats.onnx.tensors import dtype_of_onnx
from glow.support.dtypes import byte_type, is_floating, limits_of
from glow.support.types import dtype_of, element_of, element_type_of, normalize_axis

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


@onnx_form(ClipOp)
def clip_node(op: ClipOp, out: NodeWriter) -> OnnxValue:
    return out.node("Clip", op.input, op.min, op.max)


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
    """Return the second operand, aligned at `axis` by trailing axes of extent 1."""
    left, right = node.shape(0), node.shape(1)
    rest = (1,) * (len(left) - axis - len(right))
    return node.input(1).reshape(*right, *rest)


@onnx_op("Cast")
def cast(node: Node) -> Tensor:
    number = node.integer("to") if node.opset >= 6 else _number(node, "to")
    dtype = dtype_of_onnx(number, "the attribute to")
    node.ignore("saturate", "round_mode")  # they concern types of 8 bits only
    return node.emit(CastOp, node.input(0), to=element_type_of(dtype))


@onnx_form(CastOp)
def cast_node(op: CastOp, out: NodeWriter) -> OnnxValue | Sequence[OnnxValue | None]:
    if op.saturate:
        return out.function(op, _saturating_cast)
    return out.node("Cast", op.input, to=op.to)


def _saturating_cast(op: CastOp, out: NodeWriter) -> OnnxValue:
    """Convert NaN to 0, others to the nearest integer; f64 may not hold the largest."""
    value, dtype = out.tensor(op.input), dtype_of(op.to)
    if not is_floating(value.dtype) or dtype.kind not in "iu":
        return value.astype(dtype)
    wide = value.astype(np.float64)
    limits = limits_of(dtype)
    low, high = np.float64(int(limits.min)), np.float64(int(limits.max))
    wide = xp.where(out.tensor(emit(IsNanOp, wide)), np.float64(0), wide)
    fits = xp.where(wide >= high, np.float64(0), xp.maximum(wide, low))
    result = fits.astype(dtype)
    return xp.where(wide >= high, np.array(limits.max, dtype), result)


def _number(node: Node, name: str) -> int:
    """Return the element type that an attribute names, as old versions do."""
    kind = node.string(name).upper()
    known: dict[str, int] = dict(TensorProto.DataType.items())
    if kind not in known:
        node.invalid(f"no element type is called {node.string(name)!r}")
    return known[kind]


@onnx_form(CeluOp)
def celu_node(op: CeluOp, out: NodeWriter) -> OnnxValue | Sequence[OnnxValue | None]:
    """ONNX has this one for 32 bits only, but elu for all floats."""
    if element_of(op.input) == f32:
        return out.node("Celu", op.input, alpha=op.alpha)
    return out.function(op, _scaled_elu)


def _scaled_elu(op: CeluOp, out: NodeWriter) -> OnnxValue:
    value = out.tensor(op.input)
    return emit(EluOp, value / op.alpha) * op.alpha


@onnx_form(NegOp)
def neg_node(op: NegOp, out: NodeWriter) -> OnnxValue | Sequence[OnnxValue | None]:
    """ONNX's Neg takes no unsigned integers: subtract these from 0, which wraps."""
    if dtype_of(element_of(op.input)).kind == "u":
        return out.function(op, lambda op, out: 0 - out.tensor(op.input))
    return out.node("Neg", op.input)


@onnx_form(BitShiftOp)
def bit_shift_node(
    op: BitShiftOp, out: NodeWriter
) -> OnnxValue | Sequence[OnnxValue | None]:
    """Before opset 28, ONNX has this one for unsigned integers only."""
    if dtype_of(element_of(op.lhs)).kind == "u" or out.opset >= 28:
        return out.as_node("BitShift", op)
    return out.function(op, _signed_shift)


def _signed_shift(op: BitShiftOp, out: NodeWriter) -> OnnxValue:
    """Shift without a sign; to the right, a negative x becomes ~(~x >> places)."""
    value, places = out.tensor(op.lhs), out.tensor(op.rhs)
    signed, bits = value.dtype, 8 * value.dtype.itemsize
    is_inside = (places >= 0) & (places < bits)
    places = xp.where(is_inside, places, 0)
    is_negative = value < 0
    if op.direction == "RIGHT":
        value = xp.where(is_negative, ~value, value)
    bare = np.dtype(f"u{signed.itemsize}")
    given = value.astype(bare), places.astype(bare)
    shifted = emit(BitShiftOp, *given, direction=op.direction).astype(signed)
    shifted = xp.where(is_inside, shifted, 0)
    if op.direction == "RIGHT":
        shifted = xp.where(is_negative, ~shifted, shifted)
    return shifted


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


@onnx_form(BitcastOp)
def bit_cast_node(op: BitcastOp, out: NodeWriter) -> OnnxValue:
    return out.node("BitCast", op.input, to=op.to)


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
    if byte_type(dtype).kind not in "iu" or dtype.itemsize > 2:
        node.invalid(f"cannot quantize to {dtype}")
    precision = node.integer("precision", 0)
    inner = dtype_of_onnx(precision, "precision") if precision else scale.dtype
    result = xp.round(node.input(0).astype(inner) / scale.astype(inner))
    if zero is not None:
        result = result + zero.astype(inner)
    return saturated(result, dtype)


def saturated(value: Tensor, dtype: np.dtype[Any]) -> Tensor:
    """Return whole floats as integers of type `dtype`: the nearest that there is."""
    bounds = limits_of(dtype)
    held = xp.minimum(xp.maximum(value, int(bounds.min)), int(bounds.max))
    return emit(CastOp, held, to=element_type_of(dtype), saturate=True)


@onnx_op("DequantizeLinear")
def dequantize_linear(node: Node) -> Tensor:
    """(x - zero point) * scale"""
    scale, number = _parameter(node, 1), node.integer("output_dtype", 0)
    dtype = dtype_of_onnx(number, "output_dtype") if number else scale.dtype
    whole = node.input(0).astype(np.int32)
    if (zero := node.optional(2)) is not None:
        if zero.dtype != node.dtype(0):
            node.invalid(f"expected a zero point of {node.dtype(0)}, got {zero.dtype}")
        whole = whole - _parameter(node, 2).astype(np.int32)
    return (whole.astype(scale.dtype) * scale).astype(dtype)


def _parameter(node: Node, index: int) -> Tensor:
    """Return a scale or zero point so that it broadcasts to the input."""
    shape, value = node.shape(0), node.input(index)
    own = value.shape
    node.ignore("axis", "block_size")  # nothing reads them where there is one number
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
