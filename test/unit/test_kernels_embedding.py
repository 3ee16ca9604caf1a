"""Machine code of embedding bags against the meaning of the graph ops."""

from typing import Any

import numpy as np
import pytest
from grids import cross
from memory_code import Array, MemoryCode
from xdsl.utils.exceptions import PassFailedException

from glow.dialects.graph.embedding import (
    MODES,
    EmbeddingBagOp,
    EmbeddingOp,
    SparseLengthsSumOp,
)
from glow.support.dtypes import dtype_named

pytestmark = pytest.mark.slow

TARGETS = ("cpu", "cpu:avx2", "cpu:sse2")
WIDTHS = (1, 7, 24, 64, 100, 530)
RNG = np.random.default_rng(0)


def add(
    code: MemoryCode,
    table: Array,
    indices: Array,
    offsets: Array | None = None,
    lengths: Array | None = None,
    weights: Array | None = None,
    out: Array | None = None,
    mode: str = "sum",
    **parameters: Any,
) -> tuple[Array, Array]:
    """Add a call to `code`; return its result and what is expected of that."""
    if lengths is not None:
        op, ins = SparseLengthsSumOp, (table, indices, lengths, weights)
    else:
        op, ins = EmbeddingBagOp, (table, indices, offsets, weights)
    want = op.compute(*ins, mode=mode, **parameters)
    out = np.full(want.shape, np.nan, want.dtype) if out is None else out
    code.apply(op, ins, [out], mode=mode, **parameters)
    return out, want


def check(code: MemoryCode, cases: list[tuple[Array, Array]]) -> None:
    assert code.run() is None
    for out, want in cases:
        np.testing.assert_allclose(out, want, rtol=1e-5, atol=1e-5)


def normal(*shape: int, dtype: Any = np.float32) -> Array:
    return RNG.standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("target", TARGETS)
