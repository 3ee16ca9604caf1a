"""Machine code of pools against the meaning of the graph ops."""

from typing import Any

import numpy as np
import pytest
from memory_code import Array, MemoryCode

from glow.dialects.graph.pooling import (
    AvgPoolOp,
    GlobalAvgPoolOp,
    GlobalLpPoolOp,
    GlobalMaxPoolOp,
    LpPoolOp,
    MaxPoolOp,
)

pytestmark = pytest.mark.slow

TARGETS = ("cpu", "cpu:avx2", "cpu:sse2")


def random(*shape: int, dtype: Any = np.float32, channels_last: bool = True) -> Array:
    """Return [N, C, spatial...], in memory channels last or as it is."""
    rng = np.random.default_rng(sum(shape))
    stored = (shape[0], *shape[2:], shape[1]) if channels_last else shape
    values = (10 * rng.standard_normal(stored)).astype(dtype)
    return np.moveaxis(values, -1, 1) if channels_last else values


def like(want: Array, channels_last: bool = True) -> Array:
    """Return zeros of the same shape and type, in the same order in memory."""
    if not channels_last:
        return np.zeros(want.shape, want.dtype)
    stored = np.zeros((want.shape[0], *want.shape[2:], want.shape[1]), want.dtype)
    return np.moveaxis(stored, -1, 1)


WINDOWS: list[tuple[tuple[int, ...], dict[str, Any]]] = [
    (shape, {"kernel_shape": kernel, "strides": strides, "pads": pads} | rest)
    for shape, kernel, strides, pads, rest in (
        ((1, 64, 12, 12), (3, 3), (2, 2), (1, 1, 1, 1), {}),
        ((2, 21, 8, 7), (2, 2), (2, 2), (0, 0, 0, 0), {}),
        ((1, 100, 7, 7), (7, 7), (1, 1), (0, 0, 0, 0), {}),
        ((1, 5, 9, 6), (3, 2), (1, 2), (2, 0, 1, 1), {}),
        ((1, 16, 9, 9), (2, 3), (1, 1), (0, 1, 0, 1), {"dilations": (2, 3)}),
        ((2, 70, 13), (4,), (3,), (1, 2), {}),
        ((1, 17, 5, 6, 4), (2, 3, 2), (2, 1, 1), (0, 1, 0, 1, 1, 1), {}),
        ((1, 3, 5, 5), (2, 2), (2, 2), (0, 0, 0, 0), {"ceil_mode": True}),
        ((1, 3, 7, 7), (3, 3), (3, 3), (1, 1, 1, 1), {"ceil_mode": True}),
    )
]
KINDS: list[tuple[Any, dict[str, Any]]] = [
    (MaxPoolOp, {}),
    (AvgPoolOp, {}),
    (AvgPoolOp, {"count_include_pad": True}),
    (LpPoolOp, {"p": 1}),
    (LpPoolOp, {"p": 2}),
    (LpPoolOp, {"p": 3}),
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("channels_last", [True, False])
def test_windows(target: str, channels_last: bool) -> None:
    code, cases = MemoryCode(target), []
    for shape, window in WINDOWS:
        x = random(*shape, channels_last=channels_last)
        for op, parameters in KINDS:
            want = op.compute(x, **window, **parameters)
            want = want[0] if isinstance(want, tuple) else want
            out = like(want, channels_last)
            code.apply(op, [x], [out], **window, **parameters)
            cases.append((out, want))
    assert code.run() is None
    for out, want in cases:
        np.testing.assert_allclose(out, want, rtol=2e-6, atol=1e-5)


@pytest.mark.parametrize("storage_order", [0, 1])
def test_indices(storage_order: int) -> None:
    """The first of equal elements, counted over the whole input."""
    code, cases = MemoryCode(), []
    for dtype in (np.float32, np.float64):
        for shape, window in WINDOWS:
            x = np.round(random(*shape, dtype=dtype) / 5)
            named = window | {"storage_order": storage_order, "with_indices": True}
            want = MaxPoolOp.compute(x, **named)
            outs = [like(want[0]), like(want[1])]
            code.apply(MaxPoolOp, [x], outs, **named)
            cases.append((outs, want))
    assert code.run() is None
    for outs, want in cases:
        np.testing.assert_array_equal(outs[0], want[0])
        np.testing.assert_array_equal(outs[1], want[1])


@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.int64])
def test_other_types(dtype: Any) -> None:
    code = MemoryCode()
    window = WINDOWS[0][1]
    x = random(1, 18, 9, 9, dtype=dtype)
    want = MaxPoolOp.compute(x, **window)[0]
    out = like(want)
    code.apply(MaxPoolOp, [x], [out], **window)
    assert code.run() is None
    np.testing.assert_array_equal(out, want)


@pytest.mark.parametrize("channels_last", [True, False])
def test_infinities_and_nan(channels_last: bool) -> None:
    """-infinity is a greatest element like others, and NaN wins as in NumPy."""
    x = np.full((1, 18, 4, 4), -np.inf, np.float32)
    x[:, :, 0, :2], x[:, 3, 3, 3] = np.nan, np.inf
    x = np.ascontiguousarray(x)
    if channels_last:
        x = np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 1, -1)), -1, 1)
    window = WINDOWS[1][1]
    want = MaxPoolOp.compute(x, **window)[0]
    code, out = MemoryCode(), like(want, channels_last)
    code.apply(MaxPoolOp, [x], [out], **window)
    assert code.run() is None
    np.testing.assert_array_equal(out, want)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "u1"])
def test_indices_of_windows_that_hold_nothing_but_the_lowest_number(dtype: str) -> None:
    kind = np.dtype(dtype)
    lowest = -np.inf if kind.kind == "f" else np.iinfo(kind).min
    x = np.full((1, 2, 4, 4), lowest, kind)
    window = WINDOWS[1][1] | {"with_indices": True}
    want = MaxPoolOp.compute(x, **window)
    outs = [np.ones_like(each) for each in want]
    code = MemoryCode()
    code.apply(MaxPoolOp, [x], outs, **window)
    assert code.run() is None
    for out, each in zip(outs, want, strict=True):
        np.testing.assert_array_equal(out, each)
    assert want[1].min() == 0


@pytest.mark.parametrize("channels_last", [True, False])
def test_all_of_space(channels_last: bool) -> None:
    code, cases = MemoryCode(), []
    ops: list[tuple[Any, dict[str, Any]]] = [
        (GlobalAvgPoolOp, {}),
        (GlobalMaxPoolOp, {}),
    ]
    ops += [(GlobalLpPoolOp, {"p": p}) for p in (1, 2, 3)]
    for shape in ((2, 19, 7, 5), (1, 64, 9), (2, 3, 4, 5, 6)):
        x = random(*shape, channels_last=channels_last)
        for op, parameters in ops:
            want = op.compute(x, **parameters)
            out = like(want, channels_last)
            code.apply(op, [x], [out], **parameters)
            cases.append((out, want))
    assert code.run() is None
    for out, want in cases:
        np.testing.assert_allclose(out, want, rtol=2e-6, atol=1e-5)
