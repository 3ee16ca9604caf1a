"""Conversion of array elements from one type to another."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from glow.support.dtypes import (
    byte_type,
    is_floating,
    is_narrow,
    is_small,
    limits_of,
    narrowed,
    widened,
)


def convert(
    array: NDArray[Any], dtype: np.dtype[Any], saturate: bool = False
) -> NDArray[Any]:
    """
    Return `array` with elements of type `dtype`.

    Floats become integers by truncation. NaN and numbers out of range become what x86
    instructions and ONNX Runtime make of them: the lowest i32 or i64; integers of 16
    bits and fewer are the low bits of an i32. Numbers with the highest bit of a wider
    unsigned integer are converted without it, and it is then set. With `saturate`, NaN
    becomes 0 and the others the nearest integer of the type. Anything but zero becomes
    true. An integer keeps its low bits. Conversions to and from floats of 16 bits go by
    way of float32.
    """
    if array.dtype == dtype:
        return array.copy()
    if is_narrow(dtype):
        return narrowed(array, dtype)
    if is_small(dtype):
        byte = convert(array, byte_type(dtype), saturate)
        return _of_few_bits(byte, dtype, saturate and is_floating(array.dtype))
    array = widened(array.astype(byte_type(array.dtype), copy=False))
    if not is_floating(array.dtype) or dtype.kind not in "iu":
        return array.astype(dtype)
    if saturate:
        return _saturated(array, dtype)
    if dtype.itemsize < 4:
        return _truncated(array, np.dtype(np.int32)).astype(dtype)
    if dtype.kind == "i":
        return _truncated(array, dtype)
    top = 1 << 8 * dtype.itemsize - 1
    has_top = array >= top
    rest = np.where(has_top, array - array.dtype.type(top), array)
    rounded = _truncated(rest, np.dtype(f"i{dtype.itemsize}")).view(dtype)
    return rounded ^ has_top.astype(dtype) * dtype.type(top)


def _of_few_bits(
    array: NDArray[Any], dtype: np.dtype[Any], saturate: bool
) -> NDArray[Any]:
    """Return bytes as integers of fewer bits: their low ones, or the nearest."""
    limits = limits_of(dtype)
    low, high = int(limits.min), int(limits.max)
    if saturate:
        return np.clip(array, low, high).astype(dtype)
    wide = array.astype(np.int16) - low
    return (wide % (high - low + 1) + low).astype(np.int8).astype(dtype)


def _truncated(array: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    above, below = _outside(array, dtype)
    valid = ~(np.isnan(array) | above | below)
    numbers = np.where(valid, array, 0).astype(dtype)
    return np.where(valid, numbers, np.iinfo(dtype).min).astype(dtype)


def _saturated(array: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    limits, (above, below) = np.iinfo(dtype), _outside(array, dtype)
    valid = ~(np.isnan(array) | above | below)
    numbers = np.where(valid, array, 0).astype(dtype)
    numbers = np.where(above, dtype.type(limits.max), numbers)
    return np.where(below, dtype.type(limits.min), numbers)


def _outside(
    array: NDArray[Any], dtype: np.dtype[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return where floats, truncated, lie above and below what `dtype` can hold."""
    limits = np.iinfo(dtype)
    whole = np.trunc(array)
    return whole >= float(limits.max + 1), whole < float(limits.min)
