"""Pools that compute what follows them, in whole networks."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import ModelProto
from operators.oracle import run_onnxruntime
from small_onnx import info, model, node

import glow
from glow.backends.reference.memory import MemoryExecutable
from glow.graph_modules import context
from glow.pass_manager import plan, run_part

Array = NDArray[Any]
WINDOW: dict[str, Any] = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
STEPS = WINDOW | {"strides": [2, 2]}
TAILS: dict[str, tuple[int, list[Any]]] = {
    "relu": (19, [node("Relu", "p", "q")]),
    "scale and shift": (35, [node("Mul", "p s", "p1"), node("Add", "p1 t", "q")]),
    "residual": (19, [node("Add", "r p", "p1"), node("Relu", "p1", "q")]),
    "map": (64, [node("Mul", "p m", "p1"), node("HardSwish", "p1", "q")]),
    "twice": (128, [node("Sigmoid", "p", "p1"), node("Mul", "p p1", "q")]),
}
"""Channels, and what follows a pool of them."""
POOLS: dict[str, Any] = {
    "max": node("MaxPool", "c", "p", **STEPS, ceil_mode=1),
    "average": node("AveragePool", "c", "p", **STEPS, ceil_mode=1),
    "padding": node("AveragePool", "c", "p", **STEPS, ceil_mode=1, count_include_pad=1),
    "lp": node("LpPool", "c", "p", **STEPS, p=2),
}


def network(pool: Any, tail: tuple[int, list[Any]], side: int | str = 15) -> ModelProto:
    """Return a pool between convolutions, whose layouts have channels last."""
    channels, after = tail
    rng = np.random.default_rng(channels)
    weights = {
        name: rng.standard_normal(shape).astype(np.float32)
        for name, shape in {
            "w": (channels, 3, 1, 1),
            "v": (4, channels, 1, 1),
            "s": (channels, 1, 1),
            "t": (1, channels, 1, 1),
        }.items()
    }
    nodes = [
        node("Conv", "x w", "c"),
        pool,
        node("Conv", "x w", "d", strides=[2, 2]),
        node("Neg", "d", "e"),
        node("Softmax", "e", "r", axis=1),  # which is no epilogue of the convolution
        node("ReduceMax", "r", "m", axes=[1]),
        *after,
        node("Conv", "q v", "y"),
    ]
    shape = (2, 3, side, side)
    return model(nodes, {"x": shape}, [info("y", None)], weights)


def image(side: int = 15) -> Array:
    return np.random.default_rng(side).standard_normal((2, 3, side, side), np.float32)


def at_memory(source: ModelProto) -> Any:
    module = glow.load(source).module
    for part in plan("import", "memory", "cpu"):
        run_part(part, context(), module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("tail", TAILS)
def test_networks_give_what_onnxruntime_gives(pool: str, tail: str) -> None:
    source, feeds = network(POOLS[pool], TAILS[tail]), {"x": image()}
    module = at_memory(source)
    assert " epilogue {" in str(module)
    (want,) = run_onnxruntime(source, feeds)
    results = [MemoryExecutable(module)(*feeds.values())]
    for threads in (1, 2, 3):
        results += glow.compile(source, threads=threads).run(feeds).values()
    for result in results:
        np.testing.assert_allclose(result, want, rtol=1e-4, atol=1e-5)
    for result in results[2:]:
        np.testing.assert_array_equal(result, results[1])


@pytest.mark.slow
def test_shapes_are_derived(caplog: pytest.LogCaptureFixture) -> None:
    source = network(POOLS["average"], TAILS["residual"], "side")
    net = glow.compile(source)
    caplog.set_level(logging.INFO, "glow")
    for side in (25, 49, 37, 41, 29, 33):
        feeds = {"x": image(side)}
        (got,) = net.run(feeds).values()
        (want,) = run_onnxruntime(source, feeds)
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
    assert "derived" in caplog.messages[-1]


def test_executables_are_saved(tmp_path: Path) -> None:
    source, feeds = network(POOLS["max"], TAILS["map"]), {"x": image()}
    net = glow.compile(source)
    net.save(tmp_path / "net.glow")
    (want,), (got,) = (
        each.run(feeds).values()
        for each in (net, glow.load_executable(tmp_path / "net.glow"))
    )
    np.testing.assert_array_equal(got, want)
