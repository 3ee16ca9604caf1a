"""Norms of vectors and matrices, and statistics of pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from glow.support.types import normalize_axis
from glow.tracing.functions.movement import extents_of, moveaxis
from glow.tracing.operands import as_tracer
from glow.tracing.registry import FUNCTIONS, array_function


def _floats(x: Any) -> Any:
    made = as_tracer(x)
    return made.astype(np.float64) if made.dtype.kind in "biu" else made


@array_function("linalg.vector_norm")
def vector_norm(
    x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2
) -> Any:
    size = abs(_floats(x))
    if ord in (np.inf, -np.inf):
        name = "max" if ord > 0 else "min"
        return FUNCTIONS[name](size, axis, keepdims=keepdims)
    if ord == 0:
        return FUNCTIONS["sum"](size != 0, axis, keepdims=keepdims).astype(size.dtype)
    if ord == 1:
        return FUNCTIONS["sum"](size, axis, keepdims=keepdims)
    if ord == 2:
        total = FUNCTIONS["sum"](size * size, axis, keepdims=keepdims)
        return FUNCTIONS["sqrt"](total)
    return FUNCTIONS["sum"](size**ord, axis, keepdims=keepdims) ** (1 / ord)


@array_function("linalg.matrix_norm")
def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """Return the norm of matrices that needs no singular values."""
    if ord == "fro":
        return vector_norm(x, axis=(-2, -1), keepdims=keepdims)
    if ord not in (1, -1, np.inf, -np.inf):
        raise ValueError(f'expected ord "fro", 1, -1, inf or -inf, got {ord!r}')
    along = -2 if abs(ord) == 1 else -1
    sums = FUNCTIONS["sum"](abs(_floats(x)), axis=along, keepdims=True)
    best = FUNCTIONS["max" if ord > 0 else "min"](sums, axis=(-2, -1), keepdims=True)
    return best if keepdims else best[..., 0, 0]


@array_function("linalg.norm")
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    made = as_tracer(x)
    if axis is None and ord is None:
        return vector_norm(made, keepdims=keepdims)
    axes = tuple(range(made.ndim)) if axis is None else extents_of(axis)
    if len(axes) == 1:
        return vector_norm(
            made, axis=axes, ord=2 if ord is None else ord, keepdims=keepdims
        )
    if len(axes) != 2:
        raise ValueError(f"expected one or two axes, got {list(axes)}")
    result = matrix_norm(
        moveaxis(made, axes, (-2, -1)), ord="fro" if ord is None else ord
    )
    if not keepdims:
        return result
    kept = {normalize_axis(each, made.ndim) for each in axes}
    return result.reshape([1 if at in kept else n for at, n in enumerate(made.shape)])


@array_function("cov")
def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
) -> Any:
    rows = FUNCTIONS["atleast_2d"](as_tracer(m).astype(np.float64))
    rows = rows if rowvar or np.ndim(m) < 2 else rows.T
    if y is not None:
        other = FUNCTIONS["atleast_2d"](as_tracer(y).astype(np.float64))
        rows = FUNCTIONS["concatenate"]([rows, other if rowvar else other.T], 0)
    gaps = rows - FUNCTIONS["mean"](rows, 1, keepdims=True)
    freedom = rows.shape[1] - ((0 if bias else 1) if ddof is None else ddof)
    result = gaps @ gaps.T / freedom
    return result[0, 0] if rows.shape[0] == 1 else result


@array_function("corrcoef")
def corrcoef(x: Any, y: Any = None, rowvar: bool = True) -> Any:
    shared = cov(x, y, rowvar)
    if not shared.ndim:
        return shared / shared
    spread = FUNCTIONS["sqrt"](FUNCTIONS["diagonal"](shared))
    return shared / spread[:, None] / spread[None, :]