def test_bags_of_every_kind(target: str) -> None:
    """Rows shorter and longer than registers hold, empty bags, and padding."""
    code, cases = MemoryCode(target), []
    for number, width in enumerate(WIDTHS):
        mode, dtype = MODES[number % 3], (np.float32, np.float64)[number % 2]
        table = normal(20, width, dtype=dtype)
        integer = (np.int64, np.int32)[number // 2 % 2]
        even = RNG.integers(-20, 20, (3, 5)).astype(integer)
        listed, weights = even.reshape(-1), normal(3, 5, dtype=dtype)
        lengths = np.array([0, 6, 0, 9, 0], integer)
        starts = np.array([0, 0, 6, 6, 14], np.int32)
        flat, plain = weights.reshape(-1), {"mode": mode}
        padded = plain | {"padding_idx": int(even[0, 0])}
        if number % 2:
            plain, padded = padded, plain
        cases += [
            add(code, table, even, **plain),
            add(code, table, even, weights=weights, **padded),
            add(code, table, listed, lengths=lengths, **padded),
            add(code, table, listed, lengths=lengths, weights=flat, **plain),
            add(code, table, listed, offsets=starts, **plain),
        ]
        last = {"include_last_offset": True, "mode": mode}
        cases.append(add(code, table, listed, offsets=starts, **last))
    check(code, cases)


def test_views_of_tables_lists_and_results() -> None:
    code, cases = MemoryCode(), []
    table, indices = normal(20, 64), RNG.integers(0, 10, (40,))
    weights = normal(40)
    lengths = np.array([3, 99, 0, 99, 7, 99])[::2]
    wide, deep = normal(3, 256), normal(2, 5, 256)
    for given in (table, table[::2], table[:, 8:40], table[:, ::3], table[::-1]):
        picked, factors = indices[::4], weights[::-4]
        out = wide[:, 8 : 8 + given.shape[1]]
        cases.append(
            add(code, given, picked, lengths=lengths, weights=factors, out=out)
        )
        out = wide[:, 200 - given.shape[1] : 200][::-1]
        cases.append((out, add(code, given, picked, lengths=lengths, out=out)[1]))
        check(code, cases[-1:])
        code, cases = MemoryCode(), []
    grid = indices.reshape(2, 5, 4)
    check(code, [add(code, table, grid, out=deep[:, :, 64:128])])


def test_a_bag_of_one_is_its_row_bit_for_bit() -> None:
    table = np.array([[-0.0, np.inf, 0], [np.nan, -np.inf, 1e-40]], np.float32)
    code = MemoryCode()
    indices = np.array([[1], [0], [-1]])
    out, _ = add(code, table, indices, mode="max")
    assert code.run() is None
    want = EmbeddingOp.compute(table, indices[:, 0])
    np.testing.assert_array_equal(out, want)
    np.testing.assert_array_equal(np.signbit(out), np.signbit(want))


@pytest.mark.parametrize("mode", MODES)
def test_a_row_that_is_not_finite_reaches_its_bag_only(mode: str) -> None:
    table = normal(4, 20)
    table[1, 3], table[2, 4] = np.nan, -np.inf
    code = MemoryCode()
    indices = np.array([[0, 1], [2, 2], [3, 1]])
    cases = [add(code, table, indices, mode=mode, padding_idx=p) for p in (0, 1, 2)]
    check(code, cases)


@pytest.mark.parametrize("index", [5, -6, 2**40, 2**63 - 1, -(2**63)])
def test_an_index_out_of_range_is_a_fault(index: int) -> None:
    table, indices = normal(5, 40), np.array([[4, 3], [-5, 1]])
    code = MemoryCode()
    out, want = add(code, table, indices)
    run = code.compile()
    indices[0, 1] = index
    assert "expected an index in [-5, 4]" in run()
    indices[0, 1] = 3
    assert run() is None
    np.testing.assert_allclose(out, want, rtol=1e-6)


@pytest.mark.parametrize(
    "wrong",
    [[1, 2, 3], [0, 5, 2], [0, 2, 8], [0, -1, 3], [0, 2**62, 3], [0, 3, -(2**63)]],
)
@pytest.mark.parametrize("last", [False, True])
def test_offsets_that_do_not_fit_are_a_fault(wrong: list[int], last: bool) -> None:
    table, indices, offsets = normal(5, 40), np.arange(7) % 5, np.array([0, 2, 7])
    code = MemoryCode()
    out, want = add(code, table, indices, offsets=offsets, include_last_offset=last)
    run = code.compile()
    assert run() is None
    np.testing.assert_allclose(out, want, rtol=1e-6)
    offsets[:] = wrong
    assert "expected offsets that rise from 0 to at most 7" in run()
    with pytest.raises(IndexError, match="expected offsets that rise from 0 to at mos"):
        EmbeddingBagOp.compute(table, indices, offsets, include_last_offset=last)


@pytest.mark.parametrize(
    "wrong", [[2, 3, 3], [2, 2, 2], [-1, 4, 4], [2**63 - 1, 2**63 - 1, 9], [7, 1, -1]]
)
def test_lengths_that_do_not_add_up_are_a_fault(wrong: list[int]) -> None:
    table, indices, lengths = normal(5, 40), np.arange(7) % 5, np.array([2, 4, 1])
    code = MemoryCode()
    out, want = add(code, table, indices, lengths=lengths)
    run = code.compile()
    assert run() is None
    np.testing.assert_allclose(out, want, rtol=1e-6)
    lengths[:] = wrong
    message = "expected lengths of 0 or more that add up to 7"
    assert message in run()
    with pytest.raises(IndexError, match=message):
        SparseLengthsSumOp.compute(table, indices, lengths)


def test_nothing_can_be_picked_of_nothing() -> None:
    code, table, indices = MemoryCode(), np.zeros((0, 3)), np.zeros((2, 1), np.int64)
    code.apply(EmbeddingBagOp, [table, indices], [np.zeros((2, 3))])
    assert "expected an index in [0, -1]" in (code.run() or "")


def test_indices_that_are_no_list_are_refused() -> None:
    code, indices = MemoryCode(), np.zeros((4, 4), np.int64)[:, ::2]
    code.apply(EmbeddingBagOp, [normal(5, 8), indices], [np.zeros((4, 8), np.float32)])
    with pytest.raises(PassFailedException, match="in a list or row-major, got memref"):
        code.loops()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize(("target", "mode"), cross(TARGETS, MODES))
def test_sums_of_16_bits_are_rounded_once(target: str, dtype: str, mode: str) -> None:
    code, cases = MemoryCode(target), list[tuple[Array, Array]]()
    for width in WIDTHS:
        table = normal(20, width).astype(dtype_named(dtype))
        weights = normal(3, 5).astype(dtype_named(dtype))
        indices = RNG.integers(-20, 20, (3, 5))
        out, _ = add(code, table, indices, weights=weights, mode=mode)
        wide = table.astype(np.float64), indices, None, weights.astype(np.float64)
        cases.append((out, EmbeddingBagOp.compute(*wide, mode=mode)))
    assert code.run() is None
    bits = {"float16": 11, "bfloat16": 8}[dtype]
    for out, want in cases:
        np.testing.assert_allclose(out.astype(float), want, 1.01 * 2.0**-bits, 1e-5)
