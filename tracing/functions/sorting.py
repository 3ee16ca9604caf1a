"""Sorting along an axis, and functions of sorted elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from glow.dialects.graph.along_axis import TopKOp
from glow.dialects.graph.tensors import Tensor, writer_of
from glow.support.types import normalize_axis
from glow.tracing.functions.reductions import axes_of
from glow.tracing.operands import (
    as_tracer,
    dtype_of,
    tensor_of,
    weak_type,
)
from glow.tracing.registry import FUNCTIONS, array_function
from glow.tracing.tracers import Tracer


def _ordered(a: Any, axis: int | None, descending: bool) -> tuple[Tensor, Tensor]:
    """Return the elements along an axis in order, and where they were."""
    x = tensor_of(a)
    x = x.reshape(x.size) if axis is None else x
    at = normalize_axis(-1 if axis is None else axis, x.ndim)
    key = x.astype(np.uint8) if x.dtype.kind == "b" else x
    values, places = writer_of(key).emit_all(
        TopKOp, key, k=x.shape[at], axis=at, largest=descending
    )
    return values.astype(x.element), places


@array_function()
def sort(
    a: Any,
    /,
    axis: int | None = -1,
    kind: Any = None,
    order: None = None,
    *,
    stable: Any = None,
    descending: bool = False,
) -> Any:
    return Tracer(_ordered(a, axis, descending)[0])


@array_function()
def argsort(
    a: Any,
    /,
    axis: int | None = -1,
    kind: Any = None,
    order: None = None,
    *,
    stable: Any = None,
    descending: bool = False,
) -> Any:
    return Tracer(_ordered(a, axis, descending)[1])


@array_function()
def partition(a: Any, kth: Any, axis: int | None = -1, **named: Any) -> Any:
    return sort(a, axis)


@array_function()
def argpartition(a: Any, kth: Any, axis: int | None = -1, **named: Any) -> Any:
    return argsort(a, axis)


def _lines(a: Any, axis: Any) -> tuple[Any, tuple[int, ...], int]:
    """Return an array whose last axis merges `axis`, the keepdims shape, the extent."""
    x = as_tracer(a)
    x = x.astype(np.float64) if dtype_of(x).kind in "biu" else x
    given = axes_of(x.tensor, axis)
    axes = range(x.ndim) if given is None else np.atleast_1d(given).tolist()
    along = sorted(normalize_axis(each, x.ndim) for each in axes)
    kept = [each for each in range(x.ndim) if each not in along]
    moved = FUNCTIONS["transpose"](x, (*kept, *along))
    count = int(np.prod([x.shape[each] for each in along]))
    extents = tuple(x.shape[each] for each in kept)
    whole = tuple(1 if at in along else n for at, n in enumerate(x.shape))
    return FUNCTIONS["reshape"](moved, (*extents, count)), whole, count


@array_function()
def median(
    a: Any,
    axis: Any = None,
    out: None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Any:
    return quantile(a, 0.5, axis, keepdims=keepdims)


@array_function()
def quantile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    **named: Any,
) -> Any:
    if method != "linear" or named:
        raise ValueError(f'expected method "linear" without weights, got {method!r}')
    lines, whole, count = _lines(a, axis)
    wanted = np.asarray(q, np.float64)
    if wanted.size and not (0 <= wanted.min() <= wanted.max() <= 1):
        raise ValueError(f"expected numbers from 0 to 1, got {q}")
    ordered = sort(lines)
    places = (wanted * (count - 1)).reshape(-1)
    numbers = places.tolist() if weak_type(q) else places
    results = [_between(ordered, place) for place in numbers]
    bad = FUNCTIONS["any"](FUNCTIONS["isnan"](lines), axis=-1)
    clean = [FUNCTIONS["where"](bad, np.nan, each) for each in results]
    shaped = [each.reshape(whole) for each in clean] if keepdims else clean
    if not wanted.ndim:
        return shaped[0]
    stacked = FUNCTIONS["stack"](shaped)
    return stacked.reshape((*wanted.shape, *stacked.shape[1:]))


def _between(ordered: Any, place: float) -> Any:
    """Interpolate between the numbers around `place`, from the nearer one on."""
    below = int(np.floor(place))
    low = ordered[..., below]
    high = ordered[..., min(below + 1, ordered.shape[-1] - 1)]
    part = place - below
    if part >= 0.5:
        return high - (high - low) * (1 - part)
    return low + (high - low) * part


@array_function()
def percentile(a: Any, q: Any, axis: Any = None, **named: Any) -> Any:
    part = q / 100 if weak_type(q) else np.asarray(q, np.float64) / 100
    return quantile(a, part, axis, **named)
