"""Machine code of pools against the meaning of the graph ops."""

from typing import Any

import numpy as np
import pytest
from memory_code import Array, MemoryCode
from products import EPILOGUES, finished, region_of
from xdsl.dialects import scf
from xdsl.ir import Region
from xdsl.utils.exceptions import PassFailedException

from glow.dialects.graph.pooling import (
    AvgPoolOp,
    GlobalAvgPoolOp,
    GlobalLpPoolOp,
    GlobalMaxPoolOp,
    LpPoolOp,
    MaxPoolOp,
)
from glow.dialects.memory.apply import ApplyOp
from glow.support.dtypes import dtype_named
from glow.support.types import element_type_of, signless

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


@pytest.mark.parametrize(
    ("kernel", "channels_last", "expected"),
    [((3, 3), True, True), ((2, 5), True, False), ((3, 3), False, False)],
)
def test_whole_windows_of_few_elements_are_read_without_loops(
    kernel: tuple[int, int], channels_last: bool, expected: bool
) -> None:
    code, x = MemoryCode("cpu:avx2"), random(1, 24, 8, 8, channels_last=channels_last)
    want = MaxPoolOp.compute(x, kernel_shape=kernel)[0]
    code.apply(MaxPoolOp, [x], [like(want, channels_last)], kernel_shape=kernel)
    ops = [*code.loops().walk()]
    assert any(isinstance(op, scf.IfOp) for op in ops) == expected


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


# With channels last, what a window of 12 x 12 pixels and 70 channels is followed by:
# shapes of extras, each with channels last itself, or first.
AFTER: list[tuple[str, tuple[tuple[int, ...], ...], bool]] = [
    ("relu", (), True),
    ("residual", ((2, 70, 6, 6),), True),
    ("residual", ((2, 70, 6, 6),), False),
    ("affine", ((70, 1, 1), (1, 70, 1, 1)), True),
    ("affine", ((1, 1, 6, 6), (1,)), True),
    ("silu", ((2, 1, 6, 1),), True),
    ("gelu", (), True),
    ("sine", ((1, 70, 1, 6),), True),
    ("remainder", ((2, 70, 6, 6),), True),
]


def after(name: str, x: Array, extras: list[Array]) -> Region:
    """Return the epilogue of a pool of `x`."""
    elements = [signless(element_type_of(array.dtype)) for array in (x, *extras)]
    return region_of(elements, EPILOGUES[name][0])


def followed(
    code: MemoryCode,
    op: Any,
    x: Array,
    name: str,
    extras: list[Array],
    out: Array,
    **parameters: Any,
) -> None:
    """Add a pool with an epilogue."""
    new = ApplyOp(
        op,
        [code.buffer(x)],
        [code.buffer(out)],
        extras=[code.buffer(extra) for extra in extras],
        epilogue=after(name, x, extras),
        **parameters,
    )
    code.add(new)


