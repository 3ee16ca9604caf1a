"""The arena: runs use all of it, nothing beside it, and nothing that was in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from models import encoder, lstm
from numpy.typing import NDArray
from onnx import ModelProto
from small_onnx import model, node

import glow
from glow.support.arrays import ALIGNMENT, address_of, aligned_empty

Array = NDArray[Any]

pytestmark = pytest.mark.slow

BESIDE = 1 << 16


def draw(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape, np.float32) / 8


def image_network() -> ModelProto:
    """Borders, a pool, a residual, a flattened product."""
    nodes = [
        node("Conv", "x w", "a", pads=[1, 1, 1, 1]),
        node("Relu", "a", "b"),
        node("Conv", "b v", "c", pads=[1, 1, 1, 1]),
        node("Add", "c b", "d"),
        node("MaxPool", "d", "e", kernel_shape=[3, 3], strides=[2, 2]),
        node("Flatten", "e", "f"),
        node("MatMul", "f m", "g"),
        node("Softmax", "g", "y"),
    ]
    weights = {"w": draw(24, 3, 3, 3), "v": draw(24, 24, 3, 3), "m": draw(1176, 10)}
    return model(nodes, {"x": (1, 3, 16, 16)}, ["y"], weights)


def chain() -> ModelProto:
    """Products, a reduction, a transpose, a concatenation."""
    nodes = [
        node("MatMul", "x w", "a"),
        node("Tanh", "a", "b"),
        node("Transpose", "b", "c", perm=[1, 0]),
        node("MatMul", "b c", "d"),
        node("Concat", "d b", "e", axis=1),
        node("ReduceSum", "e", "y", keepdims=0),
    ]
    return model(nodes, {"x": (33, 50)}, ["y"], {"w": draw(50, 70)})


NETWORKS: dict[str, Callable[[], ModelProto]] = {
    "image": image_network,
    "chain": chain,
    "encoder": lambda: encoder(layers=1, width=64, heads=2, length=12),
    "lstm": lambda: lstm(length=9, features=20, hidden=24),
}


def results_in(
    net: glow.Executable, inputs: dict[str, Array], arena: Array
) -> dict[str, Array]:
    return net.bind(inputs, arena=arena).run()


FULL = ("encoder", "lstm")


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.full) if n in FULL else n for n in NETWORKS],
)
def test_the_high_water_mark_is_what_is_reported(name: str) -> None:
    net = glow.compile(NETWORKS[name]())
    inputs = {s.name: draw(*s.shape).astype(s.dtype) for s in net.inputs}
    size = net.arena_bytes
    expected = net.run(inputs)
    touched = np.zeros(size + BESIDE, bool)
    for poison in (0x00, 0xFF):  # as floats: zeros, NaN
        room = aligned_empty(BESIDE + size + BESIDE)
        room[...] = poison
        assert address_of(room[BESIDE:]) % ALIGNMENT == 0
        found = results_in(net, inputs, room[BESIDE:])
        # What was in the arena before is not read.
        assert all(np.array_equal(found[key], expected[key]) for key in expected)
        assert (room[:BESIDE] == poison).all()
        touched |= room[BESIDE:] != poison
    (places,) = np.nonzero(touched)
    mark = int(places[-1]) + 1
    assert size - ALIGNMENT < mark <= size  # it is rounded up
