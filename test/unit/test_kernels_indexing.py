"""Machine code of gathers and index searches against the meaning of the graph ops."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from memory_code import Array, MemoryCode

from glow.dialects.graph.indexing import GatherOp
from glow.dialects.graph.reduction import ArgMaxOp, ArgMinOp

pytestmark = pytest.mark.slow

TARGETS = ("cpu", "cpu:avx2", "cpu:sse2")


def add_gather(
    code: MemoryCode, data: Array, indices: Array, axis: int
) -> tuple[Array, Array]:
    want = np.take(data, indices, axis=axis)
    out = np.zeros(want.shape, data.dtype)
    code.apply(GatherOp, [data, indices], [out], axis=axis)
    return out, want


@pytest.mark.parametrize("target", TARGETS)
def test_gather_along_every_axis(target: str) -> None:
    code, cases = MemoryCode(target), []
    data = np.arange(4 * 5 * 37, dtype=np.float32).reshape(4, 5, 37)
    several = np.array([[3, -1, 0], [2, 1, -4]], np.int64)
    for indices in (several, several.astype(np.int32), np.array(-2), several[::-1, :2]):
        cases += [add_gather(code, data, indices, axis) for axis in range(3)]
        cases.append(add_gather(code, data[::-1, 1:4, ::2], indices % 3, 1))
        cases.append(add_gather(code, data[:, :, 0], indices, 1))
        cases.append(add_gather(code, data[0, 0], indices, 0))
    cases.append(add_gather(code, data, np.zeros((0, 2), np.int64), 1))
    cases.append(add_gather(code, data[:, :0], np.zeros(3, np.int64), 2))
    assert code.run() is None
    for out, want in cases:
        np.testing.assert_array_equal(out, want)


@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.int64, np.bool_])
def test_gather_of_every_type(dtype: Any) -> None:
    code = MemoryCode()
    data = (np.arange(200) % 3).astype(dtype).reshape(10, 20)
    indices = np.array([9, 0, -3])
    cases = [add_gather(code, data, indices, axis) for axis in (0, 1)]
    assert code.run() is None
    for out, want in cases:
        np.testing.assert_array_equal(out, want)


@pytest.mark.parametrize("index", [5, -6, 2**40, -(2**63)])
def test_an_index_out_of_range_is_a_fault(index: int) -> None:
    data, out = np.arange(10.0).reshape(5, 2), np.zeros((3, 2))
    indices = np.array([4, index, -5])
    code = MemoryCode()
    code.apply(GatherOp, [data, indices], [out], axis=0)
    run = code.compile()
    assert "expected an index in [-5, 4]" in run()
    np.testing.assert_array_equal(out, data[[4, 0, 0]])
    indices[1] = 3
    assert run() is None
    np.testing.assert_array_equal(out, data[[4, 3, 0]])


def test_nothing_can_be_picked_of_nothing() -> None:
    code = MemoryCode()
    data, indices, out = np.zeros((0, 3)), np.zeros(2, np.int64), np.zeros((2, 3))
    code.apply(GatherOp, [data, indices], [out], axis=0)
    assert "expected an index in [0, -1]" in (code.run() or "")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("last", [False, True])
def test_arg_reduce(target: str, last: bool) -> None:
    """Ties, NaN, every axis, every type, any strides."""
    rng = np.random.default_rng(0)
    code, cases = MemoryCode(target), []
    floats = rng.integers(0, 6, (5, 40, 33)).astype(np.float32)
    holes = floats.copy()
    holes[rng.random(holes.shape) < 0.2] = np.nan
    wild = np.full((3, 20), -np.inf, np.float32)
    wild[1:, 1::3], wild[2, 5::4] = np.nan, np.inf
    long = rng.integers(-40, 40, (4, 203)).astype(np.float32)
    long[1, 3::7], long[2, 0] = np.nan, np.nan
    for x in (
        floats,
        holes,
        wild,
        -wild,
        long,
        long[:3].T,
        np.nan_to_num(long).astype(np.int64),
        floats.astype(np.float64),
        floats.astype(np.int32)[:, :7],
        floats.astype(np.int64)[::-1, ::3, 2:20],
        np.moveaxis(floats, 0, 1),
        floats[:, :1],
    ):
        for op, kept in product((ArgMaxOp, ArgMinOp), (False, True)):
            for axis in range(-1, x.ndim):
                named = {"axis": axis, "keepdims": kept, "select_last_index": last}
                want = op.compute(x, **named)
                out = np.full(want.shape, -1, np.int64)
                code.apply(op, [x], [out], **named)
                cases.append((out, want))
    assert code.run() is None
    for out, want in cases:
        np.testing.assert_array_equal(out, want)
