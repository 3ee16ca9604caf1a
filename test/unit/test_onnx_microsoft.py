"""Operators that ONNX Runtime's optimizers write, against ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, helper
from operators.case import draw
from operators.oracle import run_onnxruntime

import glow
from glow.importers.onnx import import_model
from glow.support.errors import InvalidModelError, UnsupportedModelError

Arrays = dict[str, NDArray[Any]]
DOMAIN = "com.microsoft"


def model_of(
    op: str, inputs: str, feeds: Arrays, outputs: str, **rest: Any
) -> ModelProto:
    """Return a model of one node; `-` stands for an input that is left out."""
    names = ["" if name == "-" else name for name in inputs.split()]
    node = helper.make_node(op, names, outputs.split(), "n", domain=DOMAIN, **rest)
    given = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
        )
        for name, array in feeds.items()
    ]
    made = [helper.make_empty_tensor_value_info(name) for name in outputs.split()]
    graph = helper.make_graph([node], "graph", given, made)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(DOMAIN, 1)]
    return helper.make_model(graph, ir_version=8, opset_imports=opsets)


def check(op: str, inputs: str, feeds: Arrays, outputs: str = "y", **rest: Any) -> None:
    source = model_of(op, inputs, feeds, outputs, **rest)
    expected = run_onnxruntime(source, feeds)
    for target in ("reference", "cpu"):
        found = glow.compile(source, target=target).run(feeds)
        for actual, wanted in zip(found.values(), expected, strict=True):
            np.testing.assert_allclose(actual, wanted, atol=2e-5)


HEADS: Arrays = {
    "q": draw((2, 3, 16)),
    "k": draw((2, 5, 16), seed=1),
    "v": draw((2, 5, 16), seed=2),
}
BIAS: Arrays = {"b": draw((48,), seed=3)}
MASK: Arrays = {"m": np.array([[1, 1, 0, 1, 0], [1, 1, 1, 1, 1]], np.int32)}
SCORES: Arrays = {"s": draw((1, 2, 3, 5), seed=4)}


@pytest.mark.parametrize(
    ("inputs", "more"),
    [
        ("q k v", {}),
        ("q k v b", BIAS),
        ("q k v - m", MASK),
        ("q k v - - s", SCORES),
        ("q k v b m s", BIAS | MASK | SCORES),
    ],
)
def test_multi_head_attention(inputs: str, more: Arrays) -> None:
    check("MultiHeadAttention", inputs, HEADS | more, num_heads=2, scale=0.3)


def test_multi_head_attention_with_a_past() -> None:
    feeds = {name: draw((1, 2, 16), seed=n) for n, name in enumerate("qkv")}
    feeds |= {name: draw((1, 2, 4, 8), seed=n) for n, name in enumerate("cd")}
    rest = {"num_heads": 2, "unidirectional": 1}
    check("MultiHeadAttention", "q k v - - - c d", feeds, "y pk pv", **rest)


TABLES: Arrays = {"c": draw((9, 4), seed=5), "s": draw((9, 4), seed=6)}


@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("shape", [(2, 3, 16), (2, 2, 3, 8)])
@pytest.mark.parametrize("positions", [[[4, 0, 8], [1, 2, 3]], [5]])
def test_rotary_embedding(
    shape: tuple[int, ...], positions: Any, interleaved: int
) -> None:
    feeds = {"x": draw(shape), "p": np.array(positions, np.int64)} | TABLES
    check("RotaryEmbedding", "x p c s", feeds, interleaved=interleaved)


def test_part_of_each_head_is_turned() -> None:
    feeds = {"x": draw((1, 3, 32)), "p": np.array([[4, 0, 8]], np.int64)} | TABLES
    rest = {"num_heads": 2, "rotary_embedding_dim": 8}
    check("RotaryEmbedding", "x p c s", feeds, **rest)


def refusal(source: ModelProto, error: type[Exception]) -> str:
    with pytest.raises(error) as caught:
        import_model(source)
    return str(caught.value)


def test_what_is_lacking_is_refused() -> None:
    op, packed = "MultiHeadAttention", {"q": draw((1, 3, 2, 3, 4))}
    source = model_of(op, "q", packed, "y", num_heads=2)
    assert "packed or split heads" in refusal(source, UnsupportedModelError)
    feeds = HEADS | {"m": np.array([3, 5], np.int32)}
    source = model_of(op, "q k v - m", feeds, "y", num_heads=2)
    assert "key_padding_mask of lengths" in refusal(source, UnsupportedModelError)
    feeds = HEADS | {name: np.array([1], np.int32) for name in "np"}
    source = model_of(op, "q k v - - - - - n", feeds, "y", num_heads=2)
    assert "a cache of fixed length" in refusal(source, UnsupportedModelError)
    feeds = {"x": draw((1, 3, 16)), "p": np.array([0], np.int64)} | TABLES
    source = model_of("RotaryEmbedding", "x p c s", feeds, "y", scale=2.0)
    assert "or a scale" in refusal(source, UnsupportedModelError)


def test_what_is_wrong_is_refused() -> None:
    feeds = HEADS | {"b": draw((47,))}
    source = model_of("MultiHeadAttention", "q k v b", feeds, "y", num_heads=2)
    assert "expected a bias of shape [48]" in refusal(source, InvalidModelError)
    feeds = {"x": draw((1, 3, 32)), "p": np.array([0], np.int64)} | TABLES
    rest = {"rotary_embedding_dim": 8}
    source = model_of("RotaryEmbedding", "x p c s", feeds, "y", **rest)
    assert "num_heads is missing" in refusal(source, InvalidModelError)
