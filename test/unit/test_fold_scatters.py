"""Scatters to blocks of neighbors: random blocks compute the same as before."""

from __future__ import annotations

import numpy as np
from grids import examples
from hypothesis import given
from hypothesis import strategies as st
from small_onnx import info, model, node

import glow
from glow.dialects.graph.scattering import ScatterNdOp
from glow.graph_modules import context
from glow.pass_manager import parse_passes, run_passes


@st.composite
def blocks(draw: st.DrawFn) -> tuple[list[int], list[int], list[int]]:
    """Return a shape, and starts and ends of a block in some of its first axes."""
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    starts, ends = [], []
    for extent in shape[: draw(st.integers(1, len(shape)))]:
        start = draw(st.sampled_from([0, draw(st.integers(0, extent - 1))]))
        starts.append(start)
        ends.append(
            draw(st.sampled_from([extent, draw(st.integers(start + 1, extent))]))
        )
    return shape, starts, ends


@examples(25)
@given(blocks())
def test_blocks_are_written_as_before(block: tuple[list[int], ...]) -> None:
    shape, starts, ends = block
    lines = [np.arange(a, b) for a, b in zip(starts, ends, strict=True)]
    places = np.stack(np.meshgrid(*lines, indexing="ij"), -1)
    sizes = [*places.shape[:-1], *shape[len(starts) :]]
    source = model(
        [node("ScatterND", "x i u", "y")],
        {"x": shape, "u": sizes},
        [info("y", shape)],
        {"i": places},
    )
    module = glow.load(source).module
    run_passes(parse_passes("fold-scatters"), context(), module)
    partial = sum(n != e for n, e in zip(sizes, shape, strict=True))
    kept = any(isinstance(op, ScatterNdOp) for op in module.walk())
    assert kept == (partial > 1)
    x = np.zeros(shape, np.float32)
    u = np.arange(1, 1 + np.prod(sizes), dtype=np.float32).reshape(sizes)
    expected = x.copy()
    inner = tuple(slice(a, b) for a, b in zip(starts, ends, strict=True))
    expected[inner] = u
    np.testing.assert_array_equal(glow.compile(module, "reference")(x, u), expected)
