"""Products, and linear algebra that has a finite formula."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from glow.dialects.graph.linear import DetOp, EinsumOp, MatMulOp
from glow.dialects.graph.tensors import Tensor, emit
from glow.support.types import WIDE_NUMBER, normalize_axis
from glow.tracing.functions.movement import extents_of, moveaxis
from glow.tracing.operands import as_tracer, dtype_of, promoted, result_type
from glow.tracing.registry import FUNCTIONS, array_function
from glow.tracing.tracers import Tracer

_MOST_ROWS = 32
"""The most rows of a matrix to eliminate row by row, with a few ops for each."""


def _wide(*operands: Any) -> tuple[tuple[Tensor, ...], np.dtype[Any]]:
    """Return operands of one type wide enough for sums, and the type of the result."""
    wanted = result_type(*operands)
    tensors = promoted(*operands)
    if tensors[0].element in WIDE_NUMBER.members:
        return tensors, wanted
    return tuple(each.astype(np.int32) for each in tensors), wanted


def _product(lhs: Tensor, rhs: Tensor, wanted: np.dtype[Any]) -> Any:
    return Tracer(emit(MatMulOp, lhs, rhs).astype(wanted))


@array_function("matmul", "linalg.matmul")
def matmul(x1: Any, x2: Any, /, **named: Any) -> Any:
    if not np.ndim(x1) or not np.ndim(x2):
        raise ValueError("expected arrays with axes, got a number; use *")
    (lhs, rhs), wanted = _wide(x1, x2)
    return _product(lhs, rhs, wanted)


@array_function()
def dot(a: Any, b: Any, out: None = None) -> Any:
    if not np.ndim(a) or not np.ndim(b):
        return FUNCTIONS["multiply"](a, b)
    return tensordot(a, b, ((-1,), (-2 if np.ndim(b) > 1 else -1,)))


@array_function()
def vdot(a: Any, b: Any, /) -> Any:
    return dot(FUNCTIONS["ravel"](a), FUNCTIONS["ravel"](b))


@array_function()
def inner(a: Any, b: Any, /) -> Any:
    if not np.ndim(a) or not np.ndim(b):
        return FUNCTIONS["multiply"](a, b)
    return tensordot(a, b, ((-1,), (-1,)))


@array_function("outer", "linalg.outer")
def outer(a: Any, b: Any, out: None = None) -> Any:
    return FUNCTIONS["ravel"](a)[:, None] * FUNCTIONS["ravel"](b)[None, :]


@array_function("vecdot", "linalg.vecdot")
def vecdot(x1: Any, x2: Any, /, *, axis: int = -1, **named: Any) -> Any:
    product = FUNCTIONS["multiply"](x1, x2)
    return FUNCTIONS["sum"](product, axis=axis, dtype=product.dtype)


@array_function()
def matvec(x1: Any, x2: Any, /, **named: Any) -> Any:
    return matmul(x1, as_tracer(x2)[..., None])[..., 0]


@array_function()
def vecmat(x1: Any, x2: Any, /, **named: Any) -> Any:
    return matmul(as_tracer(x1)[..., None, :], x2)[..., 0, :]


@array_function("tensordot", "linalg.tensordot")
def tensordot(a: Any, b: Any, /, axes: Any = 2) -> Any:
    """Return the product along pairs of axes, as one of matrices."""
    (x, y), wanted = _wide(a, b)
    if isinstance(axes, int):
        pairs = range(x.ndim - axes, x.ndim), range(axes)
    else:
        pairs = extents_of(axes[0]), extents_of(axes[1])
    left = [normalize_axis(axis, x.ndim) for axis in pairs[0]]
    right = [normalize_axis(axis, y.ndim) for axis in pairs[1]]
    depths = [x.shape[i] for i in left], [y.shape[i] for i in right]
    if depths[0] != depths[1]:
        raise ValueError(
            f"expected axes of equal extents, got {depths[0]} and {depths[1]}"
        )
    rows = [i for i in range(x.ndim) if i not in left]
    columns = [i for i in range(y.ndim) if i not in right]
    depth = int(np.prod(depths[0]))
    heights, widths = [x.shape[i] for i in rows], [y.shape[i] for i in columns]
    lhs = x.transpose(*rows, *left).reshape(int(np.prod(heights)), depth)
    rhs = y.transpose(*right, *columns).reshape(depth, int(np.prod(widths)))
    return _product(lhs, rhs, wanted).reshape((*heights, *widths))


@array_function()
def einsum(subscripts: Any, /, *operands: Any, optimize: Any = None) -> Any:
    if not isinstance(subscripts, str):
        raise TypeError("expected subscripts such as 'ij,jk->ik' first")
    tensors, wanted = _wide(*operands)
    equation = subscripts.replace(" ", "")
    return Tracer(emit(EinsumOp, list(tensors), equation=equation).astype(wanted))


@array_function("kron")
def kron(a: Any, b: Any) -> Any:
    x, y = as_tracer(a), as_tracer(b)
    rank = max(x.ndim, y.ndim)
    left = (1,) * (rank - x.ndim) + x.shape
    right = (1,) * (rank - y.ndim) + y.shape
    wide = x.reshape([n for each in left for n in (each, 1)])
    tall = y.reshape([n for each in right for n in (1, each)])
    return (wide * tall).reshape([n * m for n, m in zip(left, right, strict=True)])


@array_function("cross", "linalg.cross")
def cross(a: Any, b: Any, /, *, axis: int = -1) -> Any:
    x, y = moveaxis(a, axis, -1), moveaxis(b, axis, -1)
    if x.shape[-1] != 3 or y.shape[-1] != 3:
        raise ValueError(f"expected vectors of 3, got {x.shape[-1]} and {y.shape[-1]}")
    one, two = [1, 2, 0], [2, 0, 1]
    product = x[..., one] * y[..., two] - x[..., two] * y[..., one]
    return moveaxis(product, -1, axis)


@array_function("diagonal")
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    x = moveaxis(a, (axis1, axis2), (-2, -1))
    rows, columns = x.shape[-2:]
    count = min(rows + min(offset, 0), columns - max(offset, 0))
    places = np.arange(max(count, 0), dtype=np.int64)
    return x[..., places - min(offset, 0), places + max(offset, 0)]


@array_function("linalg.diagonal")
def matrix_diagonal(x: Any, /, *, offset: int = 0) -> Any:
    return diagonal(x, offset, -2, -1)


@array_function("trace")
def trace(
    a: Any,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: Any = None,
    **named: Any,
) -> Any:
    return FUNCTIONS["sum"](diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype)


@array_function("linalg.trace")
def matrix_trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    return trace(x, offset, -2, -1, dtype)


@array_function("diag")
def diag(v: Any, k: int = 0) -> Any:
    x = as_tracer(v)
    if x.ndim == 2:
        return diagonal(x, k)
    if x.ndim != 1:
        raise ValueError(f"expected 1 or 2 axes, got {x.ndim}")
    count = x.shape[0] + abs(k)
    places = np.clip(np.arange(count) - max(k, 0), 0, max(x.shape[0] - 1, 0))
    mask = np.eye(count, k=k, dtype=bool)
    return FUNCTIONS["where"](mask, x[places][None, :], np.zeros((), x.dtype))


def square_matrices(x: Any) -> Any:
    """Return square matrices of floats."""
    made = as_tracer(x)
    made = made.astype(np.float64) if dtype_of(made).kind in "biu" else made
    if made.ndim < 2 or made.shape[-1] != made.shape[-2]:
        raise ValueError(f"expected square matrices, got shape {list(made.shape)}")
    return made


@array_function("linalg.det")
def det(a: Any, /) -> Any:
    return Tracer(emit(DetOp, square_matrices(a).tensor))


@array_function("linalg.slogdet")
def slogdet(a: Any, /) -> Any:
    """Return sign and logarithm of the size of the determinant."""
    value = det(a)
    return FUNCTIONS["sign"](value), FUNCTIONS["log"](abs(value))


@array_function("linalg.solve")
def solve(a: Any, b: Any, /) -> Any:
    """Return x of a x = b: Gauss-Jordan elimination, each pivot the largest left."""
    matrix, right = square_matrices(a), as_tracer(b)
    right = right.astype(result_type(matrix, right))
    matrix = matrix.astype(right.dtype)
    count = matrix.shape[-1]
    if count > _MOST_ROWS:
        raise ValueError(f"expected at most {_MOST_ROWS} rows, got {count}")
    is_vector = right.ndim == 1
    right = right[:, None] if is_vector else right
    batch = np.broadcast_shapes(matrix.shape[:-2], right.shape[:-2])
    parts = [
        FUNCTIONS["broadcast_to"](each, (*batch, *each.shape[-2:]))
        for each in (matrix, right)
    ]
    rows = FUNCTIONS["concatenate"](parts, -1)
    places = np.arange(count, dtype=np.int64)
    for step in range(count):
        rows = _eliminated(rows, step, places)
    result = rows[..., count:]
    return result[..., 0] if is_vector else result


def _eliminated(rows: Any, step: int, places: Any) -> Any:
    """Return rows with column `step` zero but for a one in row `step`."""
    pick = FUNCTIONS["where"]
    size = pick(places < step, -1.0, abs(rows[..., step]))
    best = FUNCTIONS["argmax"](size, axis=-1, keepdims=True)
    chosen = FUNCTIONS["take_along_axis"](rows, best[..., None], axis=-2)
    swapped = pick((places == best)[..., None], rows[..., step : step + 1, :], rows)
    pivot = chosen / chosen[..., step : step + 1]
    others = swapped - swapped[..., step : step + 1] * pivot
    return pick((places == step)[:, None], pivot, others)


@array_function("linalg.inv")
def inv(a: Any, /) -> Any:
    matrix = square_matrices(a)
    return solve(matrix, np.eye(matrix.shape[-1], dtype=matrix.dtype))


@array_function("linalg.cholesky")
def cholesky(a: Any, /, *, upper: bool = False) -> Any:
    """Return L of L L^T = a, column by column."""
    matrix = square_matrices(a)
    count = matrix.shape[-1]
    if count > _MOST_ROWS:
        raise ValueError(f"expected at most {_MOST_ROWS} rows, got {count}")
    columns: list[Any] = []
    for step in range(count):
        column = matrix[..., step]
        for other in columns:
            column = column - other * other[..., step : step + 1]
        column = column / FUNCTIONS["sqrt"](column[..., step : step + 1])
        columns.append(FUNCTIONS["where"](np.arange(count) < step, 0.0, column))
    lower = FUNCTIONS["stack"](columns, -1)
    return FUNCTIONS["matrix_transpose"](lower) if upper else lower


@array_function("linalg.matrix_power")
def matrix_power(a: Any, n: int, /) -> Any:
    x = square_matrices(a) if n < 0 else as_tracer(a)
    base = inv(x) if n < 0 else x
    if n == 0:
        eye = as_tracer(np.eye(x.shape[-1], dtype=x.dtype))
        return FUNCTIONS["broadcast_to"](eye, x.shape)
    result: Any = None
    for bit in bin(abs(n))[2:]:
        result = None if result is None else matmul(result, result)
        if bit == "1":
            result = base if result is None else matmul(result, base)
    return result


@array_function("linalg.multi_dot")
def multi_dot(arrays: Sequence[Any], **named: Any) -> Any:
    result = arrays[0]
    for each in arrays[1:]:
        result = dot(result, each)
    return result
