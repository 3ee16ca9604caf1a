"""Decompositions of matrices: reflections column by column, rotations in sweeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from glow.support.arrays import Array
from glow.tracing.control_flow import fori_loop
from glow.tracing.functions.linear_algebra import square_matrices
from glow.tracing.operands import as_tracer, dtype_of
from glow.tracing.registry import FUNCTIONS, array_function

_SWEEPS = 12
"""How often each pair of columns is rotated; after some 6 to 9 they are orthogonal."""


class QRResult(NamedTuple):
    """The result of `qr`."""

    Q: Any
    R: Any


class EighResult(NamedTuple):
    """The result of `eigh`."""

    eigenvalues: Any
    eigenvectors: Any


class SVDResult(NamedTuple):
    """The result of `svd`."""

    U: Any
    S: Any
    Vh: Any


def _matrices(x: Any) -> Any:
    """Return matrices of floats."""
    made = as_tracer(x)
    made = made.astype(np.float64) if dtype_of(made).kind in "biu" else made
    if made.ndim < 2:
        raise ValueError(f"expected matrices, got shape {list(made.shape)}")
    return made


def _identities(like: Any, count: int) -> Any:
    eye = as_tracer(np.eye(count, dtype=like.dtype))
    return FUNCTIONS["broadcast_to"](eye, (*like.shape[:-2], count, count))


def _reflected(x: Any) -> tuple[Any, Any]:
    """
    Return Q, a square of orthonormal columns, and R of Q R = x, with zeros below.

    Each column is reflected onto the diagonal, with the signs that LAPACK has; one that
    is there already stays.
    """
    rows, columns = x.shape[-2:]
    places: Array = np.arange(rows, dtype=np.int64)[:, None]

    def step(k: Any, state: Any) -> Any:
        q, r = state
        column = FUNCTIONS["take"](r, k.reshape(1), axis=-1)
        below = FUNCTIONS["where"](places > k, column, np.zeros((), x.dtype))
        head = FUNCTIONS["sum"](column * (places == k), axis=-2, keepdims=True)
        rest = FUNCTIONS["sum"](below * below, axis=-2, keepdims=True)
        length = FUNCTIONS["sqrt"](head * head + rest)
        onto = FUNCTIONS["where"](head < 0, length, -length)
        v = FUNCTIONS["where"](rest > 0, below + (head - onto) * (places == k), 0.0)
        square = FUNCTIONS["sum"](v * v, axis=-2, keepdims=True)
        scaled = 2 * v / FUNCTIONS["where"](square > 0, square, 1.0)
        return q - (q @ v) @ scaled.mT, r - scaled @ (v.mT @ r)

    count = min(rows - 1, columns)
    state = (_identities(x, rows), x)
    q, r = fori_loop(0, count, step, state) if count else state
    return q, FUNCTIONS["triu"](r)


@array_function("linalg.qr")
def qr(a: Any, mode: str = "reduced") -> Any:
    """
    Return Q and R of Q R = a: by Householder's reflections.

    Source: G. Golub, C. Van Loan, *Matrix Computations*, 5.2.
    """
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(f'expected mode "reduced", "complete" or "r", got {mode!r}')
    x = _matrices(a)
    q, r = _reflected(x)
    count = x.shape[-2] if mode == "complete" else min(x.shape[-2:])
    r = r[..., :count, :]
    return r if mode == "r" else QRResult(q[..., :count], r)


def _rounds(count: int) -> Array:
    """
    Return an order of columns by which all pairs meet in the course of a sweep.

    Pairs are column i and i + count / 2. The first stays, all others move on by one
    place, as in a tournament; after count - 1 rounds each is where it was.
    """
    half = count // 2
    ring = [*range(half), *range(count - 1, half - 1, -1)]
    moved = [ring[0], ring[-1], *ring[1:-1]]
    order = np.empty(count, np.int64)
    order[ring] = moved
    return order


def _rotation(first: Any, second: Any, both: Any) -> tuple[Any, Any]:
    """Return cosine and sine that make [[first, both], [both, second]] diagonal."""
    pick = FUNCTIONS["where"]
    one, is_done = np.ones((), both.dtype), both == 0
    slope = (second - first) / pick(is_done, 1.0, 2 * both)
    size = abs(slope) + FUNCTIONS["hypot"](slope, one)
    tangent = pick(is_done, 0.0, pick(slope < 0, -one, one) / size)
    cosine = 1 / FUNCTIONS["sqrt"](1 + tangent * tangent)
    return cosine, tangent * cosine


def _turned(x: Any, rotation: tuple[Any, Any], order: Array) -> Any:
    """Return columns, each pair rotated, in another order."""
    half = x.shape[-1] // 2
    cosine, sine = (each[..., None, :] for each in rotation)
    first, second = x[..., :half], x[..., half:]
    turned = [cosine * first - sine * second, sine * first + cosine * second]
    return FUNCTIONS["concatenate"](turned, -1)[..., order]


def _swept(columns: int, turn: Callable[[Any, Array], Any], state: Any) -> Any:
    """Return the state after rounds of rotations of an even number of columns."""
    order = _rounds(columns)
    turns = _SWEEPS * (columns - 1)
    return fori_loop(0, turns, lambda _, held: turn(held, order), state)


def _padded(x: Any, rows: int, columns: int) -> Any:
    widths = [(0, 0)] * (x.ndim - 2) + [(0, rows), (0, columns)]
    return FUNCTIONS["pad"](x, widths)


def _diagonal(x: Any) -> Any:
    return FUNCTIONS["linalg.diagonal"](x)


@array_function("linalg.eigh")
def eigh(a: Any, UPLO: str = "L") -> EighResult:
    """
    Return eigenvalues, rising, and eigenvectors of symmetric matrices.

    By Jacobi's rotations, those of disjoint pairs at once, in 12 sweeps.
    Source: G. Golub, C. Van Loan, *Matrix Computations*, 8.5.
    """
    if UPLO not in ("L", "U"):
        raise ValueError(f'expected UPLO "L" or "U", got {UPLO!r}')
    x = square_matrices(a)
    count = x.shape[-1]
    x = x.mT if UPLO == "U" else x
    x = FUNCTIONS["tril"](x) + FUNCTIONS["tril"](x, -1).mT
    odd = count % 2
    half = (count + odd) // 2

    def turn(state: Any, order: Array) -> Any:
        x, vectors = state
        values = _diagonal(x)
        both = _diagonal(x[..., :half, half:])
        rotation = _rotation(values[..., :half], values[..., half:], both)
        x = _turned(_turned(x, rotation, order).mT, rotation, order)
        return x, _turned(vectors, rotation, order)

    state = _padded(x, odd, odd), _identities(x, count + odd)
    x, vectors = _swept(count + odd, turn, state) if count > 1 else state
    values = _diagonal(x)[..., :count]
    order = FUNCTIONS["argsort"](values, axis=-1)
    values = FUNCTIONS["take_along_axis"](values, order, axis=-1)
    vectors = vectors[..., :count, :count]
    vectors = FUNCTIONS["take_along_axis"](vectors, order[..., None, :], axis=-1)
    return EighResult(values, vectors)


@array_function("linalg.eigvalsh")
def eigvalsh(a: Any, UPLO: str = "L") -> Any:
    return eigh(a, UPLO).eigenvalues


def _orthogonalized(x: Any) -> tuple[Any, Any, Any]:
    """
    Return U S, S falling, and V of U S V^T = x, which has no fewer rows than columns.

    Pairs of columns are rotated until all are orthogonal: then these are U S.
    Source: G. Golub, C. Van Loan, *Matrix Computations*, 8.6.3.
    """
    rows, count = x.shape[-2:]
    odd = count % 2
    half = (count + odd) // 2

    def turn(state: Any, order: Array) -> Any:
        first, second = state[..., :rows, :half], state[..., :rows, half:]
        pairs = (first, first), (second, second), (first, second)
        sums = [FUNCTIONS["sum"](one * other, axis=-2) for one, other in pairs]
        return _turned(state, _rotation(*sums), order)

    both = FUNCTIONS["concatenate"]([x, _identities(x, count)], -2)
    both = _padded(both, 0, odd)
    if count > 1:
        both = _swept(count + odd, turn, both)
    columns = both[..., :rows, :count]
    sizes = FUNCTIONS["sqrt"](FUNCTIONS["sum"](columns * columns, axis=-2))
    order = FUNCTIONS["argsort"](-sizes, axis=-1)
    sizes = FUNCTIONS["take_along_axis"](sizes, order, axis=-1)
    places = order[..., None, :]
    columns, vectors = (
        FUNCTIONS["take_along_axis"](each, places, axis=-1)
        for each in (columns, both[..., rows:, :count])
    )
    return columns, sizes, vectors


@array_function("linalg.svd")
def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """Return U, S and V^T of U S V^T = a: columns are rotated until orthogonal."""
    x = _matrices(a)
    is_wide = x.shape[-2] < x.shape[-1]
    columns, sizes, v = _orthogonalized(x.mT if is_wide else x)
    if not compute_uv:
        return sizes
    least = np.finfo(x.dtype).tiny / np.finfo(x.dtype).eps
    is_zero = (sizes < least)[..., None, :]
    zero = np.zeros((), x.dtype)
    u = columns / FUNCTIONS["where"](is_zero, 1.0, sizes[..., None, :])
    u = FUNCTIONS["where"](is_zero, zero, u)
    rest, _ = _reflected(u)  # which has directions that no column of U has
    count = u.shape[-1]
    u = FUNCTIONS["where"](is_zero, rest[..., :count], u)
    if full_matrices:
        u = FUNCTIONS["concatenate"]([u, rest[..., count:]], -1)
    return SVDResult(v, sizes, u.mT) if is_wide else SVDResult(u, sizes, v.mT)


@array_function("linalg.svdvals")
def svdvals(x: Any, /) -> Any:
    return svd(x, compute_uv=False)


def _cutoff(x: Any, sizes: Any, relative: Any) -> Any:
    """Return the limit up to which singular values count as 0."""
    if relative is None:
        relative = max(x.shape[-2:]) * float(np.finfo(x.dtype).eps)
    largest = FUNCTIONS["max"](sizes, axis=-1, keepdims=True)
    shaped = relative if np.ndim(relative) == 0 else as_tracer(relative)[..., None]
    return shaped * largest


@array_function("linalg.pinv")
def pinv(
    a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None
) -> Any:
    """
    Return the pseudoinverse, by singular values that are large enough.

    `rtol` and `rcond` default to the standard's limit: the larger extent times epsilon.
    """
    x = _matrices(a)
    u, sizes, vh = svd(x, full_matrices=False)
    is_kept = sizes > _cutoff(x, sizes, rcond if rtol is None else rtol)
    pick = FUNCTIONS["where"]
    factors = pick(is_kept, 1 / pick(is_kept, sizes, 1.0), 0.0)
    return (vh.mT * factors[..., None, :]) @ u.mT


@array_function("linalg.matrix_rank")
def matrix_rank(
    A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None
) -> Any:
    """Return how many singular values are above `tol`, or `rtol` times the largest."""
    if np.ndim(A) < 2:
        return FUNCTIONS["any"](as_tracer(A) != 0).astype(np.int64)
    x = _matrices(A)
    sizes = svdvals(x)
    least = _cutoff(x, sizes, rtol)
    if tol is not None:
        least = as_tracer(tol)[..., None]
    return FUNCTIONS["sum"](sizes > least, axis=-1, dtype=np.int64)
