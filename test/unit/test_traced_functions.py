"""NumPy's functions on traced arrays: the numbers and types that NumPy gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import glow

Array = np.ndarray[Any, Any]

RNG = np.random.default_rng(7)
F = RNG.standard_normal((3, 4)).astype(np.float32)
G = RNG.standard_normal((3, 4)).astype(np.float32)
P = np.abs(F) + 0.5
U = np.clip(F, -0.9, 0.9)
D = RNG.standard_normal((3, 4))
K = RNG.integers(-9, 9, (3, 4)).astype(np.int32)
J = RNG.integers(1, 5, (3, 4)).astype(np.int32)
B = K > 0
S = RNG.standard_normal((2, 3, 3)).astype(np.float32)
V = RNG.standard_normal(3).astype(np.float32)
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.5, -1.5, 2.5], np.float32)
MASK = np.array([True, False, True, True])
PLACES = np.array([2, 0, -1])

UNARY = {
    "absolute arctan cbrt ceil cos cosh deg2rad exp exp2 expm1 fabs floor isfinite "
    "isinf isnan negative positive rad2deg rint sign signbit sin sinh square tan tanh "
    "trunc": (F, SPECIAL),
    "log log10 log1p log2 sqrt reciprocal arccosh": (P + 1,),
    "arccos arcsin arctanh arcsinh": (U,),
    "absolute negative sign square positive invert floor isnan isfinite": (K,),
    "exp sqrt sin": (J, B),
    "invert logical_not absolute": (B,),
}
BINARY: dict[str, Any] = {
    "add subtract multiply divide maximum minimum fmax fmin arctan2 copysign hypot "
    "logaddexp remainder fmod floor_divide equal not_equal less less_equal greater "
    "greater_equal nextafter heaviside": (
        (F, G),
        (F, D),
        (F, J),
        (SPECIAL, SPECIAL[::-1]),
    ),
    "power float_power": ((P, G), (P, 2), (P, 0.5)),
    "add subtract multiply divide maximum minimum remainder fmod floor_divide equal "
    "less greater_equal bitwise_and bitwise_or bitwise_xor": ((K, J), (K, 3)),
    "left_shift right_shift power": ((J, J),),
    "add multiply maximum minimum equal less bitwise_and bitwise_or bitwise_xor "
    "logical_and logical_or logical_xor": ((B, ~B), (B, K > 3)),
    "logical_and logical_or logical_xor": ((F, K),),
    "add": ((F, 1), (F, 1.5), (K, 1.5), (B, 1), (np.uint8(3), J), (F.astype("f2"), J)),
}
CASES = [
    (name, operands)
    for names, several in [
        *((n, [(x,) for x in xs]) for n, xs in UNARY.items()),
        *BINARY.items(),
    ]
    for name in names.split()
    for operands in several
]

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sum": lambda x: (x.sum(), np.sum(x, axis=1), x.sum((0, 1), keepdims=True)),
    "sum of integers": lambda x: np.sum((x * 3).astype(np.int8), axis=0),
    "prod": lambda x: np.prod(x, axis=-1),
    "extremes": lambda x: (x.max(), np.min(x, 1), np.amax(x, axis=0, keepdims=True)),
    "extremes of bools": lambda x: ((x > 0).max(1), (x > 0).all(0), np.any(x > 1)),
    "initial": lambda x: (np.sum(x, initial=2.0), np.max(x, 0, initial=0.5)),
    "reduce": lambda x: (np.add.reduce(x, 0), np.maximum.reduce(x, 1)),
    "mean": lambda x: (x.mean(), np.mean(x, axis=0), np.mean(x > 0)),
    "spread": lambda x: (x.var(1), np.std(x), np.var(x, 0, ddof=1, keepdims=True)),
    "places": lambda x: (x.argmax(), np.argmin(x, 1), np.argmax(x > 0, axis=1)),
    "running": lambda x: (x.cumsum(), np.cumsum(x, 1), np.cumprod(x, axis=1)),
    "counts": lambda x: (np.count_nonzero(x > 0), np.count_nonzero(x > 0, axis=1)),
    "gaps": lambda x: (
        np.diff(x),
        np.diff(x, 2, axis=0),
        np.diff(x, prepend=0, append=x[:, :1]),
        np.ptp(x, 1),
    ),
    "average": lambda x: (np.average(x, 0), np.average(x, 1, weights=[1, 2, 3, 4])),
    "median": lambda x: (np.median(x), np.median(x, 1), np.quantile(x, [0.1, 0.9], 0)),
    "percentile": lambda x: np.percentile(x, 30, axis=1, keepdims=True),
    "sort": lambda x: (np.sort(x), x.argsort(0), np.sort(x, None), np.sort(x > 0)),
    "reshape": lambda x: (x.reshape(2, 6), np.reshape(x, (-1, 3)), x.ravel(), x.T),
    "transpose": lambda x: (np.transpose(x), x.transpose(1, 0), np.swapaxes(x, 0, -1)),
    "axes": lambda x: (
        np.moveaxis(x[None], 0, -1),
        np.expand_dims(x, (0, 2)),
        np.squeeze(x[None, :, None]),
        np.atleast_3d(x),
    ),
    "join": lambda x: (
        np.concatenate([x, x * 2], axis=1),
        np.stack([x, x], -1),
        np.vstack([x, x[0]]),
        np.hstack([x, x]),
        np.append(x, [1.0]),
        np.concatenate([x, x > 0], axis=None),
    ),
    "split": lambda x: (
        *np.split(x, 2, 1), *np.array_split(x, 2), *np.split(x, [1], 0),
    ),
    "turn": lambda x: (np.flip(x), np.fliplr(x), np.rot90(x), np.rot90(x, 3)),
    "roll": lambda x: (np.roll(x, 2), np.roll(x, -1, 1), np.roll(x, (1, 2), (0, 1))),
    "repeat": lambda x: (np.repeat(x, 2, 1), np.repeat(x, [1, 0, 2], 0), np.tile(x, 2)),
    "tile": lambda x: (np.tile(x, (2, 1, 3)), np.broadcast_to(x, (2, 3, 4))),
    "pad": lambda x: (
        np.pad(x, 1),
        np.pad(x, ((0, 1), (2, 0)), constant_values=3),
        np.pad(x, 1, mode="edge"),
        np.pad(x, 1, mode="reflect"),
    ),
    "triangles": lambda x: (np.tril(x), np.triu(x, 1), np.diagonal(x), np.trace(x)),
    "diag": lambda x: (np.diag(x), np.diag(x[0]), np.diag(x[0, :2], 1)),
    "basic indices": lambda x: (
        x[1], x[:, 1:3], x[::-1, ::2], x[..., None, -1], x[-1, 2],
    ),
    "integer arrays": lambda x: (
        x[PLACES],
        x[:, PLACES],
        x[[0, 2], [1, 3]],
        x[PLACES[:, None], [0, 1]],
        x[None, [0, 1], :, None],
        x[1, PLACES],
        x[PLACES, ..., None, 1],
    ),
    "masks": lambda x: (x[:, MASK], x[F > 0], x[1, MASK]),
    "take": lambda x: (
        np.take(x, PLACES),
        x.take([1, 0], axis=1),
        np.take(x, [5, -7], 0, mode="clip"),
        np.take(x, [5, -7], 0, mode="wrap"),
        np.take_along_axis(x, np.argsort(x, 1), 1),
    ),
    "traced indices": lambda x: (x[x[:, 0].argsort()], x[:, (x[0] > 0).astype(int)]),
    "where": lambda x: (np.where(x > 0, x, 0), np.where(MASK, x, -x), np.clip(x, 0, 1)),
    "clip": lambda x: (x.clip(-1), np.clip(x, None, 0.5), np.clip(x, x[0], 1)),
    "select": lambda x: np.select([x > 1, x > 0], [x, x * 2], 5.0),
    "searchsorted": lambda x: (
        np.searchsorted([-1.0, 0.0, 1.0], x),
        np.digitize(x, np.array([-1.0, 0.0, 1.0])),
        np.isin((x * 2).astype(int), [0, 1]),
    ),
    "products": lambda x: (
        x @ x.T,
        np.dot(x, V4),
        np.matmul(x, V4),
        np.inner(x, x),
        np.outer(x[0], x[1]),
        np.vdot(x, x),
        np.tensordot(x, x, ((0, 1), (0, 1))),
        np.tensordot(x, x.T, 1),
        np.kron(x[:2, :2], x),
    ),
    "products of integers": lambda x: (
        (x * 3).astype(np.int8) @ (x.T * 3).astype(np.int8),
        np.vecdot(x, x),
        np.einsum("ij,kj->ik", x, x),
        np.einsum("ij->j", x),
    ),
    "cross": lambda x: (np.cross(x[:, :3], x[::-1, :3]), np.linalg.norm(x, axis=1)),
    "norms": lambda x: (
        np.linalg.norm(x),
        np.linalg.norm(x, 1),
        np.linalg.norm(x, np.inf, keepdims=True),
        np.linalg.vector_norm(x, ord=3),
        np.linalg.matrix_norm(x),
    ),
    "correlation": lambda x: (np.cov(x), np.corrcoef(x)),
    "new": lambda x: (np.zeros_like(x), np.ones_like(x, dtype=int), np.full_like(x, 3)),
    "near": lambda x: (
        np.isclose(x, x + 1e-9), np.allclose(x, x), np.array_equal(x, x),
    ),
    "numbers": lambda x: (np.nan_to_num(x / 0), *np.divmod(x, 0.7), *np.modf(x)),
    "round": lambda x: (np.round(x), x.round(2), np.round(x * 30, -1)),
    "sinc": lambda x: np.sinc(x),
    "grids": lambda x: np.meshgrid(x[0], x[1, :2]),
    "types": lambda x: (x.astype("f8"), (x * 5).astype(np.uint8) - 250, x.astype(bool)),
    "operators": lambda x: (
        1 - x, 2 / P, x // 0.5, x % 0.3, -x, +x, abs(x), P**x, x > 0, x != x, ~(x > 0),
        (x > 0) & (x < 1), (x > 0) | True, (x > 0) ^ MASK, divmod(x, 0.5)[0],
    ),
    "array first": lambda x: (F + x, F @ x.T, x > F, np.float32(2) * x, F[0] - x),
}  # fmt: skip
V4 = RNG.standard_normal(4).astype(np.float32)


def check(function: Callable[..., Any], *operands: Any, exact: bool = False) -> None:
    """Compare a function, compiled, with itself in NumPy."""
    with np.errstate(all="ignore"):
        expected = function(*operands)
    actual = glow.jit(function, target="reference")(*operands)
    several = expected if isinstance(expected, tuple | list) else (expected,)
    found = actual if isinstance(actual, tuple | list) else (actual,)
    assert len(several) == len(found)
    for wanted, got in zip(several, found, strict=True):
        wanted = np.asarray(wanted)
        assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
        if wanted.dtype.kind == "f":
            tolerance = 1e-13 if wanted.dtype == np.float64 else 3e-6
            tolerance = 2e-3 if wanted.dtype == np.float16 else tolerance
            np.testing.assert_allclose(got, wanted, tolerance, tolerance)
        else:
            np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize(("name", "operands"), CASES)
def test_ufuncs_give_what_they_give_in_numpy(
    name: str, operands: tuple[Any, ...]
) -> None:
    check(getattr(np, name), *operands)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_give_what_they_give_in_numpy(name: str) -> None:
    check(FUNCTIONS[name], F)


def matrices(x: Array) -> Any:
    eye = np.eye(3, dtype=x.dtype)
    positive = x @ np.matrix_transpose(x) + 3 * eye
    return (
        np.linalg.det(x),
        np.linalg.inv(x),
        np.linalg.solve(x, x[..., :1] + 1),
        np.linalg.cholesky(positive),
        np.linalg.matrix_power(x, 5),
        np.linalg.matrix_power(x, 0),
        np.linalg.matrix_transpose(x),
        *np.linalg.slogdet(x),
        np.linalg.trace(x),
        np.linalg.diagonal(x, offset=1),
    )


def test_linear_algebra_with_a_finite_formula() -> None:
    check(matrices, S.astype(np.float64))
