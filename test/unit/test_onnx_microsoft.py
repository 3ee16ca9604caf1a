"""Operators that ONNX Runtime's optimizers write, against ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from grids import slow_but
from microsoft_onnx import Arrays, model_of, refusal
from operators.case import draw
from operators.oracle import run_onnxruntime

import glow
from glow.support.errors import InvalidModelError, UnsupportedModelError


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
        pytest.param("q k v b", BIAS, marks=pytest.mark.slow),
        pytest.param("q k v - m", MASK, marks=pytest.mark.slow),
        pytest.param("q k v - - s", SCORES, marks=pytest.mark.slow),
        ("q k v b m s", BIAS | MASK | SCORES),
    ],
)
def test_multi_head_attention(inputs: str, more: Arrays) -> None:
    check("MultiHeadAttention", inputs, HEADS | more, num_heads=2, scale=0.3)


LENGTHS: Arrays = {"m": np.array([3, 0], np.int32)}
SUMS: Arrays = {"m": np.array([4, 1, 0, 3, 6, 0, 5, 10], np.int32)}
ROWS: Arrays = {"m": (draw((2, 3, 5), seed=7) > 0).astype(np.int32)}
OTHERS: Arrays = {
    "k": draw((2, 2, 5, 8), seed=1),
    "v": draw((2, 2, 5, 8), seed=2),
}


@pytest.mark.parametrize("more", [LENGTHS, SUMS, ROWS])
def test_masks_of_lengths_and_of_rows(more: Arrays) -> None:
    """One length is 0: its queries see nothing, all keys alike."""
    check("MultiHeadAttention", "q k v - m", HEADS | more, num_heads=2)


def test_keys_of_another_sequence() -> None:
    feeds = HEADS | OTHERS
    check("MultiHeadAttention", "q k v", feeds, num_heads=2)
    check("MultiHeadAttention", "q k v", feeds, "y pk pv", num_heads=2)
    check("MultiHeadAttention", "q k v b", feeds | BIAS, num_heads=2)


@pytest.mark.parametrize("with_bias", slow_but([False, True], True))
def test_packed_parts_are_those_apart(with_bias: bool) -> None:
    """ONNX Runtime computes packed parts on GPUs alone: they are given apart to it."""
    same = HEADS | {"q": draw((2, 5, 16))} | (BIAS if with_bias else {})
    names = "b" if with_bias else ""
    apart = model_of("MultiHeadAttention", f"q k v {names}", same, "y", num_heads=2)
    (expected,) = run_onnxruntime(apart, same)
    q, k, v = (same[name].reshape(2, 5, 2, 1, 8) for name in "qkv")
    for inputs, packed in (
        (f"q - - {names}", {"q": np.concatenate((q, k, v), 3)}),
        (f"q k - {names}", {"q": same["q"], "k": np.concatenate((k, v), 3)}),
    ):
        feeds = packed | (BIAS if with_bias else {})
        source = model_of("MultiHeadAttention", inputs, feeds, "y", num_heads=2)
        for target in ("reference", "cpu"):
            (found,) = glow.compile(source, target=target).run(feeds).values()
            np.testing.assert_allclose(found, expected, atol=2e-5)


def test_multi_head_attention_in_a_buffer() -> None:
    feeds = {name: draw((2, 1, 16), seed=n) for n, name in enumerate("qkv")}
    feeds |= {name: draw((2, 2, 4, 8), seed=n) for n, name in enumerate("cd")}
    feeds["n"] = np.array([2], np.int32)
    inputs, heads = "q k v - - - c d n", {"num_heads": 2}
    source = model_of("MultiHeadAttention", inputs, feeds, "y pk pv", **heads)
    for target in ("reference", "cpu"):
        y, pk, pv = glow.compile(source, target=target).run(feeds).values()
        short = {n: a[:, :, :2] if n in "cd" else a for n, a in feeds.items()}
        del short["n"]
        op = "MultiHeadAttention"
        grown = model_of(op, "q k v - - - c d", short, "y pk pv", **heads)
        expected = run_onnxruntime(grown, short)
        np.testing.assert_allclose(y, expected[0], atol=2e-5)
        for found, wanted, cache in ((pk, expected[1], "c"), (pv, expected[2], "d")):
            np.testing.assert_array_equal(found[:, :, :3], wanted)
            np.testing.assert_array_equal(found[:, :, 3:], feeds[cache][:, :, 3:])


WHOLE: Arrays = {"x": draw((2, 3, 16)), "w": draw((16, 48), seed=1) / 8} | BIAS


@pytest.mark.parametrize(
    ("inputs", "more", "rest"),
    [
        pytest.param("x w b", {}, {}, marks=pytest.mark.full),
        ("x w b", {}, {"unidirectional": 1, "scale": 0.2}),
        pytest.param(
            "x w b m", {"m": np.array([2, 0], np.int32)}, {}, marks=pytest.mark.full
        ),
        pytest.param(
            "x w b m",
            {"m": np.array([3, 2, 1, 0], np.int32)},
            {},
            marks=pytest.mark.slow,
        ),
        ("x w b m", {"m": np.array([3, 2, 0, 3, 6, 0, 3, 6], np.int32)}, {}),
        pytest.param(
            *("x w b m", {"m": np.array([[1, 0, 1], [0, 0, 0]], np.int32)}, {}),
            marks=pytest.mark.slow,
        ),
        ("x w b m", {"m": ROWS["m"][:, :, :3]}, {"unidirectional": 1}),
        pytest.param(
            "x w b m", {"m": np.array([[0], [0]], np.int32)}, {}, marks=pytest.mark.full
        ),
        pytest.param(
            "x w b - - s", {"s": draw((1, 2, 3, 3), seed=4)}, {}, marks=pytest.mark.full
        ),
        ("x w b - - s", {"s": draw((2, 1, 3, 3), seed=4)}, {"unidirectional": 1}),
    ],
)
def test_attention(inputs: str, more: Arrays, rest: dict[str, Any]) -> None:
    feeds = {n: a for n, a in (WHOLE | more).items() if n in inputs.split()}
    check("Attention", inputs, feeds, num_heads=2, **rest)


@pytest.mark.slow
def test_attention_with_a_past() -> None:
    past, rest = {"p": draw((2, 2, 2, 4, 8), seed=5)}, {"num_heads": 2}
    check("Attention", "x w b", WHOLE, "y o", unidirectional=1, **rest)
    check("Attention", "x w b - p", WHOLE | past, "y o", unidirectional=1, **rest)
    mask = {"m": np.array([[1, 0, 1, 1, 1, 1, 0], [1] * 7], np.int32)}
    check("Attention", "x w b m p", WHOLE | past | mask, "y o", **rest)


def test_attention_of_other_sizes() -> None:
    feeds = {"x": WHOLE["x"], "w": draw((16, 20), seed=1) / 8, "b": draw((20,), seed=2)}
    check("Attention", "x w b", feeds, num_heads=2, qkv_hidden_sizes=[6, 6, 8])


def test_multi_head_attention_with_a_past() -> None:
    feeds = {name: draw((1, 2, 16), seed=n) for n, name in enumerate("qkv")}
    feeds |= {name: draw((1, 2, 4, 8), seed=n) for n, name in enumerate("cd")}
    rest = {"num_heads": 2, "unidirectional": 1}
    check("MultiHeadAttention", "q k v - - - c d", feeds, "y pk pv", **rest)


TABLES: Arrays = {"c": draw((9, 4), seed=5), "s": draw((9, 4), seed=6)}


@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("shape", slow_but([(2, 3, 16), (2, 2, 3, 8)], (2, 3, 16)))
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


def test_what_is_lacking_is_refused() -> None:
    op, heads = "MultiHeadAttention", {"num_heads": 2}
    feeds = HEADS | {"m": np.ones((2, 1, 8, 8), np.int32)}
    source = model_of(op, "q k v - m", feeds, "y", **heads)
    assert "a mask of shape [2, 1, 8, 8]" in refusal(source, UnsupportedModelError)
    feeds = HEADS | {name: np.array([1], np.int32) for name in "np"}
    source = model_of(op, "q k v - - - - - - n", feeds, "y", **heads)
    assert "a cache_indirection" in refusal(source, UnsupportedModelError)
    source = model_of("Attention", "x w b", WHOLE, "y", do_rotary=1, **heads)
    assert "do_rotary" in refusal(source, UnsupportedModelError)
    feeds = WHOLE | {"n": np.array([1], np.int32)}
    source = model_of("Attention", "x w b - - - n", feeds, "y", **heads)
    assert "a past_sequence_length" in refusal(source, UnsupportedModelError)
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
    for op, inputs, feeds, expected in (
        ("MultiHeadAttention", "q k v", HEADS, "num_heads of at least 1, got 0"),
        (
            "MultiHeadAttention",
            "q",
            {"q": draw((1, 3, 3, 3, 4))},
            "expected 2 heads of 3 packed parts, got tensor<1x3x3x3x4xf32>",
        ),
        (
            "MultiHeadAttention",
            "q k v",
            HEADS | {"k": draw((5, 16))},
            "expected input 1 of rank 3, got tensor<5x16xf32>",
        ),
        (
            "MultiHeadAttention",
            "q k v",
            HEADS | {"q": draw((2, 3, 15))},
            "expected 2 heads of equal size, got 15 elements",
        ),
        (
            "MultiHeadAttention",
            "q k v - m",
            HEADS | {"m": np.array([1, 2, 3], np.int32)},
            "expected 2 lengths of keys",
        ),
        (
            "Attention",
            "x w",
            {"x": WHOLE["x"], "w": draw((16, 20))},
            "expected three sizes of 20 elements together, got (6, 6, 6)",
        ),
        (
            "Attention",
            "x w b - p",
            WHOLE | {"p": draw((3, 2, 2, 4, 8))},
            "expected a past [2, batch, heads, ...]",
        ),
    ):
        rest = {} if "at least" in expected else {"num_heads": 2}
        source = model_of(op, inputs, feeds, "y", **rest)
        assert expected in refusal(source, InvalidModelError)
