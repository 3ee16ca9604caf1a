"""Elementwise functions that no op computes, composed of those that ops compute."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from glow.dialects.graph import array_api as ops
from glow.dialects.graph.movement import ExpandOp
from glow.dialects.graph.select import BitcastOp
from glow.dialects.graph.tensors import Tensor, emit
from glow.support.dtypes import limits_of
from glow.support.types import element_type_of


def full_like(x: Tensor, value: float) -> Tensor:
    """Return a number, bool for a bool, repeated in the shape of a tensor."""
    dtype = np.dtype(bool) if isinstance(value, bool) else x.dtype
    return full(x.writer, x.shape, value, dtype)


def full(writer: Any, shape: tuple[int, ...], value: Any, dtype: Any) -> Tensor:
    """Return a number repeated in a shape."""
    one = writer.tensor(np.full((1,) * len(shape), value, dtype))
    return one if shape == one.shape else emit(ExpandOp, one, shape=shape)


def isfinite(x: Tensor) -> Tensor:
    return ops.less(abs(x), np.inf)


def trunc(x: Tensor) -> Tensor:
    return ops.where(x < 0, ops.ceil(x), ops.floor(x))


def fmax(x: Tensor, y: Tensor) -> Tensor:
    largest = ops.where(ops.isnan(y), x, ops.maximum(x, y))
    return ops.where(ops.isnan(x), y, largest)


def fmin(x: Tensor, y: Tensor) -> Tensor:
    least = ops.where(ops.isnan(y), x, ops.minimum(x, y))
    return ops.where(ops.isnan(x), y, least)


def heaviside(x: Tensor, y: Tensor) -> Tensor:
    one, zero = full_like(x, 1), full_like(x, 0)
    step = ops.where(x > 0, one, ops.where(x < 0, zero, y))
    return ops.where(ops.isnan(x), x, step)


def cbrt(x: Tensor) -> Tensor:
    """Return the cube root: a power, then one step of Newton's method."""
    size = abs(x)
    root = ops.pow(size, 1 / 3)
    exact = root - (root - size / (root * root)) / 3
    is_plain = (size > 0) & (size < np.inf)
    return ops.sign(x) * ops.where(is_plain, exact, size)


def hypot(x: Tensor, y: Tensor) -> Tensor:
    """Return the length of (x, y), by a quotient that does not overflow."""
    a, b = abs(x), abs(y)
    large, small = ops.maximum(a, b), ops.minimum(a, b)
    is_plain = (large > 0) & (large < np.inf)
    part = small / ops.where(is_plain, large, full_like(large, 1))
    length = large * ops.sqrt(1 + part * part)
    is_infinite = ops.isinf(a) | ops.isinf(b)
    infinite = full_like(length, np.inf)
    return ops.where(is_infinite, infinite, ops.where(is_plain, length, large))


def expm1(x: Tensor) -> Tensor:
    """
    Return exp(x) - 1, exact near 0.

    Source: W. Kahan's quotient; N. Higham, *Accuracy and Stability of Numerical
    Algorithms*, 1.14.1.
    """
    power = ops.exp(x)
    is_one = ops.equal(power, 1)
    safe = ops.where(is_one, full_like(x, 2), power)
    near = ops.where(is_one, x, (safe - 1) * x / ops.log(safe))
    return ops.where(abs(x) < 0.5, near, power - 1)


def log1p(x: Tensor) -> Tensor:
    """Return log(1 + x), exact near 0; source as of `expm1`."""
    total = 1 + x
    is_one = ops.equal(total, 1)
    safe = ops.where(is_one, full_like(x, 2), total)
    near = ops.where(is_one, x, ops.log(safe) * x / (safe - 1))
    return ops.where(abs(x) < 0.5, near, ops.log(total))


def logaddexp(x: Tensor, y: Tensor) -> Tensor:
    largest = ops.maximum(x, y)
    gap = -abs(x - y)
    total = largest + log1p(ops.exp(gap))
    return ops.where(ops.equal(x, y), x + math.log(2), total)


def atan2(y: Tensor, x: Tensor) -> Tensor:
    """Return the angle of (x, y), by an arc tangent of at most 1."""
    from_x, from_y = abs(x), abs(y)
    is_steep = from_y > from_x
    large = ops.where(is_steep, from_y, from_x)
    small = ops.where(is_steep, from_x, from_y)
    is_zero = ops.equal(large, 0)
    both_infinite = ops.isinf(small) & ops.isinf(large)
    part = small / ops.where(is_zero, full_like(large, 1), large)
    part = ops.where(both_infinite, full_like(part, 1), part)
    angle = ops.atan(part)
    angle = ops.where(is_steep, np.pi / 2 - angle, angle)
    angle = ops.where(sign_bit(x), np.pi - angle, angle)
    return ops.where(sign_bit(y), -angle, angle)


def sign_bit(x: Tensor) -> Tensor:
    """Return where the sign bit of floats is set, also of zeros and NaN."""
    return _bits(x) < 0


def _bits(x: Tensor) -> Tensor:
    integer = element_type_of(np.dtype(f"i{x.dtype.itemsize}"))
    return emit(BitcastOp, x, to=integer)


def nextafter(x: Tensor, y: Tensor) -> Tensor:
    """Return the float after x towards y: the bits as an integer, one further."""
    bits, lowest = _bits(x), _bits(full_like(x, 0)) + 1
    grows = ops.equal(x < y, x > 0)
    one = full_like(bits, 1)
    moved = emit(BitcastOp, bits + ops.where(grows, one, -one), to=x.element)
    tiny = emit(BitcastOp, lowest, to=x.element)
    moved = ops.where(ops.equal(x, 0), ops.where(y > 0, tiny, -tiny), moved)
    moved = ops.where(ops.equal(x, y), y, moved)
    return ops.where(ops.isnan(x) | ops.isnan(y), x + y, moved)


def lowest_of(dtype: Any) -> Any:
    """Return the lowest number of a type, minus infinity for floats."""
    dtype = np.dtype(dtype)
    return limits_of(dtype).min if dtype.kind in "iu" else -np.inf
