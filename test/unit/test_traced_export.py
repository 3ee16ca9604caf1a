"""Traced functions as NumPy runs them, as we do, and as ONNX Runtime does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from operators.oracle import run_onnxruntime

import glow
from glow.graph_modules import exported

F32 = np.float32
RNG = np.random.default_rng(0)
X = RNG.standard_normal((4, 6)).astype(F32)
Y = RNG.uniform(0.5, 2, (4, 6)).astype(F32)
W = RNG.standard_normal((6, 5)).astype(F32)
IMAGE = RNG.standard_normal((1, 3, 8, 8)).astype(F32)
FILTER = RNG.standard_normal((4, 3, 3, 3)).astype(F32)
PLACES = np.array([[0, -1], [2, 1]])


@glow.composite
def gated(x: Any, w: Any) -> Any:
    return np.tanh(x @ w) * np.maximum(x @ w, 0)


def newton(x: Any) -> Any:
    return glow.while_loop(
        lambda s: np.abs(s * s - x).max() > 1e-3, lambda s: (s + x / s) / 2, x + 1
    )


def running(x: Any) -> Any:
    return glow.scan(lambda c, row: (0.5 * c + row, c.sum()), np.zeros(6, F32), x)


def until(x: Any) -> Any:
    return glow.scan(
        lambda c, row: (c + row, c.sum()),
        np.zeros(6, F32),
        x,
        condition=lambda c: c.sum() < 2,
    )


FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "arithmetic": (lambda x, y: (x + 2 * y - x / y) % 3, (X, Y)),
    "powers": (lambda x, y: y**1.5 + x**2 + np.sqrt(y) + np.cbrt(x), (X, Y)),
    "exponentials": (lambda x, y: np.exp(x) + np.log1p(y) + np.expm1(-x), (X, Y)),
    "angles": (lambda x, y: np.sin(x) + np.arctan2(x, y) + np.cosh(x), (X, Y)),
    "comparisons": (lambda x, y: np.where((x < y) & (x > -1), x, y), (X, Y)),
    "rounding": (lambda x: np.floor(x) + np.trunc(x * 3) + np.round(x, 1), (X,)),
    "integers": (lambda p: (p // 2 * 3 + p % 2) ^ 5, (PLACES,)),
    "types": (lambda x: x.astype(np.int32) + np.int64(3), (X,)),
    "reductions": (lambda x: x.sum(0) + x.mean(0) * x.max() - x.std(axis=0), (X,)),
    "norms": (lambda x: x / np.linalg.norm(x, axis=1, keepdims=True), (X,)),
    "orders": (lambda x: np.sort(x, axis=1) + np.argsort(x, axis=0), (X,)),
    "products": (lambda x, w: x @ w + np.einsum("ij,jk->ik", x, w), (X, W)),
    "sums of products": (lambda x, y: np.tensordot(x, y, axes=([1], [1])), (X, Y)),
    "slices": (lambda x: x[1:, ::-2] + x[-1, None, :3], (X,)),
    "places": (lambda x, p: x[p, 1] + x[PLACES, 2], (X, PLACES)),
    "masks": (lambda x: x[:, np.array([True, False] * 3)], (X,)),
    "movement": (lambda x: np.moveaxis(x.reshape(2, 2, 6), 0, 2).ravel(), (X,)),
    "joining": (lambda x, y: np.concatenate([x, np.stack([y[0], x[1]])]), (X, Y)),
    "padding": (lambda x: np.pad(x, ((1, 0), (0, 2))) + np.roll(x[0, 0], 1), (X,)),
    "triangles": (lambda x: np.tril(x) @ np.triu(x).T, (X,)),
    "running sums": (lambda x: np.cumsum(x, axis=1) + np.diff(x, prepend=0), (X,)),
    "determinants": (lambda x: np.linalg.det(x[:, :4]) + np.trace(x), (X,)),
    "solutions": (lambda x, y: np.linalg.solve(x[:, :4] + np.eye(4), y), (X, Y)),
    "convolution": (lambda i, f: glow.nn.relu(glow.nn.conv(i, f)), (IMAGE, FILTER)),
    "pools": (lambda i: glow.nn.max_pool(i, 2) + glow.nn.avg_pool(i, 2), (IMAGE,)),
    "attention": (lambda x: glow.nn.attention(*[x.reshape(1, 1, 4, 6)] * 3), (X,)),
    "normalization": (lambda x, y: glow.nn.layer_norm(x, y[0], y[1]), (X, Y)),
    "composites": (lambda x, w: gated(gated(x, w)[:, :3], w[:3]), (X, W)),
    "a loop": (newton, (Y,)),
    "a scan": (running, (X,)),
    "a scan that ends": (until, (X,)),
    "a choice": (lambda x: glow.cond(x.sum() > 0, np.exp, np.negative, x), (X,)),
    "a gradient": (lambda x, w: glow.grad(lambda w: gated(x, w).sum())(w), (X, W)),
}


def check(function: Callable[..., Any], arrays: tuple[Any, ...], loose: bool) -> None:
    """Compare what ONNX Runtime, the reference target and NumPy compute."""
    traced = glow.trace(function, *arrays)
    proto = exported(traced.module, "traced")
    onnx.checker.check_model(proto)
    names = [each.name for each in proto.graph.input]
    found = run_onnxruntime(proto, dict(zip(names, arrays, strict=True)))
    own = glow.compile(traced, target="reference")(*arrays)
    own = own if isinstance(own, tuple) else (own,)
    for got, wanted in zip(found, own, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)
    if loose:
        return
    made = function(*arrays)
    for got, wanted in zip(
        own, made if isinstance(made, tuple) else (made,), strict=True
    ):
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_give_the_same_everywhere(name: str) -> None:
    function, arrays = FUNCTIONS[name]
    only_traced = ("convolution", "pools", "attention", "normalization", "a gradient")
    check(function, arrays, loose=name in only_traced)


STEPS: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b,
    lambda a, b: a * 0.5 - b,
    lambda a, b: np.maximum(a, b[..., ::-1]),
    lambda a, b: np.where(a > b, a, -b),
    lambda a, b: np.tanh(a) + b.sum(axis=-1, keepdims=True) / 8,
    lambda a, b: a - b.mean(axis=0),
    lambda a, b: (a.T @ b)[: a.shape[0]] / 4 if a.shape[0] <= a.shape[1] else a,
    lambda a, b: np.concatenate([a[1:], b[:1]]),
    lambda a, b: np.sort(a, axis=1) + b[:, :1],
    lambda a, b: np.roll(a, 1, axis=0) * (b > 0),
    lambda a, b: a.reshape(a.shape[::-1]).T,
    lambda a, b: np.cumsum(a, axis=0) / 4 + np.abs(b),
    lambda a, b: a[np.arange(a.shape[0])[::-1]] + np.clip(b, -1, 1),
]
"""What a random program is made of: functions of two arrays of one shape."""


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(STEPS), *[st.integers(0, 99)] * 2),
        min_size=1,
        max_size=8,
    ),
    st.tuples(st.integers(1, 5), st.integers(1, 5)),
    st.integers(0, 1 << 16),
)
def test_random_programs_give_what_they_give_in_numpy(
    steps: list[Any], shape: tuple[int, int], seed: int
) -> None:
    def program(x: Any, y: Any) -> Any:
        values = [x, y]
        for step, one, other in steps:
            made = step(values[one % len(values)], values[other % len(values)])
            values.append(made if made.shape == x.shape else values[-1] + 1)
        return values[-1]

    rng = np.random.default_rng(seed)
    x, y = rng.integers(-8, 9, (2, *shape)).astype(np.float64) / 4
    traced = glow.compile(glow.trace(program, x, y), target="reference")
    np.testing.assert_allclose(traced(x, y), program(x, y), rtol=1e-9, atol=1e-9)
