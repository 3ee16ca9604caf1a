"""Each function of the array API standard that traced arrays have, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import glow
from glow.tools.array_api_page import STANDARD, state_of

RNG = np.random.default_rng(11)
X = RNG.uniform(0.1, 0.9, (3, 4))
Y = RNG.uniform(0.1, 0.9, (3, 4))
K = RNG.integers(1, 6, (3, 4))
S = RNG.standard_normal((2, 3, 3))

UNARY = """abs acos asin asinh atan atanh ceil conj cos cosh exp expm1 floor imag
    isfinite isinf isnan log log10 log1p log2 negative positive real reciprocal round
    sign signbit sin sinh sqrt square tan tanh trunc max min mean prod std sum var all
    any count_nonzero argmax argmin argsort sort matrix_transpose diff
    empty_like zeros_like ones_like tril triu flip squeeze asarray"""
BINARY = """add atan2 copysign divide equal floor_divide greater greater_equal hypot
    less less_equal logaddexp maximum minimum multiply nextafter not_equal pow remainder
    subtract vecdot broadcast_arrays meshgrid isin"""
INTEGERS = """bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift
    bitwise_xor"""
BOOLS = "logical_and logical_or logical_xor"
ALONG = (
    "max sum prod mean min std var all any argmax argmin argsort sort cumulative_sum"
)

Case = Callable[[Any, Any], Any]
"""A function of a namespace and an array."""

OTHERS: dict[str, Case] = {
    "acosh": lambda xp, x: xp.acosh(x + 1),
    "arange": lambda xp, x: (xp.arange(4), xp.arange(1, 9, 2, dtype=xp.float32)),
    "astype": lambda xp, x: xp.astype(x, xp.float32),
    "bitwise_invert": lambda xp, x: xp.bitwise_invert(xp.astype(x * 9, xp.int64)),
    "broadcast_shapes": lambda xp, x: x + xp.broadcast_shapes((2, 1), (3,))[0],
    "broadcast_to": lambda xp, x: xp.broadcast_to(x, (2, 3, 4)),
    "can_cast": lambda xp, x: x + xp.can_cast(x, xp.float32),
    "clip": lambda xp, x: (xp.clip(x, 0.2, 0.5), xp.clip(x, max=0.5)),
    "concat": lambda xp, x: (xp.concat([x, x]), xp.concat([x, x], axis=None)),
    "cumulative_prod": lambda xp, x: xp.cumulative_prod(x, axis=0),
    "cumulative_sum": lambda xp, x: xp.cumulative_sum(x, axis=1, include_initial=True),
    "empty": lambda xp, x: xp.empty((2, 3)) * 0,
    "expand_dims": lambda xp, x: xp.expand_dims(x, axis=1),
    "eye": lambda xp, x: (xp.eye(3), xp.eye(2, 3, k=1)),
    "fft.fftfreq": lambda xp, x: xp.fft.fftfreq(5, d=0.5),
    "fft.fftshift": lambda xp, x: (xp.fft.fftshift(x), xp.fft.fftshift(x, axes=1)),
    "fft.ifftshift": lambda xp, x: (xp.fft.ifftshift(x), xp.fft.ifftshift(x, axes=0)),
    "fft.rfftfreq": lambda xp, x: xp.fft.rfftfreq(6),
    "finfo": lambda xp, x: x + xp.finfo(xp.float32).eps,
    "from_dlpack": lambda xp, x: x,
    "full": lambda xp, x: (xp.full((2, 3), 7), xp.full((), 1.5)),
    "full_like": lambda xp, x: xp.full_like(x, 2, dtype=xp.int32),
    "iinfo": lambda xp, x: x + xp.iinfo(xp.int8).max,
    "isdtype": lambda xp, x: x + xp.isdtype(x.dtype, "real floating"),
    "linspace": lambda xp, x: xp.linspace(0, 1, 5),
    "logical_not": lambda xp, x: xp.logical_not(x > 0.5),
    "matmul": lambda xp, x: xp.matmul(x, x.T),
    "moveaxis": lambda xp, x: xp.moveaxis(x, 0, 1),
    "ones": lambda xp, x: xp.ones((2, 3), dtype=xp.int32),
    "permute_dims": lambda xp, x: xp.permute_dims(x, (1, 0)),
    "repeat": lambda xp, x: xp.repeat(x, 2, axis=1),
    "reshape": lambda xp, x: xp.reshape(x, (4, -1)),
    "result_type": lambda xp, x: xp.astype(x, xp.result_type(xp.float32, xp.int8)),
    "roll": lambda xp, x: xp.roll(x, 1, axis=0),
    "searchsorted": lambda xp, x: xp.searchsorted(xp.linspace(0, 1, 5), x),
    "stack": lambda xp, x: xp.stack([x, x], axis=1),
    "take": lambda xp, x: xp.take(x, xp.asarray([2, 0]), axis=0),
    "take_along_axis": lambda xp, x: xp.take_along_axis(x, xp.argsort(x, axis=0), 0),
    "tensordot": lambda xp, x: xp.tensordot(x, x, axes=2),
    "tile": lambda xp, x: xp.tile(x, (2, 1)),
    "unstack": lambda xp, x: xp.unstack(x, axis=1),
    "where": lambda xp, x: xp.where(x > 0.5, x, 0),
    "zeros": lambda xp, x: xp.zeros(3),
}


def _unsigned(arrays: Any) -> Any:
    """Return arrays without signs, which vectors of a decomposition may have or not."""
    return tuple(abs(each) for each in arrays)


MATRICES: dict[str, Case] = {
    "linalg.cholesky": lambda xp, x: xp.linalg.cholesky(
        x @ xp.matrix_transpose(x) + xp.eye(3)
    ),
    "linalg.cross": lambda xp, x: xp.linalg.cross(x, x[::-1], axis=-1),
    "linalg.diagonal": lambda xp, x: xp.linalg.diagonal(x, offset=-1),
    "linalg.eigh": lambda xp, x: _unsigned(xp.linalg.eigh(x + xp.matrix_transpose(x))),
    "linalg.matmul": lambda xp, x: xp.linalg.matmul(x, x),
    "linalg.matrix_norm": lambda xp, x: xp.linalg.matrix_norm(x, ord=1),
    "linalg.matrix_power": lambda xp, x: xp.linalg.matrix_power(x, -2),
    "linalg.outer": lambda xp, x: xp.linalg.outer(x[0, 0], x[0, 1]),
    "linalg.qr": lambda xp, x: (*xp.linalg.qr(x), *xp.linalg.qr(x, mode="complete")),
    "linalg.slogdet": lambda xp, x: tuple(xp.linalg.slogdet(x)),
    "linalg.solve": lambda xp, x: xp.linalg.solve(x, x[0]),
    "linalg.svd": lambda xp, x: _unsigned(xp.linalg.svd(x, full_matrices=False)),
    "linalg.tensordot": lambda xp, x: xp.linalg.tensordot(x, x, axes=([2], [1])),
    "linalg.vecdot": lambda xp, x: xp.linalg.vecdot(x, x),
    "linalg.vector_norm": lambda xp, x: xp.linalg.vector_norm(x, axis=1, keepdims=True),
}
MATRICES |= {
    f"linalg.{name}": lambda xp, x, name=name: getattr(xp.linalg, name)(x)
    for name in (
        *("det", "eigvalsh", "inv", "matrix_rank", "matrix_transpose", "pinv"),
        *("svdvals", "trace"),
    )
}


def cases_of(name: str) -> list[tuple[Case, Any]]:
    """Return the cases of a function, each with the array that it is called with."""
    found: list[tuple[Case, Any]] = []
    for names, second in ((BINARY, Y), (INTEGERS, K), (BOOLS, Y > 0.5)):
        if name in names.split():
            first = {INTEGERS: K[::-1], BOOLS: X > 0.5}.get(names, X)
            found.append((lambda xp, x, b=second: getattr(xp, name)(x, b), first))
    if name in UNARY.split():
        found.append((lambda xp, x: getattr(xp, name)(x), X - 0.5 * (name == "abs")))
    if name in ALONG.split():
        found.append((lambda xp, x: getattr(xp, name)(x, axis=1), X))
    if name in OTHERS:
        found.append((OTHERS[name], X))
    if name in MATRICES:
        found.append((MATRICES[name], S))
    return found


KNOWN = [n for text in STANDARD.values() for n in text.split() if state_of(n) == "yes"]


@pytest.mark.parametrize("name", KNOWN)
def test_functions_of_the_standard_give_what_they_give_in_numpy(name: str) -> None:
    cases = cases_of(name)
    assert cases, f"write a case for {name}"
    for function, x in cases:
        expected = function(np, x)
        actual = glow.jit(
            lambda x, function=function: function(x.__array_namespace__(), x),
            target="reference",
        )(x)
        pairs = (
            zip(actual, expected, strict=True)
            if isinstance(expected, tuple | list)
            else ((actual, expected),)
        )
        for got, wanted in pairs:
            assert (got.shape, got.dtype) == (np.shape(wanted), wanted.dtype)
            if "empty" not in name:
                np.testing.assert_allclose(got, wanted, 1e-12, 1e-12)


def test_the_namespace_says_what_it_can() -> None:
    from glow.tracing import namespace

    info = namespace.__array_namespace_info__()
    assert not info.capabilities()["data-dependent shapes"]
    assert info.devices() == [info.default_device()]
    assert set(info.default_dtypes().values()) <= set(info.dtypes().values())
    assert "complex64" not in info.dtypes()


@pytest.mark.parametrize("name", ["unique_all", "nonzero"])
def test_functions_of_unknown_size_are_refused(name: str) -> None:
    with pytest.raises(glow.TracingError, match=f"{name}: expected a result whose"):
        glow.trace(lambda x: getattr(x.__array_namespace__(), name)(x), X)
