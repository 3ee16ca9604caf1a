"""Random chains of ops compute for derived shapes what they do for compiled ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from operators.oracle import run_onnxruntime
from small_onnx import info, model, node

import glow

STEPS: dict[str, list[Any]] = {
    "relu": [node("Relu", "x", "y")],
    "softmax": [node("Softmax", "x", "y", axis=-1)],
    "down": [node("Softmax", "x", "y", axis=1)],
    "norm": [node("LayerNormalization", "x scale", "y")],
    "product": [node("MatMul", "x w", "y")],
    "scores": [
        node("Transpose", "x", "t", perm=[0, 2, 1]),
        node("MatMul", "x t", "s"),
        node("MatMul", "s x", "y"),
    ],
    "places": [
        *(node("Shape", "x", "shape"), node("Slice", "shape one two", "end")),
        *(node("Slice", "table zero end zero", "part"), node("Add", "x part", "y")),
    ],
    "numbered": [
        *(node("Shape", "x", "b", start=0, end=1), node("Squeeze", "b", "count")),
        *(node("Range", "none count single", "n"), node("Cast", "n", "f", to=1)),
        *(node("Reshape", "f column", "r"), node("Add", "x r", "y")),
    ],
    "mean": [node("ReduceMean", "x", "m", axes=[1]), node("Sub", "x m", "y")],
    "twice": [node("Concat", "x x", "y", axis=1)],
    "last": [node("Slice", "x minus endless one", "z"), node("Add", "x z", "y")],
    "heads": [
        node("Reshape", "x heads", "h"),
        node("Transpose", "h", "i", perm=[0, 2, 1, 3]),
        *(node("Relu", "i", "j"), node("Transpose", "j", "k", perm=[0, 2, 1, 3])),
        node("Reshape", "k merged", "y"),
    ],
}


def chain(steps: list[str]) -> Any:
    """Return a model of [batch, length, 8] that does these steps one by one."""
    rng, nodes, value = np.random.default_rng(0), list[Any](), "x"
    weights = {
        "scale": rng.standard_normal(8, np.float32),
        "w": rng.standard_normal((8, 8), np.float32),
        "table": rng.standard_normal((512, 8), np.float32),
        "heads": np.array([0, -1, 2, 4]),
        "merged": np.array([0, -1, 8]),
        **{n: np.array([i]) for n, i in (("zero", 0), ("one", 1), ("two", 2))},
        **{"minus": np.array([-1]), "endless": np.array([1 << 40])},
        **{"none": np.array(0), "single": np.array(1)},
        "column": np.array([-1, 1, 1]),
    }
    for number, step in enumerate(steps):
        for each in STEPS[step]:
            copy = type(each)()
            copy.CopyFrom(each)
            names = {"x": value, **{n: n for n in weights}}
            copy.input[:] = [names.get(n, f"{n}{number}") for n in each.input]
            copy.output[:] = [f"{n}{number}" for n in each.output]
            nodes.append(copy)
        value = f"y{number}"
    nodes.append(node("Identity", value, "y"))
    outputs = [info("y", (None, None, None))]
    return model(nodes, {"x": ("batch", "length", 8)}, outputs, weights)


@pytest.mark.slow
@given(st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=3), st.data())
@settings(max_examples=6, deadline=None)
def test_derived_is_as_compiled(steps: list[str], data: st.DataObject) -> None:
    source = chain(steps)
    net: Any = glow.compile(source)
    batch = data.draw(st.sampled_from([1, 3]))
    for length in (9, 16, 40):
        net.specialize({"batch": batch, "length": length})
    length = data.draw(st.integers(10, 39))
    x = np.random.default_rng(length).standard_normal((batch, length, 8), np.float32)
    dims = {"batch": batch, "length": length}
    static = glow.compile(glow.load(source, dims=dims))
    np.testing.assert_array_equal(net(x), static(x))


@pytest.mark.slow
@given(
    st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=3),
    st.lists(
        st.tuples(st.sampled_from([1, 2, 3, 5]), st.integers(1, 40)),
        min_size=6,
        max_size=14,
        unique=True,
    ),
)
@settings(max_examples=6, deadline=None)
def test_shapes_in_any_order_are_right(
    steps: list[str], shapes: list[tuple[int, int]]
) -> None:
    source = chain(steps)
    net: Any = glow.compile(source, cache_size=len(shapes))
    for batch, length in shapes:
        x = np.random.default_rng(0).standard_normal((batch, length, 8), np.float32)
        (expected,) = run_onnxruntime(source, {"x": x})
        np.testing.assert_allclose(net(x), expected, rtol=1e-4, atol=1e-4)
