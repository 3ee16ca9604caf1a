"""Sums, extremes and statistics along axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from typing import Any, cast

import numpy as np

from glow.dialects.graph import array_api as ops
from glow.dialects.graph import reduction
from glow.dialects.graph.along_axis import CumsumOp
from glow.dialects.graph.tensors import Tensor, emit
from glow.support.types import WIDE_NUMBER, normalize_axis
from glow.tracing.functions import formulas
from glow.tracing.operands import as_tracer, dtype_of, tensor_of
from glow.tracing.registry import FUNCTIONS, array_function
from glow.tracing.tracers import Tracer

Axis = int | Sequence[int] | None


def axes_of(x: Tensor, axis: Any) -> int | tuple[int, ...] | None:
    """Return axes as integers of Python; TypeError for anything else."""
    if axis is None:
        return None
    if isinstance(axis, tuple | list):
        return tuple(index(each) for each in cast(Sequence[int], axis))
    return index(axis)


def _total_dtype(x: Any, dtype: Any) -> np.dtype[Any]:
    """Return the type that NumPy adds up in: of narrow integers, that of 64 bits."""
    own = dtype_of(x)
    if dtype is not None:
        return np.dtype(dtype)
    if own.kind in "bi":
        return np.dtype(np.int64)
    return np.dtype(np.uint64) if own.kind == "u" else own


def _check_where(where: Any) -> None:
    if where is not True:
        raise TypeError("expected no where, use np.where on the operand")


def _total(op: Callable[..., Tensor], start: int) -> Callable[..., Any]:
    def total(
        a: Any,
        axis: Axis = None,
        dtype: Any = None,
        out: None = None,
        keepdims: bool = False,
        initial: Any = start,
        where: Any = True,
    ) -> Any:
        _check_where(where)
        x = tensor_of(a, _total_dtype(a, dtype))
        result = Tracer(op(x, axes_of(x, axis), keepdims))
        if initial == start:
            return result
        join = "add" if start == 0 else "multiply"
        return FUNCTIONS[join](result, initial)

    return total


array_function("sum", "add.reduce")(_total(ops.sum, 0))
array_function("prod", "multiply.reduce")(_total(ops.prod, 1))


def _extreme(op: Callable[..., Tensor], join: str) -> Callable[..., Any]:
    def extreme(
        a: Any,
        axis: Axis = None,
        out: None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Any:
        _check_where(where)
        x = tensor_of(a)
        along = axes_of(x, axis)
        reduced = range(x.ndim) if along is None else np.atleast_1d(along)
        if initial is None and any(x.shape[each] == 0 for each in reduced):
            raise ValueError("expected elements along the axes, got none")
        wide = x.astype(_wide(x))
        result = Tracer(op(wide, along, keepdims).astype(x.dtype))
        return result if initial is None else FUNCTIONS[join](result, initial)

    return extreme


def _wide(x: Tensor) -> Any:
    """Return the type in which extremes of narrow integers and bools are found."""
    return x.element if x.element in WIDE_NUMBER.members else np.int32


array_function("max", "amax", "maximum.reduce")(_extreme(ops.max, "maximum"))
array_function("min", "amin", "minimum.reduce")(_extreme(ops.min, "minimum"))


@array_function()
def mean(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: None = None,
    keepdims: bool = False,
    where: Any = True,
) -> Any:
    _check_where(where)
    own = dtype_of(a)
    wanted = np.float64 if own.kind in "biu" else own
    x = tensor_of(a, wanted if dtype is None else dtype)
    return Tracer(ops.mean(x, axes_of(x, axis), keepdims))


@array_function()
def var(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: float | None = None,
) -> Any:
    center = FUNCTIONS["mean"](a, axis, dtype, keepdims=True, where=where)
    gaps = FUNCTIONS["subtract"](a, center if mean is None else mean)
    total = FUNCTIONS["sum"](gaps * gaps, axis, keepdims=keepdims)
    count = np.size(a) // max(center.size, 1) if a is not None else 0
    freedom = count - (ddof if correction is None else correction)
    return total / max(freedom, 0)


@array_function()
def std(a: Any, axis: Axis = None, dtype: Any = None, **named: Any) -> Any:
    return FUNCTIONS["sqrt"](FUNCTIONS["var"](a, axis, dtype, **named))


def _truth(op: Callable[..., Tensor]) -> Callable[..., Any]:
    def truth(
        a: Any,
        axis: Axis = None,
        out: None = None,
        keepdims: bool = False,
        *,
        where: Any = True,
    ) -> Any:
        _check_where(where)
        x = tensor_of(a, bool).astype(np.int32)
        return Tracer(op(x, axes_of(x, axis), keepdims).astype(bool))

    return truth


array_function("all", "logical_and.reduce")(_truth(ops.min))
array_function("any", "logical_or.reduce")(_truth(ops.max))


@array_function()
def count_nonzero(a: Any, axis: Axis = None, *, keepdims: bool = False) -> Any:
    return FUNCTIONS["sum"](as_tracer(a).astype(bool), axis, keepdims=keepdims)


def _place(op: type) -> Callable[..., Any]:
    def place(
        a: Any, axis: int | None = None, out: None = None, *, keepdims: bool = False
    ) -> Any:
        x = tensor_of(a)
        if axis is None:
            flat = emit(op, x.reshape(-1), axis=0, keepdims=False)
            return Tracer(flat.reshape(*(1,) * x.ndim) if keepdims else flat)
        x = x.astype(np.uint8) if x.dtype.kind == "b" else x
        return Tracer(emit(op, x, axis=axis, keepdims=keepdims))

    return place


array_function("argmax")(_place(reduction.ArgMaxOp))
array_function("argmin")(_place(reduction.ArgMinOp))


@array_function()
def cumsum(a: Any, axis: int | None = None, dtype: Any = None, out: None = None) -> Any:
    x = tensor_of(a, _total_dtype(a, dtype))
    x = x.reshape(-1) if axis is None else x
    return Tracer(emit(CumsumOp, x, axis=normalize_axis(axis or 0, x.ndim)))


@array_function()
def cumulative_sum(
    x: Any,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    include_initial: bool = False,
) -> Any:
    return _cumulative(cumsum, 0, x, axis, dtype, include_initial)


def _cumulative(
    function: Callable[..., Any],
    start: int,
    x: Any,
    axis: int | None,
    dtype: Any,
    include_initial: bool,
) -> Any:
    if axis is None and np.ndim(x) != 1:
        raise ValueError(f"expected an axis of an array with {np.ndim(x)} axes")
    along = normalize_axis(axis or 0, np.ndim(x))
    total = function(x, along, dtype)
    if not include_initial:
        return total
    shape = (*total.shape[:along], 1, *total.shape[along + 1 :])
    first = formulas.full(total.tensor.writer, shape, start, total.dtype)
    return Tracer(ops.concat([first, total.tensor], along))


@array_function()
def cumprod(
    a: Any, axis: int | None = None, dtype: Any = None, out: None = None
) -> Any:
    """Return running products, in steps that double the length of the products."""
    x = tensor_of(a, _total_dtype(a, dtype))
    x = x.reshape(-1) if axis is None else x
    at = normalize_axis(axis or 0, x.ndim)
    extent, step = x.shape[at], 1
    while step < extent:
        head = (slice(None),) * at
        shape = (*x.shape[:at], step, *x.shape[at + 1 :])
        ones = formulas.full(x.writer, shape, 1, x.dtype)
        behind = x[(*head, slice(0, extent - step))]
        x = x * ops.concat([ones, behind], at)
        step *= 2
    return Tracer(x)


@array_function()
def cumulative_prod(
    x: Any,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    include_initial: bool = False,
) -> Any:
    return _cumulative(cumprod, 1, x, axis, dtype, include_initial)


@array_function()
def ptp(a: Any, axis: Axis = None, out: None = None, keepdims: bool = False) -> Any:
    most = FUNCTIONS["max"](a, axis, keepdims=keepdims)
    return most - FUNCTIONS["min"](a, axis, keepdims=keepdims)


@array_function()
def average(a: Any, axis: Axis = None, weights: Any = None, **named: Any) -> Any:
    if weights is None:
        return FUNCTIONS["mean"](a, axis, **named)
    weighted = FUNCTIONS["multiply"](a, weights)
    total = FUNCTIONS["sum"](weighted, axis, **named)
    return total / FUNCTIONS["sum"](
        FUNCTIONS["broadcast_to"](weights, weighted.shape), axis, **named
    )


@array_function()
def diff(
    a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None
) -> Any:
    x = as_tracer(a)
    at = normalize_axis(axis, x.ndim)
    edge = (*x.shape[:at], 1, *x.shape[at + 1 :])
    parts = [
        each if np.ndim(each) else FUNCTIONS["broadcast_to"](each, edge)
        for each in (prepend, x, append)
        if each is not None
    ]
    if len(parts) > 1:
        x = FUNCTIONS["concatenate"](parts, at)
    head = (slice(None),) * at
    for _ in range(n):
        x = FUNCTIONS["not_equal" if x.dtype.kind == "b" else "subtract"](
            x[(*head, slice(1, None))], x[(*head, slice(None, -1))]
        )
    return x
