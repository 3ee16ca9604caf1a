"""Losses, gradients and whole training steps compute the same in ONNX Runtime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from grids import slow_but
from operators.oracle import run_onnxruntime

import glow
from glow import nn, optim
from glow.tracing.pytrees import flatten

RNG = np.random.default_rng(0)
LABELS = np.array([2, 0, 1])


def weight(*shape: int) -> Any:
    return np.float32(RNG.standard_normal(shape) / 4)


def convolutional(weights: Any, x: Any) -> Any:
    """Return scores by a convolution with a stride, a norm of the batch, and pools."""
    y = nn.conv(x, weights["filter"], stride=2)
    y = nn.batch_norm(y, np.mean(y, (0, 2, 3)), np.var(y, (0, 2, 3)), weights["scale"])
    y = nn.max_pool(nn.relu(y), 3, stride=2, padding=1)
    return nn.linear(nn.avg_pool(y, 2).reshape(3, -1), *weights["dense"])


def attending(weights: Any, codes: Any) -> Any:
    """Return scores by an embedding, attention and a norm."""
    hidden = nn.layer_norm(nn.embedding(weights["table"], codes), weights["scale"])
    q, k, v = np.transpose(
        (hidden @ weights["mixing"]).reshape(3, 5, 3, 2, 4), (2, 0, 3, 1, 4)
    )
    heads = np.transpose(nn.attention(q, k, v, causal=True), (0, 2, 1, 3))
    return nn.gelu(hidden + heads.reshape(3, 5, 8)).mean(1) @ weights["out"]


def recurrent(weights: Any, x: Any) -> Any:
    """Return scores by a loop, whose gradient is one too."""

    def step(state: Any, row: Any) -> Any:
        return np.tanh(state @ weights["inner"] + row @ weights["outer"]), state

    last, states = glow.scan(step, np.zeros((3, 4), np.float32), x)
    return (last + np.mean(states, 0)) @ weights["out"]


NETWORKS: dict[str, tuple[Any, Any, Any]] = {
    "convolutional": (
        convolutional,
        {
            "filter": weight(4, 2, 3, 3),
            "scale": weight(4),
            "dense": [weight(16, 3), weight(3)],
        },
        weight(3, 2, 16, 16),
    ),
    "attending": (
        attending,
        {
            "table": weight(7, 8),
            "scale": weight(8),
            "mixing": weight(8, 24),
            "out": weight(8, 3),
        },
        RNG.integers(0, 7, (3, 5)),
    ),
    "recurrent": (
        recurrent,
        {"inner": weight(4, 4), "outer": weight(2, 4), "out": weight(4, 3)},
        weight(5, 3, 2),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "what", slow_but(["loss", "gradients", "step"], "loss", "step")
)
@pytest.mark.parametrize("name", slow_but(NETWORKS, "recurrent"))
def test_onnxruntime_computes_the_same(name: str, what: str, tmp_path: Path) -> None:
    scores, weights, x = NETWORKS[name]
    optimizer = optim.adamw(optim.cosine(1e-2, 100, warmup=10))
    state = optimizer.init(weights) if what == "step" else None

    def loss(weights: Any) -> Any:
        return nn.cross_entropy(scores(weights, x), LABELS)

    def run(weights: Any, state: Any) -> Any:
        if what == "loss":
            return loss(weights)
        value, gradients = glow.value_and_grad(loss)(weights)
        if what == "gradients":
            return value, gradients
        clipped = optim.clip_by_norm(gradients, 0.1)
        return value, *optimizer.update(weights, clipped, state)

    model = glow.trace(run, weights, state)
    model.export(tmp_path / "net.onnx")
    exported = onnx.load(tmp_path / "net.onnx")
    arrays = [np.asarray(leaf) for leaf in leaves_of((weights, state))]
    names = [each.name for each in exported.graph.input]
    feeds = dict(zip(names, arrays, strict=True))
    expected = run_onnxruntime(exported, feeds)
    outputs = glow.compile(model).run(feeds)
    for found, value in zip(outputs.values(), expected, strict=True):
        scale = np.abs(value).max() + 1e-3
        np.testing.assert_allclose(found, value, 1e-4, 2e-5 * scale)


def leaves_of(tree: Any) -> list[Any]:
    return [leaf.value for leaf in flatten(tree)[0]]
