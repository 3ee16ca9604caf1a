"""Machine code of running sums and triangles against the meaning of the graph ops."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from memory_code import Array, MemoryCode

from glow.dialects.graph.along_axis import CumsumOp
from glow.dialects.graph.slicing import TriluOp

TARGETS = ("cpu", "cpu:sse2")


def add_cumsum(
    code: MemoryCode, x: Array, axis: int, exclusive: bool, reverse: bool = False
) -> tuple[Array, Array]:
    named = {"axis": axis, "exclusive": exclusive, "reverse": reverse}
    want = CumsumOp.compute(x, **named)
    out = np.zeros(want.shape, want.dtype)
    if axis == x.ndim - 1 and x.strides[axis] < 0:
        out = out[..., ::-1]
    code.apply(CumsumOp, [x], [out], **named)
    return out, want


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_cumsum(target: str) -> None:
    """Whole numbers, which floats add in any order; every axis, type and stride."""
    rng = np.random.default_rng(0)
    code, cases = MemoryCode(target), []
    whole = rng.integers(-9, 9, (3, 5, 43))
    for x in (
        whole.astype(np.float32),
        whole.astype(np.float64)[:, ::2],
        whole.astype(np.int32)[..., ::-1],
        whole.astype(np.float32)[::-1, :, ::-1],
        np.moveaxis(whole, -1, 0),
        rng.integers(-9, 9, (2, 4, 300)).astype(
            np.float32
        ),  # more than are summed at once
        whole[..., 1:20:3],
    ):
        for axis in range(3):
            for exclusive, reverse in product((False, True), repeat=2):
                cases.append(add_cumsum(code, x, axis, exclusive, reverse))
    assert code.run() is None
    for out, want in cases:
        np.testing.assert_array_equal(out, want)


@pytest.mark.parametrize("axis", [0, 1])
def test_cumsum_in_place(axis: int) -> None:
    for exclusive in (False, True):
        x = np.arange(3 * 37, dtype=np.float32).reshape(3, 37)
        want = CumsumOp.compute(x, axis=axis, exclusive=exclusive)
        code = MemoryCode()
        code.apply(CumsumOp, [x], [x], axis=axis, exclusive=exclusive)
        assert code.run() is None
        np.testing.assert_array_equal(x, want)


@pytest.mark.parametrize("axis", [0, 1])
def test_what_is_not_finite_spreads_forward_only(axis: int) -> None:
    x = np.ones((40, 40), np.float32)
    x[17], x[:, 17] = np.nan, np.nan
    x[3, 3] = np.inf
    code = MemoryCode()
    cases = [add_cumsum(code, x, axis, exclusive) for exclusive in (False, True)]
    assert code.run() is None
    for out, want in cases:
        np.testing.assert_array_equal(out, want)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("upper", [False, True])
def test_trilu(target: str, upper: bool) -> None:
    code, cases = MemoryCode(target), []
    whole = np.arange(1, 1 + 2 * 9 * 37, dtype=np.float32).reshape(2, 9, 37)
    places: tuple[Any, ...] = (None, 0, 5, -5, 36, 37, -9, 2**62, -(2**62))
    for x in (whole, np.moveaxis(whole, 1, 2), whole[:, :, :3].astype(np.int64)):
        for place in places:
            k = None if place is None else np.array(place)
            want = TriluOp.compute(x, k, upper=upper)
            out = np.full(want.shape, 77, want.dtype)
            code.apply(TriluOp, [x, k], [out], upper=upper)
            cases.append((out, want))
    assert code.run() is None
    for out, want in cases:
        np.testing.assert_array_equal(out, want)
