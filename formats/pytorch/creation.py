"""Operators that make arrays from shapes and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from glow.formats.pytorch.elementwise import check_device
from glow.formats.pytorch.promotion import DEFAULT_FLOAT
from glow.formats.pytorch.registry import aten
from glow.tracing import namespace as xp


def _default(value: float) -> Any:
    if isinstance(value, bool):
        return np.bool_
    return np.int64 if isinstance(value, int) else DEFAULT_FLOAT


@aten("full")
def full(shape: Sequence[int], value: Any, *, dtype: Any = None, **place: Any) -> Any:
    check_device(place.get("device"))
    return xp.full(tuple(shape), value, dtype=dtype or _default(value))


@aten("full_like")
def full_like(x: Any, value: Any, *, dtype: Any = None, **place: Any) -> Any:
    return full(x.shape, value, dtype=dtype or x.dtype, **place)


@aten("new_full")
def new_full(x: Any, shape: Sequence[int], value: Any, **named: Any) -> Any:
    return full(shape, value, **{**named, "dtype": named.get("dtype") or x.dtype})


@aten("zeros", "empty.memory_format")
def zeros(shape: Sequence[int], *, dtype: Any = None, **place: Any) -> Any:
    return full(shape, 0, dtype=dtype or DEFAULT_FLOAT, **place)


@aten("ones")
def ones(shape: Sequence[int], *, dtype: Any = None, **place: Any) -> Any:
    return full(shape, 1, dtype=dtype or DEFAULT_FLOAT, **place)


@aten("zeros_like", "empty_like")
def zeros_like(x: Any, **named: Any) -> Any:
    return full_like(x, 0, **named)


@aten("ones_like")
def ones_like(x: Any, **named: Any) -> Any:
    return full_like(x, 1, **named)


@aten("new_zeros", "new_empty")
def new_zeros(x: Any, shape: Sequence[int], **named: Any) -> Any:
    return new_full(x, shape, 0, **named)


@aten("new_ones")
def new_ones(x: Any, shape: Sequence[int], **named: Any) -> Any:
    return new_full(x, shape, 1, **named)


@aten("empty_strided", "new_empty_strided")
def empty_strided(x: Any, *rest: Any, **named: Any) -> Any:
    """Return zeros, as nothing may depend on what they are."""
    if not isinstance(x, list | tuple):
        return new_zeros(x, rest[0], **named)
    return zeros(cast(Sequence[int], x), **named)


@aten("scalar_tensor")
def scalar_tensor(value: Any, *, dtype: Any = None, **place: Any) -> Any:
    return full((), value, dtype=dtype or DEFAULT_FLOAT, **place)


@aten("arange.start_step")
def arange(
    start: Any, end: Any, step: Any = 1, *, dtype: Any = None, **place: Any
) -> Any:
    check_device(place.get("device"))
    if dtype is None:
        floats = any(isinstance(each, float) for each in (start, end, step))
        dtype = DEFAULT_FLOAT if floats else np.int64
    values = cast(Any, np.arange(start, end, step))
    return xp.asarray(values.astype(dtype))


@aten("arange")
def arange_to(end: Any, **named: Any) -> Any:
    return arange(0, end, **named)


@aten("arange.start")
def arange_from(start: Any, end: Any, **named: Any) -> Any:
    return arange(start, end, **named)


@aten("linspace")
def linspace(
    start: float, end: float, steps: int, *, dtype: Any = None, **place: Any
) -> Any:
    check_device(place.get("device"))
    values = np.linspace(start, end, steps)
    return xp.asarray(values.astype(dtype or DEFAULT_FLOAT))


@aten("eye")
def eye(rows: int, *, dtype: Any = None, **place: Any) -> Any:
    return eye_of(rows, rows, dtype=dtype, **place)


@aten("eye.m")
def eye_of(rows: int, columns: int, *, dtype: Any = None, **place: Any) -> Any:
    check_device(place.get("device"))
    return xp.asarray(np.eye(rows, columns, dtype=dtype or DEFAULT_FLOAT))
