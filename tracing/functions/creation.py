"""New arrays, and questions about types and shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from glow.tracing.functions import formulas
from glow.tracing.functions.movement import extents_of
from glow.tracing.operands import (
    as_tracer,
    dtype_of,
    is_operand,
    known_array,
    result_type,
)
from glow.tracing.registry import FUNCTIONS, array_function
from glow.tracing.trace import current_trace
from glow.tracing.tracers import Tracer


def _constant(array: Any) -> Any:
    trace = current_trace()
    return Tracer(trace.tensor(np.asarray(array)))


@array_function("full")
def full(shape: Any, fill_value: Any, dtype: Any = None, **named: Any) -> Any:
    known = known_array(fill_value)
    if known is None:
        value = as_tracer(fill_value)
        made = value if dtype is None else value.astype(dtype)
        return FUNCTIONS["broadcast_to"](made, extents_of(shape))
    wanted = known.dtype if dtype is None else np.dtype(dtype)
    trace = current_trace()
    return Tracer(formulas.full(trace, extents_of(shape), known, wanted))


@array_function()
def zeros(shape: Any, dtype: Any = np.float64, **named: Any) -> Any:
    return full(shape, 0, np.float64 if dtype is None else dtype)


@array_function("ones")
def ones(shape: Any, dtype: Any = np.float64, **named: Any) -> Any:
    return full(shape, 1, np.float64 if dtype is None else dtype)


array_function("empty")(zeros)


@array_function()
def full_like(
    a: Any, /, fill_value: Any, dtype: Any = None, *, shape: Any = None, **named: Any
) -> Any:
    extents = np.shape(a) if shape is None else shape
    return full(extents, fill_value, dtype_of(a) if dtype is None else dtype)


@array_function("zeros_like", "empty_like")
def zeros_like(a: Any, /, dtype: Any = None, *, shape: Any = None, **named: Any) -> Any:
    return full_like(a, 0, dtype, shape=shape)


@array_function()
def ones_like(a: Any, /, dtype: Any = None, *, shape: Any = None, **named: Any) -> Any:
    return full_like(a, 1, dtype, shape=shape)


@array_function("arange")
def arange(start: Any, /, stop: Any = None, step: Any = 1, **named: Any) -> Any:
    dtype = named.get("dtype")
    first, last = (0, start) if stop is None else (start, stop)
    numbers = cast(Any, np.arange(first, last, step))
    return _constant(numbers if dtype is None else numbers.astype(dtype))


@array_function()
def linspace(start: Any, stop: Any, /, num: int = 50, **named: Any) -> Any:
    if is_traced(start) or is_traced(stop):
        steps = np.linspace(0.0, 1.0, num, endpoint=named.get("endpoint", True))
        shape = (num,) + (1,) * max(np.ndim(start), np.ndim(stop))
        span = FUNCTIONS["subtract"](stop, start)
        return start + as_tracer(steps).reshape(shape).astype(span.dtype) * span
    kept = {name: named[name] for name in ("endpoint", "dtype") if name in named}
    return _constant(np.linspace(start, stop, num, **kept))


def is_traced(value: object) -> bool:
    return known_array(value) is None if is_operand(value) else False


@array_function()
def eye(n_rows: int, n_cols: int | None = None, /, k: int = 0, **named: Any) -> Any:
    return _constant(
        np.eye(n_rows, n_cols, k=k, dtype=named.get("dtype") or np.float64)
    )


@array_function("identity")
def identity(n: int, dtype: Any = None) -> Any:
    return eye(n, dtype=dtype)


@array_function("asarray", "array", "asanyarray", "ascontiguousarray", "from_dlpack")
def asarray(obj: Any, /, dtype: Any = None, **named: Any) -> Any:
    """Return an array, a number, or a list of such as a traced array."""
    if isinstance(obj, list | tuple) and _holds_tracers(obj):
        made = FUNCTIONS["stack"]([asarray(each) for each in cast(Sequence[Any], obj)])
    else:
        made = as_tracer(obj) if dtype is None else None
    if made is None:
        known = known_array(obj)
        made = as_tracer(obj if known is None else known.astype(dtype))
    return made if dtype is None else made.astype(dtype)


def _holds_tracers(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_holds_tracers, cast(Sequence[Any], value)))
    return is_traced(value)


@array_function()
def copy(a: Any, **named: Any) -> Any:
    return as_tracer(a)


array_function("real")(copy)


@array_function()
def imag(x: Any, /) -> Any:
    return zeros_like(x)


@array_function()
def shape(a: Any) -> tuple[int, ...]:
    return as_tracer(a).shape


@array_function()
def ndim(a: Any) -> int:
    return as_tracer(a).ndim


@array_function()
def size(a: Any, axis: int | None = None) -> int:
    made = as_tracer(a)
    return made.size if axis is None else made.shape[axis]


@array_function("result_type")
def type_of_result(*arrays_and_dtypes: Any) -> Any:
    given = [
        each if is_operand(each) else np.zeros((), each) for each in arrays_and_dtypes
    ]
    return result_type(*given)


@array_function()
def can_cast(from_: Any, to: Any, /, casting: str = "safe") -> bool:
    source = dtype_of(from_) if is_operand(from_) else np.dtype(from_)
    return np.can_cast(source, np.dtype(to), casting=casting)  # pyright: ignore[reportArgumentType]


@array_function()
def iscomplexobj(x: Any) -> bool:
    return False


@array_function()
def isdtype(dtype: Any, kind: Any) -> bool:
    return np.isdtype(dtype, kind)


@array_function("broadcast_shapes")
def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    return np.broadcast_shapes(*shapes)


@array_function("isclose")
def isclose(
    a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False
) -> Any:
    x, y = as_tracer(a), as_tracer(b)
    near = abs(x - y) <= atol + rtol * abs(y)
    finite = FUNCTIONS["isfinite"](x) & FUNCTIONS["isfinite"](y)
    close = (near & finite) | (x == y)
    if not equal_nan:
        return close
    return close | (FUNCTIONS["isnan"](x) & FUNCTIONS["isnan"](y))


@array_function()
def allclose(a: Any, b: Any, *tolerances: Any, **named: Any) -> Any:
    return FUNCTIONS["all"](isclose(a, b, *tolerances, **named))


@array_function()
def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    if np.shape(a1) != np.shape(a2):
        return full((), False)
    return FUNCTIONS["all"](FUNCTIONS["equal"](a1, a2))


@array_function()
def nan_to_num(
    x: Any,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Any:
    own = as_tracer(x)
    if own.dtype.kind in "biu":
        return own
    limits = np.finfo(own.dtype)
    most = float(limits.max) if posinf is None else posinf
    least = float(limits.min) if neginf is None else neginf
    pick = FUNCTIONS["where"]
    made = pick(own == np.inf, most, pick(own == -np.inf, least, own))
    return pick(FUNCTIONS["isnan"](own), nan, made)


@array_function()
def divmod(x1: Any, x2: Any, /) -> Any:
    return FUNCTIONS["floor_divide"](x1, x2), FUNCTIONS["remainder"](x1, x2)


@array_function()
def modf(x: Any, /) -> Any:
    whole = FUNCTIONS["trunc"](x)
    return FUNCTIONS["copysign"](FUNCTIONS["subtract"](x, whole), x), whole


@array_function("round", "around")
def round_(a: Any, /, decimals: int = 0, out: None = None) -> Any:
    x = as_tracer(a)
    if x.dtype.kind in "biu":
        return x
    if not decimals:
        return FUNCTIONS["rint"](x)
    scale = 10.0 ** abs(decimals)
    if decimals > 0:
        return FUNCTIONS["rint"](x * scale) / scale
    return FUNCTIONS["rint"](x / scale) * scale


@array_function()
def sinc(x: Any, /) -> Any:
    own = as_tracer(x) * np.pi
    safe = FUNCTIONS["where"](own == 0, 1e-20, own)
    return FUNCTIONS["sin"](safe) / safe
