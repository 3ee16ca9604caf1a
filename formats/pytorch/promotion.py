"""Element types as PyTorch has them, and which of several a result has."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from xdsl.utils.exceptions import VerifyException

from glow.support.dtypes import dtype_named, is_floating
from glow.support.errors import UnsupportedModelError
from glow.support.types import element_type_of
from glow.tracing.operands import dtype_of, tensor_of
from glow.tracing.tracers import Tracer

DEFAULT_FLOAT = np.dtype(np.float32)
"""The type that integers are promoted to where only floats are allowed."""


def dtype_from(name: object) -> np.dtype[Any]:
    """
    Return NumPy's type for one of torch, such as `torch.float32`.

    Errors: UnsupportedModelError for complex numbers, quantized ones and their like.
    """
    text = str(name).removeprefix("torch.")
    try:
        dtype = dtype_named(text)
        element_type_of(dtype)
    except (TypeError, VerifyException):
        raise UnsupportedModelError(
            f"expected elements that are integers or floats, got {name}"
        ) from None
    return dtype


def result_type(*operands: Any) -> np.dtype[Any]:
    """
    Return the element type that torch gives to arrays and numbers together.

    Arrays with axes decide, unless one without, or else a number, is of a wider kind:
    bools, integers, floats. Source: torch.result_type.
    """
    with_axes: list[np.dtype[Any]] = []
    without: list[np.dtype[Any]] = []
    numbers: list[np.dtype[Any]] = []
    for operand in operands:
        if isinstance(operand, bool | int | float):
            numbers.append(_type_of_number(operand))
        else:
            (with_axes if np.ndim(operand) else without).append(dtype_of(operand))
    found = [reduce(_wider, group) for group in (with_axes, without, numbers) if group]
    return reduce(lambda a, b: b if _kind(b) > _kind(a) else a, found)


def _type_of_number(number: float) -> np.dtype[Any]:
    if isinstance(number, bool):
        return np.dtype(bool)
    return np.dtype(np.int64) if isinstance(number, int) else DEFAULT_FLOAT


def _kind(dtype: np.dtype[Any]) -> int:
    return 2 if is_floating(dtype) else int(dtype.kind != "b")


def _wider(a: np.dtype[Any], b: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of two arrays alike: floats win, f16 and bf16 are f32."""
    if a == b or _kind(a) != _kind(b):
        return max(a, b, key=_kind)
    if _kind(a) < 2:
        return np.promote_types(a, b)
    if a.itemsize != b.itemsize:
        return max(a, b, key=lambda each: each.itemsize)
    return DEFAULT_FLOAT


def cast(x: Any, dtype: Any) -> Any:
    """Return an array or a number as an array of a type."""
    return Tracer(tensor_of(x, dtype))


def promoted(*operands: Any, floats: bool = False) -> list[Any]:
    """Return operands as arrays of the type that their result has."""
    dtype = result_type(*operands)
    if floats and not is_floating(dtype):
        dtype = DEFAULT_FLOAT
    return [cast(each, dtype) for each in operands]


def as_floats(x: Any) -> Any:
    """Return an array of floats as it is, of others as f32."""
    return x if is_floating(dtype_of(x)) else cast(x, DEFAULT_FLOAT)
