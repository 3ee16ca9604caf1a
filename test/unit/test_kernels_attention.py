"""Machine code of attention of few queries against the meaning of the graph op."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from grids import slow_but
from memory_code import Array, MemoryCode

from glow.dialects.graph.attention import AttentionOp as GraphAttentionOp
from glow.dialects.memory.attention import DecodeAttentionOp
from glow.support.dtypes import dtype_named

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of inf

TARGETS = ("cpu", "cpu:sse2", "cpu:avx2")


def add(
    code: MemoryCode, q: Array, k: Array, v: Array, lengths: Array, scale: float
) -> tuple[Array, Array]:
    """Append one attention; return where its result goes, and what that should be."""
    want = GraphAttentionOp.compute(q, k, v, valid_length=lengths, scale=scale)[0]
    out = np.full(want.shape, np.nan, q.dtype)
    scratch = np.empty(k.shape[2], np.float32)
    buffers = [code.buffer(array) for array in (q, k, v, lengths, scratch, out)]
    code.add(DecodeAttentionOp(*buffers, scale=scale))
    return out, want


@pytest.mark.slow
@pytest.mark.parametrize("target", slow_but(TARGETS, "cpu"))
def test_any_lengths_groups_and_extents(target: str) -> None:
    rng = np.random.default_rng(0)
    draw = rng.standard_normal
    code, cases = MemoryCode(target), list[tuple[Array, Array]]()
    for heads, kv_heads, total, elements, wide in (
        (4, 2, 37, 64, 64),
        (3, 3, 5, 7, 1),
        (6, 1, 33, 40, 19),
        (2, 1, 1, 1, 130),
    ):
        q = draw((4, heads, 1, elements), np.float32)
        k = draw((4, kv_heads, total, elements), np.float32)
        v = draw((4, kv_heads, total, wide), np.float32)
        for dtype in (np.int32, np.int64):
            lengths = np.array([0, 1, total - 1, total], dtype)
            cases.append(add(code, q, k, v, lengths, 0.25))
    assert code.run() is None
    for out, want in cases:
        np.testing.assert_allclose(out, want, rtol=1e-5, atol=1e-6)


def test_lengths_out_of_range_stand_for_none_and_all() -> None:
    draw = np.random.default_rng(0).standard_normal
    q, k, v = (draw((3, 2, n, 8), np.float32) for n in (1, 9, 9))
    code = MemoryCode()
    out, want = add(code, q, k, v, np.array([-3, 10, 1 << 40]), 1.0)
    assert code.run() is None
    assert not out[0].any()
    np.testing.assert_allclose(out, want, rtol=1e-5, atol=1e-6)


def test_other_orders_of_heads_are_read_where_they_lie() -> None:
    draw = np.random.default_rng(0).standard_normal
    q, k, v = (
        draw((2, n, 4, 8), np.float32).transpose(0, 2, 1, 3) for n in (1, 12, 12)
    )
    code = MemoryCode()
    out, want = add(code, q, k, v, np.array([5, 12]), 0.5)
    assert code.run() is None
    np.testing.assert_allclose(out, want, rtol=1e-5, atol=1e-6)


def test_what_is_not_finite_spreads_and_what_is_not_valid_does_not() -> None:
    draw = np.random.default_rng(0).standard_normal
    q, k, v = (draw((4, 1, n, 8), np.float32) for n in (1, 6, 6))
    k[0, 0, 2, 1] = np.nan
    k[1, 0, 1], q[1] = np.inf, 1
    v[2, 0, 0, 3] = np.nan
    k[3, 0, 3:], v[3, 0, 3:] = np.nan, np.nan
    code = MemoryCode()
    out, _ = add(code, q, k, v, np.array([6, 6, 6, 3]), 1.0)
    assert code.run() is None
    assert np.isnan(out[:2]).all()
    assert np.isnan(out[2, 0, 0]).tolist() == [False] * 3 + [True] + [False] * 4
    found: Any = GraphAttentionOp.compute(q[3:], k[3:, :, :3], v[3:, :, :3], scale=1.0)
    np.testing.assert_allclose(out[3:], found[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("target", slow_but(TARGETS, "cpu"))
def test_later_queries_see_more_keys(target: str) -> None:
    """With a length, the last one sees all that is valid; else the first sees one."""
    draw = np.random.default_rng(0).standard_normal
    q, k, v = (draw((3, 2, n, 8), np.float32) for n in (3, 9, 9))
    lengths, code = np.array([2, 9, 40]), MemoryCode(target)
    cases: list[tuple[Array, Array]] = []
    for valid, reach in ((lengths, 0), (None, 0), (lengths, 1), (None, 4), (None, -1)):
        want = GraphAttentionOp.compute(
            q, k, v, valid_length=valid, scale=1.0, right_window_size=reach
        )[0]
        out, scratch = np.full_like(want, np.nan), np.empty(9, np.float32)
        given = None if valid is None else code.buffer(valid)
        first, last = (q, k, v), (scratch, out)
        code.add(
            DecodeAttentionOp(
                *map(code.buffer, first),
                given,
                *map(code.buffer, last),
                scale=1.0,
                right_window_size=reach,
            )
        )
        cases.append((out, want))
    assert code.run() is None
    for out, want in cases:
        np.testing.assert_allclose(out, want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("target", slow_but(TARGETS, "cpu"))
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_results_of_16_bits_are_rounded_once(target: str, dtype: str) -> None:
    draw = np.random.default_rng(0).standard_normal
    shapes = ((2, 4, 1, 40), (2, 2, 37, 40), (2, 2, 37, 19))
    given = [draw(shape).astype(dtype_named(dtype)) for shape in shapes]
    code, lengths = MemoryCode(target), np.array([37, 5])
    out, _ = add(code, *given, lengths, 0.25)
    wide = [array.astype(np.float64) for array in given]
    want = GraphAttentionOp.compute(*wide, valid_length=lengths, scale=0.25)[0]
    assert code.run() is None
    bits = {"float16": 11, "bfloat16": 8}[dtype]
    np.testing.assert_allclose(out.astype(float), want, 1.01 * 2.0**-bits, 1e-5)
