"""Rows of a batch are told to be computed apart where they are, and only there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from small_onnx import info, model, node

import glow
from glow.formats.onnx.apart_rows import computes_rows_apart
from glow.symbolic_model import SymbolicModel

RNG = np.random.default_rng(0)
WEIGHTS = {
    "w": RNG.standard_normal((6, 6), np.float32),
    "filter": RNG.standard_normal((4, 4, 3), np.float32),
    "vector": RNG.standard_normal(6, np.float32),
    "four": RNG.standard_normal(4, np.float32) ** 2,
    "column": RNG.standard_normal((1, 4, 1), np.float32),
    "table": RNG.standard_normal((50, 4, 6), np.float32),
    "split": np.array([0, 4, 2, 3]),
    "merged": np.array([0, 4, 6]),
    "mixed": np.array([2, -1, 6]),
    "two": np.array([2]),
    "zero": np.array([0]),
    "one": np.array([1]),
    "many": np.array([1 << 40]),
    "tail": np.array([4, 6]),
    "scalar": np.array(0),
}
SHAPE = [node("Shape", "x", "shape"), node("Slice", "shape zero one", "count")]
APART: dict[str, list[Any]] = {
    "elements": [node("Add", "x vector", "a"), node("Mul", "a x", "y")],
    "product": [node("MatMul", "x w", "y")],
    "left": [node("Transpose", "w", "v", perm=[1, 0]), node("MatMul", "x v", "y")],
    "scores": [
        node("Transpose", "x", "t", perm=[0, 2, 1]),
        *(node("MatMul", "x t", "s"), node("Softmax", "s", "p", axis=-1)),
        node("MatMul", "p x", "y"),
    ],
    "norm": [node("LayerNormalization", "x vector", "y")],
    "batch norm": [node("BatchNormalization", "x four four four four", "y")],
    "filter": [node("Conv", "x filter", "y", pads=[1, 1])],
    "pool": [node("MaxPool", "x", "y", kernel_shape=[3], pads=[1, 1])],
    "mean": [node("ReduceMean", "x", "m", axes=[1]), node("Sub", "x m", "y")],
    "heads": [
        *(node("Reshape", "x split", "h"), node("Neg", "h", "n")),
        node("Reshape", "n merged", "y"),
    ],
    "joined": [
        node("Concat", "x x", "c", axis=1),
        node("Slice", "c zero two one", "y"),
    ],
    "token": [
        *(*SHAPE, node("Concat", "count tail", "whole", axis=0)),
        *(node("Expand", "column whole", "e"), node("Concat", "e x", "y", axis=1)),
    ],
    "constant": [
        *(*SHAPE, node("Concat", "count tail", "whole", axis=0)),
        *(node("ConstantOfShape", "whole", "e"), node("Add", "e x", "y")),
    ],
}
MIXED: dict[str, list[Any]] = {
    "softmax": [node("Softmax", "x", "y", axis=0)],
    "mean": [node("ReduceMean", "x", "m", axes=[0]), node("Sub", "x m", "y")],
    "sum so far": [node("CumSum", "x scalar", "y")],
    "norm": [node("LayerNormalization", "x vector", "y", axis=0)],
    "reversed": [node("Slice", "x minus least zero minus", "y")],
    "part": [node("Slice", "x zero two", "y")],
    "joined": [node("Concat", "x x", "y", axis=0)],
    "in places": [
        *SHAPE,
        node("Slice", "table zero count", "t"),
        node("Add", "x t", "y"),
    ],
    "by how many": [
        *(*SHAPE, node("Cast", "count", "n", to=1), node("Div", "x n", "y")),
    ],
    "reshaped": [node("Reshape", "x mixed", "y")],
    "turned": [node("Transpose", "x", "y", perm=[1, 0, 2])],
    "of all rows": [
        node("Transpose", "x", "t", perm=[1, 2, 0]),
        *(node("Transpose", "x", "b", perm=[1, 0, 2]), node("MatMul", "t b", "y")),
    ],
    "filter": [node("Conv", "image x", "y")],
    "no rows": [node("ReduceMean", "x", "y", axes=[0])],
}


def loaded(nodes: list[Any]) -> SymbolicModel:
    weights = {
        **WEIGHTS,
        "minus": np.array([-1]),
        "least": np.array([-(1 << 40)]),
        "image": np.ones((1, 4, 9), np.float32),
    }
    read = {name for each in nodes for name in each.input}
    used = {name: array for name, array in weights.items() if name in read}
    inputs, outputs = {"x": ("batch", 4, 6)}, [info("y", (None, None, None))]
    found = glow.load(model(nodes, inputs, outputs, used))
    assert isinstance(found, SymbolicModel)
    return found


def is_apart(source: SymbolicModel) -> bool:
    modules = [source.specialize({"batch": n}).module for n in (3, 7)]
    return computes_rows_apart(*modules, (3, 7))


@pytest.mark.parametrize("name", APART)
def test_rows_that_are_apart(name: str) -> None:
    source = loaded(APART[name])
    assert is_apart(source)
    x = RNG.standard_normal((7, 4, 6), np.float32)
    net: Any = glow.compile(source, target="reference")
    np.testing.assert_allclose(net(x)[:3], net(x[:3]), rtol=1e-5)


@pytest.mark.parametrize("name", MIXED)
def test_rows_that_are_mixed(name: str) -> None:
    assert not is_apart(loaded(MIXED[name]))
