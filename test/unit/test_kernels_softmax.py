"""Machine code of softmax against the meaning of the graph ops."""

from typing import Any

import numpy as np
import pytest
from memory_code import Array, MemoryCode

from glow.dialects.graph import along_axis

pytestmark = pytest.mark.slow

TARGETS = ("cpu", "cpu:avx2", "cpu:sse2")


def random(*shape: int, dtype: Any = np.float32) -> Array:
    rng = np.random.default_rng(sum(shape))
    return (5 * rng.standard_normal(shape)).astype(dtype)


def op_of(log: bool) -> type[along_axis.AlongAxisOp]:
    return along_axis.LogSoftmaxOp if log else along_axis.SoftmaxOp


def meaning(x: Array, axis: int, log: bool) -> Array:
    with np.errstate(all="ignore"):
        return op_of(log).compute(x.astype(np.float64), axis=axis)


def add(code: MemoryCode, x: Array, axis: int, log: bool) -> tuple[Array, Array]:
    out = np.zeros(x.shape, x.dtype)
    code.apply(op_of(log), [x], [out], axis=axis)
    return out, meaning(x, axis, log)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("log", [False, True])
def test_every_axis(target: str, log: bool) -> None:
    code, cases = MemoryCode(target), []
    for x in (
        random(3, 5, 67),
        random(2, 100, 3),
        random(1, 1, 1),
        random(4, 16, 1),
        random(0, 4, 3),
        random(6, 40, 33)[::-1, ::2, 3:20],
        np.moveaxis(random(2, 6, 36), -1, 1),
        random(2, 3, 37, dtype=np.float64),
    ):
        cases += [add(code, x, axis, log) for axis in range(3)]
    assert code.run() is None
    for out, want in cases:
        np.testing.assert_allclose(out, want, rtol=4e-6, atol=1e-6 if log else 1e-12)


@pytest.mark.parametrize("target", TARGETS)
def test_lines_shorter_than_a_vector(target: str) -> None:
    """Vectors take a lane of each of several lines; alone, a line gives the same."""
    for extent in (2, 15):
        x = random(53, extent + 3)[:, :extent]
        code, alone = MemoryCode(target), MemoryCode(target)
        out, want = add(code, x, 1, False)
        lines = [add(alone, x[i : i + 1], 1, False)[0] for i in range(3)]
        assert code.run() is None
        assert alone.run() is None
        np.testing.assert_allclose(out, want, rtol=4e-6, atol=1e-12)
        np.testing.assert_allclose(out[:3], np.concatenate(lines), rtol=4e-6)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("log", [False, True])
def test_infinities_nan_and_extremes(axis: int, log: bool) -> None:
    """Masked elements are exactly 0; of nothing but -infinity, NaN comes out."""
    x = random(40, 40)
    x[np.triu_indices(40, 1)] = -np.inf
    lines = x if axis else x.T
    lines[3], lines[4, 5], lines[5, 6] = -np.inf, np.inf, np.nan
    lines[6], lines[7] = np.finfo(np.float32).min, 3e38
    lines[8, ::2] = np.finfo(np.float32).min
    x = np.ascontiguousarray(x)
    code = MemoryCode()
    out, want = add(code, x, axis, log)
    assert code.run() is None
    np.testing.assert_allclose(out, want, rtol=4e-6, atol=1e-6 if log else 1e-30)
    assert log or ((out == 0) | (out > 1e-38) | np.isnan(out)).all()


def test_in_place() -> None:
    x = random(9, 50)
    want = [meaning(x, axis, log) for axis in (0, 1) for log in (False, True)]
    arrays = [x.copy() for _ in want]
    code = MemoryCode()
    for i, array in enumerate(arrays):
        code.apply(op_of(bool(i % 2)), [array], [array], axis=i // 2)
    assert code.run() is None
    np.testing.assert_allclose(arrays, want, rtol=4e-6, atol=1e-6)
