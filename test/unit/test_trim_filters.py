"""Filters without the taps that read padding compute the same sums."""

from collections.abc import Sequence
from math import prod

import numpy as np
import pytest
from graph_code import module_of, run
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from glow.dialects.graph.convolution import ConvOp
from glow.dialects.graph.window import Window
from glow.passes.graph.trim_filters import TrimFiltersPass
from glow.support.types import shape_of

AXIS = st.tuples(
    *(st.integers(1, 6), st.integers(1, 4), st.integers(1, 3), st.integers(1, 7)),
    *(st.integers(0, 9), st.integers(0, 9)),
)
"""The extent, taps, stride, dilation and pads of an axis."""


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(axes=st.lists(AXIS, min_size=1, max_size=2), group=st.integers(1, 2))
def test_result_is_the_same(axes: list[tuple[int, ...]], group: int) -> None:
    extents, taps, strides, dilations, begins, ends = zip(*axes, strict=True)
    for extent, count, _, dilation, begin, end in axes:
        assume((count - 1) * dilation < extent + begin + end)

    def body(x: SSAValue, w: SSAValue) -> Sequence[SSAValue]:
        sliding = {"strides": strides, "dilations": dilations}
        conv = ConvOp(x, w, pads=(*begins, *ends), group=group, **sliding)
        return [conv.result]

    random = np.random.default_rng(0)
    x, w = (
        random.normal(0, 1, shape).astype(np.float32)
        for shape in ((1, 2, *extents), (2, 2 // group, *taps))
    )
    module = module_of([x], {"w": w}, body)
    expected = run(module, [x])
    TrimFiltersPass().apply(Context(), module)
    np.testing.assert_allclose(run(module, [x]), expected, rtol=1e-5, atol=1e-5)
    (conv,) = (op for op in module.walk() if isinstance(op, ConvOp))
    inside = conv.window.taps_inside(extents)
    if all(read.any() for read in inside):
        for axis, read in enumerate(inside):  # what is left is read, or needed to pad
            dilation = conv.window.dilations[axis]
            assert read[0] or conv.window.begins[axis] < dilation
            assert read[-1] or conv.window.ends[axis] < dilation
    else:
        assert shape_of(conv.filter) == w.shape


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(axes=st.lists(AXIS, min_size=1, max_size=2), group=st.integers(1, 2))
def test_split_filters_compute_the_same_with_fewer_products(
    axes: list[tuple[int, ...]], group: int
) -> None:
    extents, taps, strides, dilations, begins, ends = zip(*axes, strict=True)
    for extent, count, _, dilation, begin, end in axes:
        assume((count - 1) * dilation < extent + begin + end)

    def body(x: SSAValue, w: SSAValue, b: SSAValue) -> Sequence[SSAValue]:
        sliding = {"strides": strides, "dilations": dilations}
        conv = ConvOp(x, w, b, pads=(*begins, *ends), group=group, **sliding)
        return [conv.result]

    random = np.random.default_rng(0)
    x, w, b = (
        random.normal(0, 1, shape).astype(np.float32)
        for shape in ((2, 128, *extents), (2, 128 // group, *taps), (2,))
    )
    module = module_of([x], {"w": w, "b": b}, body)
    expected, before = run(module, [x]), _products(module)
    TrimFiltersPass().apply(Context(), module)
    np.testing.assert_allclose(run(module, [x]), expected, rtol=1e-4, atol=1e-4)
    window = Window.of(taps, strides, (*begins, *ends), dilations)
    needed = prod(each.sum() for each in window.counts(extents, padding=False))
    least = 2 * 2 * 128 // group * needed
    assert least <= _products(module) or least == 0
    assert _products(module) <= before


def _products(module: ModuleOp) -> int:
    convs = (op for op in module.walk() if isinstance(op, ConvOp))
    return sum(
        prod(shape_of(op.result)) * prod(shape_of(op.filter)[1:]) for op in convs
    )
