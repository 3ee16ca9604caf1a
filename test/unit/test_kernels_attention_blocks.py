"""Machine code of attention in blocks against the meaning of the graph op."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_code import Array, MemoryCode

from glow.dialects.graph.attention import AttentionOp as GraphAttentionOp
from glow.dialects.memory.attention import AttentionOp, is_by_query, room_of
from glow.lowering.tiles import blocks_of
from glow.support.dtypes import dtype_named
from glow.support.targets import target_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),  # NumPy's, of inf
]

TARGETS = ("cpu", "cpu:sse2", "cpu:avx2")


@dataclass(frozen=True)
class Case:
    """An attention: shapes, and what changes scores; masks and biases broadcast."""

    batch: int = 1
    heads: int = 1
    kv_heads: int = 1
    length: int = 1
    total: int = 1
    elements: int = 8
    width: int = 8
    mask: tuple[int, ...] | None = None
    bias: tuple[int, ...] | None = None
    lengths: Any = None
    window: tuple[int, int] = (-1, -1)
    softcap: float = 0.0
    masked_score: float = -inf
    unseen: str = "zero"
    key_block: int | None = None
    joins_heads: bool | None = None
    is_flat: bool = False
    """Whether heads lie within the last axis of what is in memory."""

    def arrays(self, rng: np.random.Generator) -> list[Array]:
        """Return query, key and value."""
        found: list[Array] = []
        for heads, length, size in (
            (self.heads, self.length, self.elements),
            (self.kv_heads, self.total, self.elements),
            (self.kv_heads, self.total, self.width),
        ):
            shape = (self.batch, heads, length, size)
            if self.is_flat:
                shape = (self.batch, length, heads, size)
            array = rng.standard_normal(shape, np.float32)
            found.append(array.transpose(0, 2, 1, 3) if self.is_flat else array)
        return found


def add(code: MemoryCode, case: Case, given: list[Array]) -> tuple[Array, Array]:
    """Append one attention; return where its result goes, and what that should be."""
    rng = np.random.default_rng(1)
    mask = None if case.mask is None else rng.random(case.mask) < 0.6
    bias = None
    if case.bias is not None:
        bias = rng.standard_normal(case.bias, np.float32)
        bias[rng.random(case.bias) < 0.2] = -inf
    lengths = None if case.lengths is None else np.asarray(case.lengths)
    left, right = case.window
    want = GraphAttentionOp.compute(
        *given,
        mask,
        bias,
        None,
        None,
        lengths,
        scale=0.5,
        softcap=case.softcap,
        left_window_size=left,
        right_window_size=right,
        masked_score=case.masked_score,
        unseen=case.unseen,
    )[0]
    out = np.full(want.shape, np.nan, given[0].dtype)
    if case.is_flat:
        out = np.ascontiguousarray(out.transpose(0, 2, 1, 3)).transpose(0, 2, 1, 3)
    group = case.heads // case.kv_heads
    target, is_windowed = target_of(code.target), case.window != (-1, -1)
    blocks = blocks_of(target, group, case.length, case.total, is_windowed)
    joins = blocks.joins_heads if case.joins_heads is None else case.joins_heads
    keys = case.key_block or blocks.keys
    spread = (a is not None and is_by_query(a.shape, joins) for a in (mask, bias))
    is_narrow = given[1].dtype.itemsize == 2
    sizes = case.elements, case.width
    room = room_of(blocks.queries, keys, *sizes, *spread, is_narrow)
    scratch = np.full(room["size"], np.nan, np.float32)
    names = ("query", "key", "value", "mask", "bias", "valid_length")
    arrays = dict(zip(names, (*given, mask, bias, lengths), strict=True))
    buffers = {n: code.buffer(a) for n, a in arrays.items() if a is not None}
    code.add(
        AttentionOp(
            **buffers,
            scratch=code.buffer(scratch),
            result=code.buffer(out),
            scale=0.5,
            query_block=blocks.queries,
            key_block=keys,
            softcap=case.softcap,
            left_window_size=case.window[0],
            right_window_size=case.window[1],
            masked_score=case.masked_score,
            unseen=case.unseen,
            joins_heads=joins,
        )
    )
    return out, want


def check(cases: list[Case], target: str) -> None:
    """Run all as one program."""
    rng, code = np.random.default_rng(0), MemoryCode(target)
    found = [add(code, case, case.arrays(rng)) for case in cases]
    assert code.run() is None
    for case, (out, want) in zip(cases, found, strict=True):
        np.testing.assert_allclose(out, want, rtol=1e-5, atol=1e-5, err_msg=str(case))


@pytest.mark.parametrize("target", TARGETS)
def test_any_shape(target: str) -> None:
    """Blocks that are full and not, several of them, and what no panel divides."""
    shapes = ((1, 1, 5, 1), (3, 1, 16, 17), (4, 2, 65, 9), (2, 2, 100, 200))
    sizes = ((8, 8), (64, 64), (7, 19), (1, 1), (80, 40))
    check(
        [
            Case(2, heads, kv_heads, length, total, *sizes[(i + j) % 5], key_block=keys)
            for i, (heads, kv_heads, length, total) in enumerate(shapes)
            for j, keys in enumerate((None, 8))
        ],
        target,
    )


BASE: dict[str, Any] = {
    "batch": 2,
    "heads": 4,
    "kv_heads": 2,
    "length": 11,
    "total": 21,
    "key_block": 10,
}

FORMS = (
    Case(**BASE, mask=(11, 21)),
    Case(**BASE, mask=(2, 1, 1, 21), masked_score=-1e4),
    Case(**BASE, mask=(2, 4, 11, 1), unseen="nan"),
    Case(**BASE, mask=(4, 11, 21), bias=(21,), masked_score=3.0, joins_heads=True),
    Case(**BASE, bias=(2, 1, 11, 21), joins_heads=False, softcap=1.5),
    Case(**BASE, bias=(4, 1, 1), unseen="nan_to_zero", joins_heads=True),
    Case(**BASE, lengths=[-3, 13]),
    Case(**BASE, lengths=[5, 30], window=(-1, 0), bias=(1, 21)),
    Case(**BASE, window=(2, 1), unseen="nan"),
    Case(**BASE, window=(0, 0), joins_heads=True, is_flat=True),
    Case(**BASE, lengths=[5, 21], window=(3, -1), mask=(1, 21), unseen="nan"),
)


@pytest.mark.parametrize(
    "target", ["cpu", *(pytest.param(t, marks=pytest.mark.full) for t in TARGETS[1:])]
)
def test_what_changes_scores(target: str) -> None:
    check(list(FORMS), target)


def test_what_is_not_finite_spreads_and_what_is_not_valid_does_not() -> None:
    draw = np.random.default_rng(0).standard_normal
    q, k, v = (draw((4, 1, n, 8), np.float32) for n in (5, 6, 6))
    k[0, 0, 2, 1] = np.nan
    k[1, 0, 1], q[1] = np.inf, 1
    v[2, 0, 0, 3] = np.nan
    k[3, 0, 3:], v[3, 0, 3:] = np.nan, np.nan
    code = MemoryCode()
    case = Case(4, length=5, total=6, lengths=[6, 6, 6, 3])
    out, _ = add(code, case, [q, k, v])
    assert code.run() is None
    assert np.isnan(out[:2]).all()
    assert np.isnan(out[2, 0, 0]).tolist() == [False] * 3 + [True] + [False] * 4
    found: Any = GraphAttentionOp.compute(q[3:], k[3:, :, :3], v[3:, :, :3], scale=0.5)
    np.testing.assert_allclose(out[3:], found[0], rtol=1e-5, atol=1e-6)


def test_scores_of_any_size_are_weighed() -> None:
    """What is summed up first may be far below, or above, what comes later."""
    draw = np.random.default_rng(0).standard_normal
    q, k, v = (draw((2, 1, n, 8), np.float32) for n in (9, 40, 40))
    k *= np.linspace(1, 300, 40, dtype=np.float32)[:, np.newaxis]
    k[1] = k[1, :, ::-1]
    code = MemoryCode()
    out, want = add(code, Case(2, length=9, total=40, key_block=8), [q, k, v])
    assert code.run() is None
    np.testing.assert_allclose(out, want, rtol=1e-4, atol=1e-5)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw an attention whose masks and biases broadcast in any way."""
    sizes = st.integers(1, 70)
    kv_heads, group = draw(st.integers(1, 2)), draw(st.integers(1, 3))
    batch, length, total = draw(st.integers(1, 2)), draw(sizes), draw(sizes)
    scores = (batch, kv_heads * group, length, total)

    def spread() -> tuple[int, ...] | None:
        if not draw(st.booleans()):
            return None
        shape = [draw(st.sampled_from((1, n))) for n in scores]
        return tuple(shape[draw(st.integers(0, 3)) :])

    lengths = st.lists(st.integers(-2, total + 3), min_size=batch, max_size=batch)
    ends = st.sampled_from((-1, -1, 0, 1, 5, 40))
    return Case(
        batch,
        kv_heads * group,
        kv_heads,
        length,
        total,
        draw(st.sampled_from((1, 8, 17, 32))),
        draw(st.sampled_from((1, 8, 17, 32))),
        spread(),
        spread(),
        draw(st.none() | lengths),
        (draw(ends), draw(ends)),
        draw(st.sampled_from((0.0, 0.0, 2.0))),
        draw(st.sampled_from((-inf, -1e4))),
        draw(st.sampled_from(("zero", "nan", "nan_to_zero"))),
        draw(st.sampled_from((None, 1, 16))),
        draw(st.sampled_from((None, True, False))),
        draw(st.booleans()),
    )


@given(case=cases())
@settings(max_examples=2, deadline=None)
def test_random_attentions(case: Case) -> None:
    check([case], "cpu")


@pytest.mark.full
@pytest.mark.parametrize("target", TARGETS)
@given(case=cases())
@settings(max_examples=100, deadline=None)
def test_many_random_attentions(target: str, case: Case) -> None:
    check([case], target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_results_of_16_bits_are_rounded_once(target: str, dtype: str) -> None:
    case = Case(heads=4, kv_heads=2, length=35, total=150, elements=40, width=24)
    arrays = case.arrays(np.random.default_rng(0))
    given = [array.astype(dtype_named(dtype)) for array in arrays]
    code = MemoryCode(target)
    out, _ = add(code, case, given)
    wide = [array.astype(np.float64) for array in given]
    want = GraphAttentionOp.compute(*wide, scale=0.5)[0]
    assert code.run() is None
    bits = {"float16": 11, "bfloat16": 8}[dtype]
    np.testing.assert_allclose(out.astype(float), want, 1.01 * 2.0**-bits, 1e-5)
