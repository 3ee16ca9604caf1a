"""Products of integers that stand for floats: with zero points, and with scales."""

from __future__ import annotations

from math import prod

import numpy as np

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.convolution import ConvOp
from glow.dialects.graph.tensors import Tensor
from glow.formats.onnx.elementwise import saturated
from glow.formats.onnx.node import Node
from glow.formats.onnx.products import kernel_of, padding_of
from glow.formats.onnx.registry import onnx_op

LARGEST = 255  # the largest difference of two integers of 8 bits
EXACT = 1 << 24  # up to here f32 has all integers


@onnx_op("MatMulInteger")
def matmul_integer(node: Node) -> Tensor:
    """(lhs - zero point) @ (rhs - zero point), in i32"""
    return _shifted(node, 0, 2, -2) @ _shifted(node, 1, 3, -1)


@onnx_op("QLinearMatMul")
def qlinear_matmul(node: Node) -> Tensor:
    """A product in i32 by lhs scale * rhs scale / result scale, plus a zero point."""
    product = _shifted(node, 0, 2, -2) @ _shifted(node, 3, 5, -1)
    return _requantized(node, product, _spread(node, 1, 0, -2), _spread(node, 4, 3, -1))


@onnx_op("ConvInteger")
def conv_integer(node: Node) -> Tensor:
    """A convolution of input and filter, each less its zero point, in i32."""
    return _conv(node, _shifted(node, 0, 2), _shifted(node, 1, 3, 0), 1)


@onnx_op("QLinearConv")
def qlinear_conv(node: Node) -> Tensor:
    """A convolution in i32, plus a bias, by the scales of both over the result's."""
    result = _conv(node, _shifted(node, 0, 2), _shifted(node, 3, 5, 0), 3)
    channels = (-1, *(1,) * (result.ndim - 2))
    if (bias := node.optional(8)) is not None:
        result = result + bias.reshape(*channels)
    filters = _spread(node, 4, 3, 0)
    if filters.ndim:
        filters = filters.reshape(*channels)
    return _requantized(node, result, _spread(node, 1, 0), filters)


def _conv(node: Node, input: Tensor, filter: Tensor, index: int) -> Tensor:
    """Convolve in floats that have each sum, and return it as i32."""
    largest = prod(filter.shape[1:]) * LARGEST * LARGEST
    exact = np.float32 if largest < EXACT else np.float64
    (result,) = node.apply(
        ConvOp,
        input.astype(exact),
        filter.astype(exact),
        pads=padding_of(node, kernel_of(node, index)),
    )
    assert result is not None
    return result.astype(np.int32)


def _shifted(node: Node, index: int, zero: int, axis: int | None = None) -> Tensor:
    """Return an input as i32, less its zero point."""
    whole = node.input(index).astype(np.int32)
    if node.optional(zero) is None:
        return whole
    return whole - _spread(node, zero, index, axis).astype(np.int32)


def _spread(node: Node, index: int, of: int, axis: int | None = None) -> Tensor:
    """Return a number, or one for each place of an axis, so that it broadcasts."""
    value, shape = node.input(index), node.shape(of)
    if value.size == 1:
        return value.reshape()
    if axis is not None and -len(shape) <= axis:
        behind = (1,) * (len(shape) - 1 - axis % len(shape))
        if value.shape == (shape[axis],):
            return value.reshape(-1, *behind)
        if axis < 0 and value.shape == _without(shape, -3 - axis):
            return value
    node.invalid(
        "expected one number, or one for each row, column or filter, "
        f"got {list(value.shape)}"
    )


def _without(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    """Return `shape` with one place along an axis, which a vector lacks."""
    places = range(-len(shape), 0)
    return tuple(1 if i == axis else n for i, n in zip(places, shape, strict=True))


def _requantized(node: Node, product: Tensor, lhs: Tensor, rhs: Tensor) -> Tensor:
    """Return i32 by the scales of both factors and that of the result."""
    scale, zero = node.input(6), node.input(7)
    if scale.size != 1 or zero.size != 1:
        node.refuse("several scales of the result")
    one, other, whole = (
        each.astype(np.float32) for each in (lhs, rhs, scale.reshape())
    )
    factor = one * other / whole
    rounded = xp.round(product.astype(np.float32) * factor)
    return saturated(rounded + zero.reshape().astype(np.float32), zero.dtype)
