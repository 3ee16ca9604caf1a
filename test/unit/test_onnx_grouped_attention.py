"""ONNX Runtime's attention with groups of heads and a cache, against itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from microsoft_onnx import Arrays, model_of, refusal
from operators.case import draw
from operators.oracle import run_onnxruntime

import glow
from glow.support.errors import InvalidModelError, UnsupportedModelError

OP = "GroupQueryAttention"
HEADS, SHARED, SIZE = 4, 2, 16
NAMES = ("q", "k", "v", "pk", "pv", "n", "t", "c", "s", "p", "b", "i")
COUNTS = {"num_heads": HEADS, "kv_num_heads": SHARED}


def feeds_of(
    length: int, ends: list[int], total: int, past: int = 0, packed: bool = False
) -> Arrays:
    """Return what feeds a step of `length` tokens; `ends` are the lengths of each."""
    batch = len(ends)
    parts = [
        draw((batch, length, heads * SIZE), seed=seed)
        for seed, heads in enumerate((HEADS, SHARED, SHARED))
    ]
    feeds = dict(zip("qkv", parts, strict=True))
    if packed:
        feeds = {"q": np.concatenate(parts, -1)}
    if past:
        cache = (batch, SHARED, past, SIZE)
        feeds |= {name: draw(cache, seed=3) for name in ("pk", "pv")}
    feeds["n"] = np.array(ends, np.int32) - 1
    return feeds | {"t": np.array(total, np.int32)}


def rotary(half: int = SIZE // 2) -> Arrays:
    angles = draw((16, half), seed=5)
    return {"c": np.cos(angles), "s": np.sin(angles)}


def source_of(feeds: Arrays, outputs: str = "y o1 o2", **rest: Any) -> Any:
    last = max(index for index, name in enumerate(NAMES) if name in feeds)
    inputs = " ".join(n if n in feeds else "-" for n in NAMES[: last + 1])
    source = model_of(OP, inputs, feeds, outputs, **COUNTS | rest)
    total = next(v for v in source.graph.input if v.name == "t")
    source.graph.input.remove(total)  # what has to be known
    known = source.graph.initializer.add()
    known.name, known.data_type = "t", 6
    known.int32_data.append(int(feeds["t"]))
    return source


def check(feeds: Arrays, **rest: Any) -> None:
    source = source_of(feeds, **rest)
    given = {name: array for name, array in feeds.items() if name != "t"}
    expected = run_onnxruntime(source, given)
    ends = feeds["n"].reshape(-1) + 1
    for target in ("reference", "cpu"):
        y, *caches = glow.compile(source, target=target).run(given).values()
        np.testing.assert_allclose(y, expected[0], atol=2e-5)
        for found, wanted in zip(caches, expected[1:], strict=True):
            assert found.shape == wanted.shape
            for one, other, end in zip(found, wanted, ends, strict=True):
                np.testing.assert_allclose(one[:, :end], other[:, :end], atol=2e-5)


CASES: dict[str, tuple[Arrays, dict[str, Any]]] = {
    "first_tokens": (feeds_of(5, [5, 5], 5), {}),
    "first_tokens_and_padding": (feeds_of(5, [5, 2], 5), {}),
    "first_tokens_in_a_buffer": (feeds_of(5, [5, 3], 5, past=8), {}),
    "cache_that_grows": (feeds_of(1, [7, 7], 7, past=6), {}),
    "cache_that_grows_unevenly": (feeds_of(1, [7, 4], 7, past=6), {}),
    "buffer": (feeds_of(1, [5, 2], 5, past=8), {}),
    "several_tokens": (feeds_of(3, [6], 6, past=8), {}),
    "several_tokens_grow": (feeds_of(3, [9], 9, past=6), {}),
    "packed": (feeds_of(1, [5, 2], 5, past=8, packed=True), {}),
    "packed_and_turned": (
        feeds_of(4, [4, 2], 4, packed=True) | rotary(),
        {"do_rotary": 1},
    ),
    "turned_step": (feeds_of(1, [5, 2], 5, past=8) | rotary(), {"do_rotary": 1}),
    "neighbors_turned": (
        feeds_of(1, [7, 4], 7, past=6) | rotary(),
        {"do_rotary": 1, "rotary_interleaved": 1},
    ),
    "positions_given": (
        feeds_of(3, [3], 3, packed=True) | rotary() | {"p": np.array([[5, 6, 7]])},
        {"do_rotary": 1},
    ),
    "window": (feeds_of(5, [5, 4], 5), {"local_window_size": 2}),
    "window_of_a_step": (feeds_of(1, [8, 4], 8, past=8), {"local_window_size": 3}),
    "softcap_and_scale": (
        feeds_of(1, [5, 2], 5, past=8),
        {"softcap": 1.5, "scale": 0.3},
    ),
    "bias": (feeds_of(3, [3, 3], 3) | {"b": draw((2, HEADS, 3, 3), seed=6)}, {}),
}


QUICK = (
    "first_tokens_and_padding",
    "cache_that_grows_unevenly",
    "buffer",
    "packed_and_turned",
    "window_of_a_step",
    "bias",
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in QUICK else pytest.mark.full)
        for name in CASES
    ],
)
def test_group_query_attention(name: str) -> None:
    feeds, rest = CASES[name]
    check(feeds, **rest)


def test_what_lies_behind_the_end_is_kept() -> None:
    """As where past and present are one buffer, which is written in place."""
    feeds = feeds_of(1, [5, 2], 5, past=8)
    given = {name: array for name, array in feeds.items() if name != "t"}
    _, cache, _ = glow.compile(source_of(feeds)).run(given).values()
    np.testing.assert_array_equal(cache[0, :, 5:], feeds["pk"][0, :, 5:])
    np.testing.assert_array_equal(cache[1, :, 2:], feeds["pk"][1, :, 2:])


@pytest.mark.parametrize(
    ("feeds", "rest", "expected"),
    [
        (feeds_of(1, [1], 1), {"smooth_softmax": 1}, "smooth_softmax"),
        (feeds_of(1, [1], 1) | {"i": draw((HEADS,))}, {}, "head_sink"),
        (feeds_of(1, [1], 1), {"outputs": "y o1 o2 z"}, "an output of scores"),
        (feeds_of(1, [1], 1), {"k_quant_type": "PER_TENSOR"}, "a quantized cache"),
    ],
)
def test_what_is_lacking_is_refused(
    feeds: Arrays, rest: dict[str, Any], expected: str
) -> None:
    source = source_of(feeds, **rest)
    message = refusal(source, UnsupportedModelError)
    assert expected in message


def test_a_total_length_of_the_run_is_refused() -> None:
    feeds = feeds_of(1, [1], 1)
    source = model_of(OP, "q k v - - n t", feeds, "y o1 o2", **COUNTS)
    message = refusal(source, UnsupportedModelError)
    assert "total_sequence_length known only at run time" in message


@pytest.mark.parametrize(
    ("feeds", "rest", "expected"),
    [
        (feeds_of(1, [9], 9, past=6), {}, "of 7 for a cache that grows, or of 1 to 6"),
        (feeds_of(1, [5], 5), {}, "got 5"),
        (feeds_of(1, [1], 1) | {"q": draw((1, 16))}, {}, "a query of rank 3"),
        (feeds_of(1, [1], 1), {"kv_num_heads": 0}, "kv_num_heads of at least 1"),
        (
            {"q": draw((1, 1, 65)), "n": np.array([0]), "t": np.array(1)},
            {},
            "expected 8 packed heads of equal size",
        ),
        (
            {k: v for k, v in feeds_of(1, [5], 5, past=6).items() if k != "pv"},
            {},
            "both past_key and past_value",
        ),
        (feeds_of(1, [1], 1) | {"n": np.array([0, 0])}, {}, "expected 1 integers"),
    ],
)
def test_what_is_wrong_is_refused(
    feeds: Arrays, rest: dict[str, Any], expected: str
) -> None:
    assert expected in refusal(source_of(feeds, **rest), InvalidModelError)
