"""Optimizers: NumPy and compiled code alike, and what they converge to."""

from typing import Any

import numpy as np
import pytest
from grids import slow_but

import glow
from glow import optim

RNG = np.random.default_rng(5)
TREE = {
    "w": RNG.standard_normal((3, 2)).astype(np.float32),
    "b": [np.float32([0.5, -1])],
}
OPTIMIZERS = {
    "sgd": optim.sgd(0.1),
    "momentum": optim.sgd(optim.linear(0.1, 10, warmup=2), momentum=0.9),
    "nesterov": optim.sgd(0.1, momentum=0.9, nesterov=True, weight_decay=0.1),
    "adam": optim.adam(optim.cosine(0.1, 20, warmup=3, end=0.01), weight_decay=0.1),
    "adamw": optim.adamw(optim.exponential(0.1, 0.9)),
}


def leaves(tree: Any) -> list[np.ndarray]:
    return [tree["w"], tree["b"][0]]


@pytest.mark.slow
@pytest.mark.parametrize("name", slow_but(OPTIMIZERS, "adamw", "nesterov"))
def test_compiled_steps_are_those_of_numpy_and_in_place(name: str) -> None:
    optimizer = OPTIMIZERS[name]
    plain, state = TREE, optimizer.init(TREE)
    weights = optim.variables(TREE)
    kept = optim.variables(optimizer.init(TREE))
    memory = weights["w"].value

    def loss(tree: Any) -> Any:
        return np.sum(tree["w"] ** 2) + np.sum((tree["b"][0] - 1) ** 2)

    @glow.jit
    def step() -> Any:
        value, gradients = glow.value_and_grad(loss)(weights)
        gradients = optim.clip(optim.clip_by_norm(gradients, 2.0), 0.75)
        optim.assign((weights, kept), optimizer.update(weights, gradients, kept))
        return value

    for _ in range(5):
        gradients = {"w": 2 * plain["w"], "b": [2 * (plain["b"][0] - 1)]}
        gradients = optim.clip(optim.clip_by_norm(gradients, 2.0), 0.75)
        before = loss(plain)
        plain, state = optimizer.update(plain, gradients, state)
        assert step() == pytest.approx(before, rel=1e-5)
    for mine, theirs in zip(leaves(weights), leaves(plain), strict=True):
        np.testing.assert_allclose(mine.value, theirs, 1e-5, 1e-6)
    assert weights["w"].value is memory


# Ten steps of PyTorch 2.15 from 1.0 with the gradient 2 w: its SGD (momentum 0.9,
# nesterov, weight_decay 0.1, lr 0.1), Adam (lr 0.1) and AdamW (lr 0.1).
BY_TORCH = {
    "nesterov": (
        0.0744608496830517,
        optim.sgd(0.1, momentum=0.9, nesterov=True, weight_decay=0.1),
    ),
    "adam": (0.07624915560691209, optim.adam(0.1)),
    "adamw": (0.07169549708798648, optim.adamw(0.1)),
}


@pytest.mark.parametrize("name", BY_TORCH)
def test_ten_steps_are_those_of_pytorch(name: str) -> None:
    expected, optimizer = BY_TORCH[name]
    weight = np.float64(1.0)
    state = optimizer.init(weight)
    for _ in range(10):
        weight, state = optimizer.update(weight, 2 * weight, state)
    assert weight == pytest.approx(expected, rel=1e-5)


def test_schedules() -> None:
    falling = optim.cosine(1.0, 10, warmup=2, end=0.5)
    rates = [float(falling(step)) for step in (0, 1, 2, 6, 10, 99)]
    assert rates == pytest.approx([0.5, 1.0, 1.0, 0.75, 0.5, 0.5])
    assert float(optim.linear(1.0, 4)(1)) == 0.75
    assert float(optim.exponential(1.0, 0.25, every=2)(1)) == 0.5


def test_other_structures_are_refused() -> None:
    optimizer = optim.sgd(0.1)
    with pytest.raises(
        ValueError, match=r"expected the structure \{'w': \*, 'b': \[\*\]\}"
    ):
        optimizer.update(TREE, {"w": TREE["w"]}, optimizer.init(TREE))


def test_a_rate_and_a_state_of_other_kinds_are_refused() -> None:
    with pytest.raises(TypeError, match="function of the step as rate, got a str"):
        optim.sgd("fast")  # pyright: ignore[reportArgumentType]
    parameters = {"w": np.ones(3, np.float32)}
    for optimizer in (optim.sgd(0.1), optim.adam(0.1)):
        state = optimizer.init(parameters)
        with pytest.raises(TypeError, match=r"update\(parameters, gradients, state\)"):
            optimizer.update(parameters, state, parameters)
