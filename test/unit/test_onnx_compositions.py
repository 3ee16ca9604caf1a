"""Operators that the importer makes of others: modes of training, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto
from operators.oracle import run_onnxruntime
from small_onnx import info, model, node
from targets import TARGETS

import glow
from glow.formats.onnx import fourier, import_model
from glow.support.errors import InvalidModelError, UnsupportedModelError

f32 = np.float32
X = np.random.default_rng(0).standard_normal((4, 3, 2, 5)).astype(f32)
C3 = np.array([0.5, 2, 3], f32)


@pytest.mark.parametrize("target", TARGETS)
def test_batch_norm_in_training_uses_the_batch(target: str) -> None:
    names = "x s b m v"
    each = node("BatchNormalization", names, "y rm rv", training_mode=1, momentum=0.8)
    weights = {name: C3 + i for i, name in enumerate(names.split()[1:])}
    source = model([each], {"x": X.shape}, ["y", "rm", "rv"], weights)
    found = glow.compile(source, target=target).run({"x": X})
    y, mean, variance = run_onnxruntime(source, {"x": X})
    np.testing.assert_allclose(found["y"], y, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found["rm"], mean, rtol=1e-5)
    np.testing.assert_allclose(found["rv"], variance, rtol=1e-5)


def test_dropout_in_training_that_drops_nothing() -> None:
    each = node("Dropout", "x r t", "y m", seed=3)
    weights = {"r": f32(0), "t": np.array(True)}
    net = glow.compile(model([each], {"x": (2,)}, ["y", "m"], weights))
    y, mask = net(C3[:2])
    np.testing.assert_array_equal(y, C3[:2])
    assert mask.all()


@pytest.mark.parametrize("target", TARGETS)
def test_mod_of_floats_has_the_sign_of_the_divisor(target: str) -> None:
    source = model([node("Mod", "x y", "z")], {"x": (8,), "y": (8,)}, ["z"], opset=28)
    x = f32([7, -7, 7, -7, 6, -6, 0.5, -0.5])
    y = f32([3, 3, -3, -3, 3, -3, 4, 4])
    found = glow.compile(source, target=target)(x, y)
    np.testing.assert_array_equal(found, np.mod(x, y))


@pytest.mark.parametrize("target", TARGETS)
def test_a_bool_is_a_byte_of_0_or_1(target: str) -> None:
    each = node("BitCast", "x", "y", to=TensorProto.INT8)
    source = model([each], {"x": info("x", (2,), "i1")}, ["y"], opset=26)
    found = glow.compile(source, target=target)(np.array([True, False]))
    np.testing.assert_array_equal(found, np.array([1, 0], np.int8))


def test_a_transform_that_would_be_a_large_matrix_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fourier, "MAX_MATRIX", 100)
    source = model([node("DFT", "x", "y", "n", axis=1)], {"x": (1, 8, 1)}, ["y"])
    with pytest.raises(UnsupportedModelError, match="DFT with a length of 8"):
        import_model(source)


def of(each: Any, opset: int = 17, **inputs: Any) -> Any:
    """Return a model of a node; inputs that are arrays are constants."""
    weights = {n: v for n, v in inputs.items() if isinstance(v, np.ndarray)}
    rest = {n: v for n, v in inputs.items() if n not in weights}
    return model([each], rest, [each.output[0]], weights, opset)


def columns(x: Any) -> Any:
    """Return a model that puts blocks of 2 x 2, the columns of x, into 3 x 4."""
    sizes = {"i": np.array([3, 4]), "b": np.array([2, 2])}
    return of(node("Col2Im", "x i b", "y"), 18, x=x, **sizes)


def grams(indexes: list[int], **pool: Any) -> Any:
    """Return a model that counts those of three integers that are in a pool."""
    sizes = {"min_gram_length": 1, "max_gram_length": 1, "max_skip_count": 0}
    counts = node(
        "TfIdfVectorizer", "x", "y", mode="TF", ngram_counts=[0],
        ngram_indexes=indexes, **sizes, **pool,
    )  # fmt: skip
    return of(counts, x=info("x", (3,), "i64"))


LENGTHS = info("n", (2,), "i64")
SCALES = np.ones(3, f32)
REFUSED: dict[str, tuple[Any, type[Exception], str]] = {
    "inverse transform": (
        of(node("DFT", "x", "y", inverse=1), x=(1, 8, 2)),
        UnsupportedModelError,
        "DFT with inverse=1 and onesided=0",
    ),
    "scales": (
        of(node("QuantizeLinear", "x s", "y"), x=(2, 4), s=SCALES),
        InvalidModelError,
        "expected a number for each place of axis 1, got [3]",
    ),
    "blocks": (
        of(
            node("QuantizeLinear", "x s", "y", block_size=2),
            21,
            x=(2, 4),
            s=np.ones((2, 3), f32),
        ),
        InvalidModelError,
        "expected a number for each block of 2 along axis 1, got [2, 3]",
    ),
    "zero point": (
        of(
            node("MatMulInteger", "a b z", "y"),
            a=np.ones((2, 3), np.uint8),
            b=np.ones((3, 4), np.uint8),
            z=np.zeros(3, np.uint8),
        ),
        InvalidModelError,
        "expected one number, or one for each row, column or filter, got [3]",
    ),
    "zero point of a vector": (
        of(
            node("MatMulInteger", "a b z", "y"),
            a=np.ones(3, np.uint8),
            b=np.ones((3, 4), np.uint8),
            z=np.zeros(2, np.uint8),
        ),
        InvalidModelError,
        "expected one number, or one for each row, column or filter, got [2]",
    ),
    "scales of a result": (
        of(
            node("QLinearMatMul", "a s z a s z t v", "y"),
            a=np.ones((3, 3), np.uint8),
            s=np.ones((), f32),
            z=np.zeros((), np.uint8),
            t=np.ones(3, f32),
            v=np.zeros(3, np.uint8),
        ),
        UnsupportedModelError,
        "QLinearMatMul with several scales of the result",
    ),
    "wide integers": (
        of(
            node("QuantizeLinear", "x s", "y", output_dtype=TensorProto.INT32),
            21,
            x=(2, 3),
            s=SCALES,
        ),
        InvalidModelError,
        "cannot quantize to int32",
    ),
    "parts": (
        of(node("DFT", "x", "y"), x=(1, 8, 3)),
        InvalidModelError,
        "expected 1 or 2 parts and a length of at least 1, got 3 and 8",
    ),
    "axis of parts": (
        of(node("DFT", "x", "y", axis=2), x=(1, 8, 2)),
        InvalidModelError,
        "expected an axis before the last, which has the parts",
    ),
    "frames": (
        of(node("STFT", "x s - n", "y"), x=(1, 8, 1), s=np.array(2), n=np.array(9)),
        InvalidModelError,
        "expected a step of at least 1 and frames of at most 8, got 2 and 9",
    ),
    "window": (
        of(
            node("STFT", "x s w n", "y"),
            x=(1, 8, 1),
            s=np.array(2),
            w=(3,),
            n=np.array(4),
        ),
        InvalidModelError,
        "expected a window of [4], got [3]",
    ),
    "mels": (
        of(
            node("MelWeightMatrix", "a b c d e", "y"),
            a=np.array(0),
            b=np.array(8),
            c=np.array(8),
            d=np.array(0, f32),
            e=np.array(4, f32),
        ),
        InvalidModelError,
        "expected positive sizes, got 0, 8 and 8",
    ),
    "grid": (
        of(node("GridSample", "x g", "y"), x=(1, 1, 4, 4), g=(1, 2, 2, 3)),
        InvalidModelError,
        "expected a grid of [1, ..., 2], got [1, 2, 2, 3]",
    ),
    "interpolation": (
        of(node("GridSample", "x g", "y", mode="sinc"), x=(1, 1, 4, 4), g=(1, 2, 2, 2)),
        UnsupportedModelError,
        "GridSample with mode='sinc'",
    ),
    "products of two axes": (
        of(node("CumProd", "x a", "y"), 26, x=(2, 3), a=np.array([0, 1])),
        InvalidModelError,
        "expected one axis, got [0, 1]",
    ),
    "columns": (
        columns((1, 4, 7)),
        InvalidModelError,
        "expected columns of [N, C, 6], got [1, 4, 7]",
    ),
    "rows of columns": (
        columns((1, 5, 6)),
        InvalidModelError,
        "expected a multiple of 4 rows, got 5",
    ),
    "integers in columns": (
        columns(info("x", (1, 4, 6), "i32")),
        UnsupportedModelError,
        "Col2Im with elements of int32",
    ),
    "pool": (
        of(
            node("MaxUnpool", "x i", "y", kernel_shape=[2]),
            x=(1, 1, 2, 2),
            i=info("i", (1, 1, 2, 2), "i64"),
        ),
        InvalidModelError,
        "expected 2 entries of kernel_shape, strides and pads",
    ),
    "conditions": (
        of(node("Compress", "x c", "y", axis=0), x=(2,), c=np.ones(3, bool)),
        InvalidModelError,
        "expected at most 2 conditions, got [3]",
    ),
    "offsets": (
        of(
            node("DeformConv", "x w o", "y"),
            19,
            x=(1, 2, 4, 4),
            w=(1, 2, 2, 2),
            o=(1, 8, 2, 3),
        ),
        InvalidModelError,
        "expected offsets [1, 8, 3, 3] and channels in 1 and 1 groups, "
        "got [1, 8, 2, 3] and 2",
    ),
    "volumes": (
        of(
            node("DeformConv", "x w o", "y"),
            19,
            x=(1, 1, 4, 4, 4),
            w=(1, 1, 1, 1, 1),
            o=(1, 3, 4, 4, 4),
        ),
        UnsupportedModelError,
        "DeformConv with 3 spatial axes",
    ),
    "different elements": (
        of(node("Unique", "x", "y"), x=(3, 4)),
        UnsupportedModelError,
        "Unique with elements known only at run time",
    ),
    "sequences": (
        of(node("ReverseSequence", "x n", "y", batch_axis=1), x=(3, 4), n=LENGTHS),
        InvalidModelError,
        "expected batch_axis and time_axis 0 and 1, a length for each sequence, "
        "got 1, 0 and [2]",
    ),
    "strings": (
        grams([0], pool_strings=["a"]),
        UnsupportedModelError,
        "TfIdfVectorizer with a pool of strings",
    ),
    "far columns": (
        grams([1 << 40], pool_int64s=[4]),
        UnsupportedModelError,
        f"TfIdfVectorizer with 1 rows of counts in {(1 << 40) + 1} columns",
    ),
    "indexes": (
        grams([0, 0], pool_int64s=[4, 5]),
        InvalidModelError,
        "expected 2 distinct ngram_indexes, got [0, 0]",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused_in_words(name: str) -> None:
    source, error, message = REFUSED[name]
    with pytest.raises(error) as caught:
        import_model(source)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_optimizer_needs_a_state_for_each_tensor() -> None:
    each = node(
        "Momentum",
        "r t x g",
        "y",
        alpha=0.9,
        beta=0.8,
        mode="standard",
        norm_coefficient=0.0,
    )
    each.domain = "ai.onnx.preview.training"
    inputs = {"r": (), "t": info("t", (), "i64"), "x": (2,), "g": (2,)}
    source = model([each], inputs, ["y"], domains={each.domain: 1})
    with pytest.raises(InvalidModelError, match="2 inputs and 3 for each tensor"):
        import_model(source)
