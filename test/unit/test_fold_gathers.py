"""Gathers at known places: whatever becomes of them, they read the same elements."""

from __future__ import annotations

from typing import Any

import numpy as np
from grids import examples
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from small_onnx import model, node

import glow
from glow.dialects.graph.indexing import GatherElementsOp, GatherNdOp, GatherOp
from glow.graph_modules import context
from glow.pass_manager import parse_passes, run_passes

KINDS = {
    "Gather": GatherOp,
    "GatherND": GatherNdOp,
    "GatherElements": GatherElementsOp,
}


def line(draw: st.DrawFn, extent: int, ends: tuple[int, ...]) -> NDArray[Any]:
    """Return places below `extent` in an array of shape `ends`, mostly regular."""
    start = draw(st.integers(0, extent - 1))
    steps = [draw(st.integers(0, 2)) for _ in ends]
    places = start + sum(
        (step * each for step, each in zip(steps, np.indices(ends), strict=True)),
        np.zeros(ends, np.int64),
    )
    if draw(st.booleans()):
        return np.minimum(places, extent - 1)
    return places % extent - (extent if draw(st.booleans()) else 0)


@st.composite
def gathers(draw: st.DrawFn) -> tuple[str, dict[str, int], list[int], NDArray[Any]]:
    """Return operator, attributes, shape of the data and places of a gather."""
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    extents = st.lists(st.integers(1, 3), max_size=3).map(tuple)
    kind = draw(st.sampled_from(["Gather", "GatherElements", "GatherND"]))
    axis = draw(st.integers(0, len(shape) - 1))
    if kind == "Gather":
        return kind, {"axis": axis}, shape, line(draw, shape[axis], draw(extents))
    if kind == "GatherElements":
        sizes = tuple(draw(st.integers(1, extent)) for extent in shape)
        return kind, {"axis": axis}, shape, line(draw, shape[axis], sizes)
    ends, count = draw(extents), draw(st.integers(1, len(shape)))
    columns = [line(draw, extent, ends) for extent in shape[:count]]
    return kind, {"batch_dims": 0}, shape, np.stack(columns, -1)


@examples(25)
@given(gathers(), st.booleans())
def test_the_same_is_read(
    gather: tuple[str, dict[str, int], list[int], NDArray[Any]], flat: bool
) -> None:
    """Also of what was of another shape before."""
    kind, attributes, shape, places = gather
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(-1 if flat else shape)
    nodes = [node("Reshape", "x s", "r"), node(kind, "r i", "y", **attributes)]
    weights = {"i": places, "s": np.array(shape)}
    source = model(nodes, {"x": x.shape}, ["y"], weights)
    module = glow.load(source).module
    run_passes(parse_passes("fold-gathers"), context(), module)
    expected = KINDS[kind].compute(x.reshape(shape), places, **attributes)
    np.testing.assert_array_equal(glow.compile(module, "reference")(x), expected)


def test_regular_places_are_a_slice() -> None:
    weights = {"i": np.array([[0, 2], [4, 6]])}
    source = model([node("Gather", "x i", "y")], {"x": [8, 3]}, ["y"], weights)
    module = glow.load(source).module
    run_passes(parse_passes("fold-gathers"), context(), module)
    assert not any(isinstance(op, GatherOp) for op in module.walk())
