"""Conversion of array elements from one type to another."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def convert(
    array: NDArray[Any], dtype: np.dtype[Any], saturate: bool = False
) -> NDArray[Any]:
    """
    Return `array` with elements of type `dtype`.

    Floats become integers by truncation. NaN and what is out of range become the
    lowest integer, as the x86 instruction and ONNX Runtime have it; with `saturate`,
    NaN becomes 0 and the others the nearest integer that exists. Anything but zero
    becomes true. A wider integer keeps its low bits.
    """
    if array.dtype.kind != "f" or dtype.kind != "i":
        return array.astype(dtype)
    limits = np.iinfo(dtype)
    above = array >= -float(limits.min)
    below = array <= float(limits.min) - 1 if limits.bits < 53 else array < limits.min
    valid = ~(np.isnan(array) | above | below)
    found = np.where(valid, array, 0).astype(dtype)
    if saturate:
        return np.select([above, below], [limits.max, limits.min], found).astype(dtype)
    return np.where(valid, found, limits.min).astype(dtype)
