"""Training steps keep less than their gradients read, and compute the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import glow
from glow import nn, optim

RNG = np.random.default_rng(0)
FILTERS = [np.float32(RNG.standard_normal((16, 16, 3, 3)) / 12) for _ in range(4)]
X = np.float32(RNG.standard_normal((2, 16, 24, 24)))


def step(filters: Any, state: Any, x: Any) -> Any:
    def loss(filters: Any) -> Any:
        y = x
        for filter in filters:
            y = nn.conv(y, filter)
            y = nn.relu(nn.batch_norm(y, np.mean(y, (0, 2, 3)), np.var(y, (0, 2, 3))))
        return np.mean(y * y)

    value, gradients = glow.value_and_grad(loss)(filters)
    return value, *optim.adam(1e-3).update(filters, gradients, state)


@pytest.mark.slow
def test_less_memory_gives_the_same() -> None:
    model = glow.trace(step, FILTERS, optim.adam(1e-3).init(FILTERS), X)
    passes = "recompute-values", "hoist-updates"
    nets = [glow.compile(model, disable=passes[:count]) for count in range(3)]
    sizes = [net.arena_bytes for net in nets]
    assert sizes[0] < 0.8 * sizes[1], sizes
    arrays = [np.float32(RNG.random(each.shape)) for each in nets[0].signature.inputs]
    expected = nets[2].run(arrays)
    for net in nets[:2]:
        for name, found in net.run(arrays).items():
            np.testing.assert_array_equal(found, expected[name])


def test_a_report_says_what_is_kept_and_what_that_saves() -> None:
    def loss(x: Any, w: Any) -> Any:
        for _ in range(6):
            x = np.abs(np.maximum(x @ w, 0)) * 0.5
        return np.sum(x * x)

    w = np.eye(256, dtype=np.float32)
    model = glow.trace(glow.grad(loss), w, w)
    table, _, totals = model.memory_report().rpartition("\n\n")
    assert {line.split()[1] for line in table.splitlines()[1:]} >= {"graph.matmul"}
    kept, again, alive = totals.splitlines()
    assert kept.startswith("kept: ")
    assert again.startswith("recomputed: ")
    now, most = (int(word.replace(",", "")) for word in alive.split()[3:6:2])
    assert now < most
