"""The benchmark of training steps: its networks learn, and its workers answer."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
import training
from training_networks import NETWORKS
from training_steps import glow_step

SLOW = "mlp", "lenet"


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, marks=pytest.mark.slow if n in SLOW else pytest.mark.full)
        for n in NETWORKS
    ],
)
def test_losses_fall(name: str) -> None:
    step = glow_step(NETWORKS[name])
    first, *_, last = (step() for _ in range(4))
    assert last < 0.95 * first


@pytest.mark.slow
def test_a_worker_tells_losses_and_seconds() -> None:
    worker = training.Worker("glow", "mlp", sys.executable)
    first = worker.read()
    assert len(first["losses"]) == 3
    assert all(0 < each < 1 for each in worker.seconds(2))
    worker.end()


@pytest.mark.slow
def test_a_worker_that_ends_says_why() -> None:
    worker = training.Worker("jax", "mlp", sys.executable)
    with pytest.raises(SystemExit, match=r"error: jax ended: .*invalid choice: 'jax'"):
        worker.read()
