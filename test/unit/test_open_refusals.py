"""Models with open dimensions that are refused when they are loaded, and why."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import NodeProto
from small_onnx import info, model, node

import glow
from glow import InvalidModelError, UnsupportedModelError

f32 = np.float32


def test_inputs_that_cannot_be_are_refused_when_the_model_is_loaded() -> None:
    source = model(
        [node("Relu", "x", "y")], {"x": ("n",), "h": info("h", (2,), "f8")}, ["y"]
    )
    with pytest.raises(UnsupportedModelError, match="element type FLOAT8E5M2"):
        glow.load(source)
    source = model([node("Relu", "x", "y")], {"x": ("n",)}, ["y"])
    with pytest.raises(InvalidModelError, match='no symbolic dimension "m"'):
        glow.load(source, dims={"m": 2})
    source = model(
        [node("Add", "x h", "y")], {"x": ("n",), "h": info("h", None)}, ["y"]
    )
    with pytest.raises(InvalidModelError) as caught:
        glow.load(source)
    assert str(caught.value) == (
        'input "h" has no shape, expected at least its rank; declare one in the model, '
        'or give it a value: constants={"h": ...}'
    )
    found = glow.load(source, constants={"h": np.ones(2, f32)})
    np.testing.assert_array_equal(glow.compile(found)(np.ones(2, f32)), [2, 2])


@pytest.mark.parametrize("read", [glow.load, glow.compile])
@pytest.mark.parametrize(
    ("made", "what"),
    [
        (node("Unique", "x", "y", "n"), "Unique with elements"),
        (node("Pad", "x k", "y", "n"), "Pad with pads"),
        (node("Reshape", "x k", "y", "n"), "Reshape with a shape"),
        (node("Tile", "x k", "y", "n"), "Tile with repeats"),
        (node("TopK", "x one", "y i", "n"), "TopK with k"),
    ],
)
def test_values_that_are_missing_for_all_extents_are_reported_when_the_model_is_loaded(
    read: Any, made: NodeProto, what: str
) -> None:
    inputs = {"x": ("n",), "k": info("k", (2,), "i64"), "one": info("one", (1,), "i64")}
    source = model([made], inputs, [info("y", None)])
    message = f"{what} known only at run time .*; values can be given: constants="
    with pytest.raises(UnsupportedModelError, match=message):
        read(source)


def test_what_one_extent_allows_is_not_refused() -> None:
    inputs = {
        **{name: info(name, (2, 2), "u8") for name in "ab"},
        **{name: info(name, ("n",) * (name == "t")) for name in "st"},
        **{name: info(name, ("n",) * (name == "v"), "u8") for name in "zv"},
    }
    nodes = [node("QLinearMatMul", "a s z b s z t v", "y")]
    loaded = glow.load(model(nodes, inputs, [info("y", (2, 2), "u8")], opset=21))
    assert loaded.specialize({"n": 1})  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(UnsupportedModelError, match="several scales of the result"):
        loaded.specialize({"n": 2})  # pyright: ignore[reportAttributeAccessIssue]
