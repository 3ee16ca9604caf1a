"""What the importer refuses of Resize, and where ONNX and ONNX Runtime differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import ModelProto
from operators.case import feeds_of, model_of
from operators.oracle import run_onnxruntime
from operators.resizing import NEAREST, REGION, resized
from small_onnx import info, model, node

import glow
from glow.dialects.graph.resize import ResizeOp
from glow.formats.onnx import import_model
from glow.support.errors import InvalidModelError, UnsupportedModelError

X = np.arange(70, dtype=np.float32).reshape(1, 2, 5, 7)
CROP = {"coordinate_transformation_mode": "tf_crop_and_resize"}
CORNERS = {"coordinate_transformation_mode": "align_corners"}


def fed(
    inputs: str, op: str = "Resize", opset: int = 19, **attributes: Any
) -> ModelProto:
    """Return a model whose region `r`, scales `s`, sizes `n` are inputs; not `z`."""
    known = {"x": info("x", (1, 2, 5, 7)), "s": info("s", (4,)), "r": info("r", (8,))}
    known["n"] = info("n", (4,), "i64")
    read = {name: known[name] for name in inputs.split() if name in known}
    weights = {"z": np.array([1, 2, 8, 8])} if "z" in inputs else {}
    each = node(op, inputs, "y", "n", **attributes)
    return model([each], read, ["y"], weights, opset=opset)


def given(**of: Any) -> ModelProto:
    """Return a model that knows all but the image."""
    return model_of([resized(X, **of)])


UNSUPPORTED = [
    (lambda: fed("x - s"), "Resize with scales known only at run time"),
    (lambda: fed("x - - n"), "Resize with sizes known only at run time"),
    (lambda: fed("x s", opset=10), "Resize with scales known only at run time"),
    (lambda: fed("x s", "Upsample", 9), "Upsample with scales known only at run time"),
    (lambda: given(scales=(1, 1, 2, 2), mode="lanczos"), "Resize with mode='lanczos'"),
    (
        lambda: fed("x r - z", mode="linear", antialias=1, **CROP),
        "Resize with antialias and a roi known only at run time",
    ),
    (
        lambda: given(scales=(1, 1, 2, 2), nearest_mode="up"),
        "Resize with nearest_mode='up'",
    ),
]
INVALID = [
    (lambda: given(), "expected scales or sizes, got neither"),
    (
        lambda: given(scales=(1, 1, 2, 2), sizes=(1, 2, 8, 8)),
        "expected scales or sizes, got both",
    ),
    (lambda: given(scales=(2, 2)), "expected scales of 4 entries, got [2.0, 2.0]"),
    (lambda: given(sizes=(8, 8)), "expected sizes of 4 entries, got [8, 8]"),
    (
        lambda: given(scales=(1, 1, 2, 2), axes=[2, 3]),
        "expected scales of 2 entries, got [1.0, 1.0, 2.0, 2.0]",
    ),
    (lambda: given(scales=(1, 1, 0, 2)), "expected scales above 0, got [1.0, 1.0, 0.0"),
    (lambda: given(scales=(1, 1, 2, 2), **CROP), "input 1 is missing"),
    (
        lambda: given(sizes=(8, 8), axes=[2, 3], roi=REGION, **CROP),
        "expected a roi of shape [4], got tensor<8xf32>",
    ),
    (
        lambda: model(
            [node("Upsample", "x", "y", "n", mode="nearest", scales=[1.0, 1, 0.5, 1])],
            {"x": (1, 2, 5, 7)},
            ["y"],
            opset=7,
        ),
        "expected scales of at least 1, got [1.0, 1.0, 0.5, 1.0]",
    ),
]


def _first_words(value: object) -> str:
    """Name cases by their message: a function's address differs between workers."""
    return value[:40] if isinstance(value, str) else "model"


@pytest.mark.parametrize(("build", "message"), UNSUPPORTED, ids=_first_words)
def test_what_is_missing_is_reported(build: Any, message: str) -> None:
    with pytest.raises(UnsupportedModelError) as caught:
        import_model(build())
    assert message in str(caught.value)


@pytest.mark.parametrize(("build", "message"), INVALID, ids=_first_words)
def test_what_is_wrong_is_reported(build: Any, message: str) -> None:
    with pytest.raises(InvalidModelError) as caught:
        import_model(build())
    assert message in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["cpu", "cpu:sse2"])
def test_a_region_may_be_an_input(target: str) -> None:
    """The same code for any region: it finds positions and weights when it runs."""
    for how in (*NEAREST, {"mode": "linear"}, {"mode": "cubic", "exclude_outside": 1}):
        net = glow.compile(
            fed("x r - z", extrapolation_value=7.5, **how, **CROP), target
        )
        for region in (REGION, np.array([0, 0, 0, 0, 1, 1, 1, 1], np.float32)):
            case = resized(
                X, (1, 2, 8, 8), None, region, extrapolation_value=7.5, **how, **CROP
            )
            (expected,) = run_onnxruntime(model_of([case]), feeds_of([case]), False)
            np.testing.assert_allclose(net(X, region), expected, rtol=1e-5, atol=1e-5)


def outputs(**of: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return what we compute and what ONNX Runtime does."""
    cases = [resized(X, **of)]
    source, feeds = model_of(cases), feeds_of(cases)
    (found,) = glow.compile(source, target="reference").run(feeds).values()
    return found, run_onnxruntime(source, feeds, False)[0]


def test_corners_are_aligned_to_what_a_scale_gives() -> None:
    """An extent of 4.2 lets the last place lie before the last element."""
    ours, theirs = outputs(scales=(1, 1, 1, 0.6), mode="linear", **CORNERS)
    step = np.float32(6 / (7 * 0.6 - 1))
    np.testing.assert_allclose(ours[0, 0, 0], step * np.arange(4), rtol=1e-5)
    np.testing.assert_allclose(theirs[0, 0, 0], 2 * np.arange(4), rtol=1e-5)


def test_a_region_counts_where_the_extent_stays() -> None:
    region = np.array([0, 0, 0, 0.5, 1, 1, 1, 1], np.float32)
    ours, theirs = outputs(sizes=(1, 2, 9, 7), roi=region, mode="linear", **CROP)
    np.testing.assert_allclose(ours[0, 0, 0], np.linspace(3, 6, 7), rtol=1e-5)
    np.testing.assert_allclose(theirs[0, 0, 0], np.arange(7))


def test_what_is_almost_in_the_middle_is() -> None:
    """3.4999998, in floats of 32 bits, is nearer to neither: as in ONNX Runtime."""
    x = np.arange(7, dtype=np.float32)
    how = {"coordinate_transformation_mode": "asymmetric"}
    for rounding, nearest in (("round_prefer_ceil", 4), ("round_prefer_floor", 3)):
        found = ResizeOp.compute(x, sizes=(2,), nearest_mode=rounding, **how)
        assert found.tolist() == [0, nearest]


def test_nothing_becomes_of_no_places() -> None:
    x = np.ones((2, 3), np.float32)
    for how in ({}, {"mode": "linear", "antialias": True}):
        assert ResizeOp.compute(x, sizes=(0, 9), **how).shape == (0, 9)