@pytest.mark.parametrize("piece_ns", [0, 1])
@pytest.mark.parametrize("element", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("channels_last", [True, False])
def test_epilogues(
    target: str, channels_last: bool, element: str, piece_ns: int
) -> None:
    code, cases, dtype = MemoryCode(target, piece_ns), [], dtype_named(element)
    window = WINDOWS[0][1]
    x = random(2, 70, 12, 12, dtype=dtype, channels_last=channels_last)
    pools = [*KINDS, (GlobalLpPoolOp, {"p": 2})]
    for number, (name, shapes, is_last) in enumerate(AFTER):
        extras = [
            random(*shape, dtype=dtype, channels_last=is_last and len(shape) > 3)
            for shape in shapes
        ]
        op, parameters = pools[number % len(pools)]
        if op is not GlobalLpPoolOp:
            parameters = window | parameters
        elif shapes:
            continue
        computed = op.compute(x.astype(np.float64), **parameters)
        computed = computed[0] if isinstance(computed, tuple) else computed
        others = [extra.astype(np.float64) for extra in extras]
        want = finished(name, computed, others)
        out = like(want.astype(dtype), channels_last)
        followed(code, op, x, name, extras, out, **parameters)
        cases.append((out, want))
    assert code.run() is None
    error = {"float16": 3e-3, "bfloat16": 2e-2}.get(element, 1e-5)
    for out, want in cases:
        exact = out.astype(np.float64)
        np.testing.assert_allclose(exact, want, rtol=error, atol=20 * error)


@pytest.mark.parametrize("piece_ns", [0, 1])
def test_extra_may_lie_where_the_result_goes(piece_ns: int) -> None:
    x, extra = random(2, 21, 8, 7), random(2, 21, 4, 3)
    window = WINDOWS[1][1]
    want = np.maximum(MaxPoolOp.compute(x, **window)[0] + extra, 0)
    code = MemoryCode(piece_ns=piece_ns)
    place = code.buffer(extra)
    region = after("residual", x, [extra])
    ins, outs = [code.buffer(x)], [place]
    new = ApplyOp(MaxPoolOp, ins, outs, extras=[place], epilogue=region, **window)
    assert new.in_place_pairs() == [(place, place)]
    code.add(new)
    assert code.run() is None
    np.testing.assert_array_equal(extra, want)


def test_input_is_no_extra_that_the_result_may_replace() -> None:
    """Windows overlap: what one place has stored, another would read."""
    x = random(1, 16, 5, 5)
    code = MemoryCode()
    place, region = code.buffer(x), after("residual", x, [x])
    window = {"kernel_shape": (3, 3), "pads": (1, 1, 1, 1)}
    new = ApplyOp(
        MaxPoolOp, [place], [place], extras=[place], epilogue=region, **window
    )
    assert not new.in_place_pairs()


def test_extras_of_truths_and_parts_of_buffers() -> None:
    x, window = random(2, 21, 8, 7), WINDOWS[1][1]
    mask = random(2, 40, 6, 3)[:, 5:26, 1:5] > 0
    wide = random(2, 40, 6, 3)
    out = random(2, 30, 5, 3)
    kept, part = out.copy(), np.s_[:, 4:25, :4]
    pooled = AvgPoolOp.compute(x, **window)
    code = MemoryCode()
    followed(code, AvgPoolOp, x, "masked", [mask], out[part], **window)
    slid = wide[:, 5:26, 1:5]
    other = like(pooled)
    followed(code, AvgPoolOp, x, "residual", [slid], other, **window)
    assert code.run() is None
    kept[part] = np.where(mask, pooled, 0)
    np.testing.assert_allclose(out, kept, rtol=2e-6, atol=1e-5)
    np.testing.assert_allclose(
        other, np.maximum(pooled + slid, 0), rtol=2e-6, atol=1e-5
    )


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4"])
def test_epilogues_of_integers(dtype: str) -> None:
    kind = np.dtype(dtype)
    x = random(1, 18, 9, 9, dtype=kind)
    pooled = MaxPoolOp.compute(x, **WINDOWS[0][1])[0]
    factor, term = np.full((18, 1, 1), 2, kind), random(1, 18, 1, 1, dtype=kind)
    code, out = MemoryCode(), like(pooled)
    followed(code, MaxPoolOp, x, "affine", [factor, term], out, **WINDOWS[0][1])
    assert code.run() is None
    np.testing.assert_array_equal(out, pooled * factor + term)


def test_no_integers_are_divided() -> None:
    x = random(1, 18, 9, 9, dtype=np.int32)
    code, out = MemoryCode(), like(MaxPoolOp.compute(x, **WINDOWS[0][1])[0])
    followed(code, MaxPoolOp, x, "remainder", [out], out, **WINDOWS[0][1])
    with pytest.raises(PassFailedException, match="cannot divide integers after graph"):
        code.loops()


def test_results_without_elements() -> None:
    x, out = np.zeros((0, 8, 4, 4), np.float32), np.zeros((0, 8, 2, 2), np.float32)
    code = MemoryCode()
    followed(code, MaxPoolOp, x, "relu", [], out, **WINDOWS[1][1])
    assert code.run() is None
