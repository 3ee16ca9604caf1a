"""Operators along axes: sums and their like, running sums, order, softmax."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from glow.dialects.graph.along_axis import TopKOp
from glow.formats.pytorch.promotion import as_floats, cast
from glow.formats.pytorch.registry import aten, emit_all
from glow.support.dtypes import is_floating
from glow.tracing import namespace as xp
from glow.tracing import nn

AxesLike = int | Sequence[int] | None


def _axes(x: Any, dim: AxesLike) -> tuple[int, ...]:
    """Return axes as numbers from 0; none given are all."""
    rank = np.ndim(x)
    given = [dim] if isinstance(dim, int) else list(dim or range(rank))
    return tuple(sorted(each % rank for each in given)) if rank else ()


def _summed_type(x: Any, dtype: Any) -> Any:
    """Return the type in which elements are added up."""
    return dtype or (x.dtype if is_floating(x.dtype) else np.dtype(np.int64))


def _total(function: Callable[..., Any]) -> Callable[..., Any]:
    def total(
        x: Any, dim: AxesLike = None, keepdim: bool = False, *, dtype: Any = None
    ) -> Any:
        x, axes = cast(x, _summed_type(x, dtype)), _axes(x, dim)
        return function(x, axis=axes, keepdims=keepdim) if axes else x

    return total


aten("sum", "sum.dim_IntList")(_total(xp.sum))
aten("prod", "prod.dim_int")(_total(xp.prod))


@aten("mean", "mean.dim")
def mean(
    x: Any, dim: AxesLike = None, keepdim: bool = False, *, dtype: Any = None
) -> Any:
    x, axes = as_floats(x if dtype is None else cast(x, dtype)), _axes(x, dim)
    return xp.mean(x, axis=axes, keepdims=keepdim) if axes else x


def _extreme(function: Callable[..., Any]) -> Callable[..., Any]:
    def extreme(x: Any, dim: AxesLike = None, keepdim: bool = False) -> Any:
        axes = _axes(x, dim)
        return function(x, axis=axes, keepdims=keepdim) if axes else x

    return extreme


aten("amax", "max")(_extreme(xp.max))
aten("amin", "min")(_extreme(xp.min))
aten("any", "any.dim", "any.dims")(_extreme(xp.any))
aten("all", "all.dim", "all.dims")(_extreme(xp.all))


def _place(function: Callable[..., Any]) -> Callable[..., Any]:
    def place(x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
        if dim is None:
            found = function(xp.ravel(x), axis=0)
            return xp.reshape(found, (1,) * x.ndim) if keepdim else found
        if not x.ndim:
            return xp.zeros((), np.int64)
        return function(x, axis=dim, keepdims=keepdim)

    return place


argmax = aten("argmax")(_place(xp.argmax))
argmin = aten("argmin")(_place(xp.argmin))


@aten("max.dim")
def max_along(x: Any, dim: int, keepdim: bool = False) -> tuple[Any, Any]:
    return xp.max(x, axis=dim, keepdims=keepdim), argmax(x, dim, keepdim)


@aten("min.dim")
def min_along(x: Any, dim: int, keepdim: bool = False) -> tuple[Any, Any]:
    return xp.min(x, axis=dim, keepdims=keepdim), argmin(x, dim, keepdim)


@aten("var.correction", "var.dim")
def var(
    x: Any,
    dim: AxesLike = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
) -> Any:
    return var_mean(x, dim, correction=correction, keepdim=keepdim)[0]


@aten("std.correction")
def std(
    x: Any,
    dim: AxesLike = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
) -> Any:
    return xp.sqrt(var(x, dim, correction=correction, keepdim=keepdim))


@aten("var_mean.correction")
def var_mean(
    x: Any,
    dim: AxesLike = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
) -> tuple[Any, Any]:
    axes = _axes(x, dim)
    count = int(np.prod([x.shape[axis] for axis in axes]))
    average = xp.mean(x, axis=axes, keepdims=True)
    squares = xp.sum(xp.square(x - average), axis=axes, keepdims=keepdim)
    lost = 1 if correction is None else correction
    return (
        squares / max(count - lost, 0) if count > lost else squares / 0.0,
        average if keepdim else xp.squeeze(average, axis=axes),
    )


@aten("cumsum")
def cumsum(x: Any, dim: int, *, dtype: Any = None) -> Any:
    x = cast(x, _summed_type(x, dtype))
    return xp.cumsum(x, axis=dim) if x.ndim else x


@aten("cumprod")
def cumprod(x: Any, dim: int, *, dtype: Any = None) -> Any:
    x = cast(x, _summed_type(x, dtype))
    return xp.cumprod(x, axis=dim) if x.ndim else x


@aten("_softmax", "softmax.int")
def softmax(x: Any, dim: int, half_to_float: Any = False) -> Any:
    x = cast(x, np.float32) if half_to_float is True else as_floats(x)
    return nn.softmax(x, axis=dim) if x.ndim else x * 0 + 1


@aten("_log_softmax", "log_softmax.int")
def log_softmax(x: Any, dim: int, half_to_float: Any = False) -> Any:
    x = cast(x, np.float32) if half_to_float is True else as_floats(x)
    return nn.log_softmax(x, axis=dim) if x.ndim else x * 0


@aten("logsumexp")
def logsumexp(x: Any, dim: AxesLike, keepdim: bool = False) -> Any:
    return nn.logsumexp(as_floats(x), axis=_axes(x, dim), keepdims=keepdim)


@aten("linalg_vector_norm")
def vector_norm(
    x: Any,
    order: float = 2,
    dim: AxesLike = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
) -> Any:
    x, axes = x if dtype is None else cast(x, dtype), _axes(x, dim)
    found = xp.linalg.vector_norm(x, axis=axes, keepdims=keepdim, ord=order)
    return cast(found, x.dtype)


@aten("sort", "sort.stable")
def sort(
    x: Any,
    dim: int = -1,
    descending: bool = False,
    *,
    stable: bool | None = None,
) -> tuple[Any, Any]:
    if not x.ndim:
        return x, xp.zeros((), np.int64)
    return topk(x, x.shape[dim], dim, descending)


@aten("argsort", "argsort.stable")
def argsort(x: Any, dim: int = -1, descending: bool = False, **named: Any) -> Any:
    return sort(x, dim, descending)[1]


@aten("topk")
def topk(
    x: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[Any, Any]:
    key = cast(x, np.uint8) if x.dtype.kind == "b" else x
    values, places = emit_all(TopKOp, key, k=k, axis=dim % x.ndim, largest=largest)
    return cast(values, x.dtype), places
