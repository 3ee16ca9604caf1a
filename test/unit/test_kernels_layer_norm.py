"""Machine code of layer normalisation against the meaning of the graph op."""

from typing import Any

import numpy as np
import pytest
from memory_code import Array, MemoryCode

from glow.dialects.graph import normalization
from glow.dialects.memory.normalization import LayerNormOp

pytestmark = pytest.mark.slow

TARGETS = ("cpu", "cpu:avx2", "cpu:sse2")
EPSILON = 1e-3


def random(*shape: int, dtype: Any = np.float32) -> Array:
    rng = np.random.default_rng(sum(shape))
    return (2 * rng.standard_normal(shape) + 1).astype(dtype)


class Cases:
    """Normalisations that are compiled together."""

    def __init__(self, target: str = "cpu"):
        self.code = MemoryCode(target)
        self.expected: list[tuple[Array, Array]] = []

    def add(
        self,
        x: Array,
        axis: int,
        scale: Array | None,
        bias: Array | None,
        statistics: bool = False,
    ) -> None:
        one = np.ones((), np.float64)
        wide = [None if a is None else a.astype(np.float64) for a in (x, scale, bias)]
        with np.errstate(all="ignore"):
            want = normalization.LayerNormOp.compute(
                wide[0],
                one if wide[1] is None else wide[1],
                wide[2],
                axis=axis,
                epsilon=EPSILON,
                with_statistics=statistics,
            )
        outs = [np.zeros(array.shape, x.dtype) for array in want]
        buffers = [
            None if a is None else self.code.buffer(a) for a in (x, scale, bias, *outs)
        ]
        self.code.add(LayerNormOp(*buffers, axis=axis, epsilon=EPSILON))
        self.expected += zip(outs, want, strict=True)

    def check(self) -> None:
        assert self.code.run() is None
        for out, want in self.expected:
            rtol = 1e-10 if out.dtype == np.float64 else 5e-6
            np.testing.assert_allclose(out, want, rtol, rtol)


@pytest.mark.parametrize("target", TARGETS)
def test_shapes_and_optional_operands(target: str) -> None:
    cases = Cases(target)
    for shape in ((6, 67), (1, 64), (3, 1), (5, 130)):
        x, scale, bias = random(*shape), random(shape[1]), random(1, shape[1])
        cases.add(x, 1, scale, bias)
        cases.add(x, 1, scale, None, statistics=True)
        cases.add(x, 1, None, bias)
        cases.add(x, 1, None, None)
    cases.add(random(0, 4), 1, None, None)
    cases.check()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_statistics_of_nothing_are_nan(dtype: Any) -> None:
    cases = Cases()
    for shape, axis in (((3, 0), 1), ((0, 2), 0), ((2, 0, 3), 1)):
        cases.add(np.zeros(shape, dtype), axis, None, None, statistics=True)
    cases.check()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_several_axes_and_any_strides(dtype: Any) -> None:
    """Scales that broadcast, slices, other orders in memory."""
    cases = Cases()
    x = random(3, 4, 5, 6, dtype=dtype)
    for axis in range(4):
        cases.add(x, axis, random(6, dtype=dtype), None, statistics=True)
        cases.add(x, axis, random(1, dtype=dtype), random(5, 1, dtype=dtype))
    cases.add(x[::-1, ::2, 1:4, ::-1], 2, random(3, 6, dtype=dtype), None)
    cases.add(x.transpose(0, 3, 2, 1), 1, random(6, 5, 4, dtype=dtype), None)
    cases.add(np.moveaxis(random(2, 7, 40, dtype=dtype), -1, 1), 2, None, None)
    cases.check()


def test_a_large_mean_does_not_blur_the_variance() -> None:
    cases = Cases()
    x = random(4, 999) + np.float32(1000)
    cases.add(x, 1, None, None)
    assert cases.code.run() is None
    out, want = cases.expected[0]
    np.testing.assert_allclose(out, want, atol=2e-4)


def test_in_place() -> None:
    x = random(5, 77)
    want = normalization.LayerNormOp.compute(x, np.float32(1), epsilon=EPSILON)[0]
    code = MemoryCode()
    buffer = code.buffer(x)
    code.add(LayerNormOp(buffer, None, None, buffer, axis=1, epsilon=EPSILON))
    assert code.run() is None
    np.testing.assert_allclose(x, want, rtol=1e-5, atol=1e-5)
