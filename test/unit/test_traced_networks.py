"""`glow.nn`: each function is one op, and computes what its formula says."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import erf
from typing import Any

import numpy as np
import pytest

import glow
from glow import nn
from glow.support.walking import ops_in

Array = np.ndarray[Any, Any]

RNG = np.random.default_rng(3)
X = RNG.standard_normal((2, 4, 6, 5)).astype(np.float32)
M = RNG.standard_normal((3, 6)).astype(np.float32)
S = RNG.standard_normal(6).astype(np.float32)
K = RNG.standard_normal((4, 2, 3, 3)).astype(np.float32)
Q = RNG.standard_normal((1, 2, 3, 4)).astype(np.float32)


def softmax(x: Array, axis: int = -1) -> Array:
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def norm(x: Array, axes: Any) -> Array:
    gap = x - x.mean(axes, keepdims=True)
    return gap / np.sqrt((gap * gap).mean(axes, keepdims=True) + 1e-5)


def attend(q: Array, mask: Array) -> Array:
    scores = q @ q.swapaxes(-1, -2) / np.sqrt(np.float32(4))
    return softmax(np.where(mask, scores, -np.inf)) @ q


def pooled(x: Array, function: Any) -> Array:
    return function(x.reshape(2, 4, 3, 2, 5), 3)


CAUSAL = np.tril(np.ones((3, 3), bool))

CASES: dict[str, tuple[Callable[..., Any], Callable[..., Any], Array]] = {
    "relu": (nn.relu, lambda x: np.maximum(x, 0), M),
    "sigmoid": (nn.sigmoid, lambda x: 1 / (1 + np.exp(-x)), M),
    "silu": (nn.silu, lambda x: x / (1 + np.exp(-x)), M),
    "gelu": (nn.gelu, lambda x: x * (1 + np.vectorize(erf)(x / 2**0.5)) / 2, M),
    "elu": (
        lambda x: nn.elu(x, alpha=2.0),
        lambda x: np.where(x > 0, x, 2 * np.expm1(x)),
        M,
    ),
    "leaky_relu": (nn.leaky_relu, lambda x: np.where(x > 0, x, 0.01 * x), M),
    "softplus": (nn.softplus, lambda x: np.log1p(np.exp(x)), M),
    "softmax": (lambda x: nn.softmax(x, axis=0), lambda x: softmax(x, 0), M),
    "log_softmax": (nn.log_softmax, lambda x: np.log(softmax(x)), M),
    "logsumexp": (
        lambda x: nn.logsumexp(x, axis=1),
        lambda x: np.log(np.exp(x).sum(1)),
        M,
    ),
    "layer_norm": (lambda x: nn.layer_norm(x, S, S), lambda x: norm(x, 1) * S + S, M),
    "rms_norm": (
        nn.rms_norm,
        lambda x: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5),
        M,
    ),
    "batch_norm": (
        lambda x: nn.batch_norm(x, S[:4], S[:4] ** 2, bias=S[:4]),
        lambda x: (
            (x - S[:4, None, None]) / np.sqrt(S[:4, None, None] ** 2 + 1e-5)
            + S[:4, None, None]
        ),
        X,
    ),
    "group_norm": (
        lambda x: nn.group_norm(x, 2),
        lambda x: norm(x.reshape(2, 2, -1), 2).reshape(x.shape),
        X,
    ),
    "instance_norm": (nn.instance_norm, lambda x: norm(x, (2, 3)), X),
    "linear": (lambda x: nn.linear(x, M.T, 1.0), lambda x: x @ M.T + 1, M),
    "conv": (
        lambda x: nn.conv(x, K[:, :, 1:2, 1:2], groups=2),
        lambda x: np.concatenate(
            [
                np.einsum("nchw,oc->nohw", x[:, i : i + 2], K[i : i + 2, :, 1, 1])
                for i in (0, 2)
            ],
            1,
        ),
        X,
    ),
    "max_pool": (lambda x: nn.max_pool(x, (2, 1)), lambda x: pooled(x, np.max), X),
    "avg_pool": (lambda x: nn.avg_pool(x, (2, 1)), lambda x: pooled(x, np.mean), X),
    "global_avg_pool": (
        nn.global_avg_pool,
        lambda x: x.mean((2, 3), keepdims=True),
        X,
    ),
    "global_max_pool": (nn.global_max_pool, lambda x: x.max((2, 3), keepdims=True), X),
    "attention": (
        lambda x: nn.attention(x, x, x, causal=True),
        lambda x: attend(x, CAUSAL),
        Q,
    ),
    "masked attention": (
        lambda x: nn.attention(x, x, x, CAUSAL),
        lambda x: attend(x, CAUSAL),
        Q,
    ),
    "embedding": (lambda x: nn.embedding(x, [2, 0]), lambda x: x[[2, 0]], M),
    "one_hot": (
        lambda x: nn.one_hot((x > 0).astype(int), 2),
        lambda x: np.eye(2, dtype=np.float32)[(x > 0).astype(int)],
        M,
    ),
    "top_k": (lambda x: nn.top_k(x, 2)[0], lambda x: np.sort(x)[:, :-3:-1], M),
    "cross_entropy": (
        lambda x: nn.cross_entropy(x, np.array([1, 0, 5])),
        lambda x: -np.log(softmax(x))[[0, 1, 2], [1, 0, 5]].mean(),
        M,
    ),
    "dropout": (nn.dropout, lambda x: x, M),
}
COMPOSED = {"linear", "one_hot", "dropout"}


@pytest.mark.parametrize("name", CASES)
def test_functions_compute_their_formula(name: str) -> None:
    function, formula, x = CASES[name]
    expected = formula(x)
    actual = glow.jit(function, target="reference")(x)
    assert actual.shape == expected.shape
    assert actual.dtype == np.float32
    np.testing.assert_allclose(actual, expected, 2e-5, 2e-5)


@pytest.mark.parametrize("name", sorted(set(CASES) - COMPOSED))
def test_functions_are_one_op(name: str) -> None:
    function, _, x = CASES[name]
    main = list(glow.trace(function, x).module.ops)[-1]
    words = {"graph.load", "graph.save", "graph.literal", "func.return"}
    ops = [op.name for op in ops_in(*main.regions) if op.name not in words]
    assert len(ops) == 1, ops


def test_padding_is_that_of_the_builder() -> None:
    def convolve(x: Any) -> Any:
        return nn.conv(x, K, stride=2, groups=2), nn.conv(x, K, padding=1, groups=2)

    b = glow.Builder()
    x = b.input("x", X.shape)
    filters = b.constant(K)
    same = b.op("conv", x, filters, group=2, strides=(2, 2), pads=(0, 1, 1, 1))
    b.output("same", same)
    b.output("one", b.op("conv", x, filters, group=2, pads=(1, 1, 1, 1)))
    expected = glow.compile(b.model(), "reference")(X)
    actual = glow.jit(convolve, target="reference")(X)
    for wanted, got in zip(expected, actual, strict=True):
        np.testing.assert_array_equal(got, wanted)


MISTAKES: dict[str, tuple[Callable[..., Any], str]] = {
    "a kernel of another rank": (
        lambda x: nn.max_pool(x, (2, 2, 2)),
        r"nn.max_pool: expected one kernel, or one for each of 2 axes, got \(2, 2, 2\)",
    ),
    "a word for padding": (
        lambda x: nn.conv(x, K, padding="full"),
        'nn.conv: expected padding "same", "valid" or numbers, got \'full\'',
    ),
    "an op that refuses": (
        lambda x: nn.conv(x, K),
        "nn.conv: expected a filter of 4 / 1 input channels, got 2",
    ),
    "floats as indices": (
        lambda x: nn.embedding(M, x),
        "nn.embedding: expected integers as indices, got float32",
    ),
    "a rate": (
        lambda x: nn.dropout(x, 1.5),
        "nn.dropout: expected a rate from 0 to 1, got 1.5",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_reported_at_the_caller(name: str) -> None:
    function, message = MISTAKES[name]
    line = function.__code__.co_firstlineno
    with pytest.raises(glow.TracingError) as raised:
        glow.trace(function, X)
    place, _, text = str(raised.value).partition(": ")
    assert place.endswith(f"test_traced_networks.py:{line}")
    assert re.fullmatch(message, text), text


def test_calls_outside_of_traces_are_refused() -> None:
    with pytest.raises(glow.TracingError, match="expected a call inside a function"):
        nn.relu(M)
