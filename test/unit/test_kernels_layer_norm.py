"""Machine code of layer normalization against the meaning of the graph op."""

from typing import Any

import numpy as np
import pytest
from memory_code import Array, MemoryCode

from glow.dialects.graph.layer_norm import LayerNormOp, RmsNormOp
from glow.dialects.graph.normalization import GroupNormOp, InstanceNormOp

pytestmark = pytest.mark.slow

TARGETS = ("cpu", "cpu:avx2", "cpu:sse2")
EPSILON = 1e-3


def random(*shape: int, dtype: Any = np.float32) -> Array:
    rng = np.random.default_rng(sum(shape))
    return (2 * rng.standard_normal(shape) + 1).astype(dtype)


class Cases:
    """Normalizations that are compiled together."""

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
        wide = [None if a is None else a.astype(np.float64) for a in (x, scale, bias)]
        with np.errstate(all="ignore"):
            want = LayerNormOp.compute(
                wide[0],
                *wide[1:],
                axis=axis,
                epsilon=EPSILON,
                with_statistics=statistics,
            )
        measured = [np.zeros(array.shape, x.dtype) for array in want[1:]]
        outs = [np.zeros_like(x), *measured]
        parameters = {"axis": axis, "epsilon": EPSILON, "with_statistics": statistics}
        ins = [x, scale, bias]
        self.code.apply(LayerNormOp, ins, [outs[0], measured], **parameters)
        self.expected += zip(outs, want, strict=True)

    def add_rms(self, x: Array, axis: int, scale: Array | None) -> None:
        wide = [None if a is None else a.astype(np.float64) for a in (x, scale)]
        want = RmsNormOp.compute(*wide, axis=axis, epsilon=EPSILON)
        out = np.zeros(x.shape, x.dtype)
        self.code.apply(RmsNormOp, [x, scale], [out], axis=axis, epsilon=EPSILON)
        self.expected.append((out, want))

    def add_channels_last(self, x: Array, scale: Array | None, bias: Array | None):
        """Normalize the places of each channel of [N, ..., C], into a result alike."""
        groups = np.moveaxis(x, -1, 1)
        out = np.moveaxis(np.zeros_like(x), -1, 1)
        wide = [None if a is None else a.astype(np.float64) for a in (scale, bias)]
        want = LayerNormOp.compute(
            groups.astype(np.float64), *wide, axis=2, epsilon=EPSILON
        )
        ins = [groups, scale, bias]
        self.code.apply(LayerNormOp, ins, [out], axis=2, epsilon=EPSILON)
        self.expected.append((out, want[0]))

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
    want = LayerNormOp.compute(x, epsilon=EPSILON)[0]
    code = MemoryCode()
    code.apply(LayerNormOp, [x], [x], axis=1, epsilon=EPSILON)
    assert code.run() is None
    np.testing.assert_allclose(x, want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("target", TARGETS)
def test_root_mean_square(target: str) -> None:
    cases = Cases(target)
    for shape in ((6, 67), (1, 64), (3, 1), (5, 130), (0, 4)):
        cases.add_rms(random(*shape), 1, random(shape[1]))
        cases.add_rms(random(*shape), 1, None)
    x = random(3, 4, 5, 6)
    cases.add_rms(x, 2, random(5, 1))
    cases.add_rms(x.transpose(0, 3, 2, 1), 1, random(6, 5, 4))
    cases.add_rms(np.moveaxis(random(2, 7, 40), -1, 1), 2, random(40, 1))
    cases.check()


@pytest.mark.parametrize("target", TARGETS)
def test_lanes_across_channels(target: str) -> None:
    """Channels fewer than lanes, as many, some more; parameters of any kind."""
    cases = Cases(target)
    for channels in (1, 3, 8, 16, 35):
        x = random(2, 3, 5, channels)
        scale, bias = random(channels, 1, 1), random(1, channels, 1, 1)
        cases.add_channels_last(x, scale, bias)
        cases.add_channels_last(x, None, bias)
        cases.add_channels_last(x, random(1), random(3, 5))
        cases.add_channels_last(x, None, None)
    cases.add_channels_last(random(2, 9, 20, dtype=np.float64), None, None)
    cases.check()


@pytest.mark.parametrize("target", TARGETS)
def test_statistics_across_channels(target: str) -> None:
    cases = Cases(target)
    x = np.moveaxis(random(2, 7, 40), -1, 1)
    cases.add(x, 2, random(40, 1), None, statistics=True)
    cases.check()


def test_in_place_across_channels() -> None:
    x = np.moveaxis(random(2, 9, 40), -1, 1)
    want = LayerNormOp.compute(x, axis=2, epsilon=EPSILON)[0]
    code = MemoryCode()
    code.apply(LayerNormOp, [x], [x], axis=2, epsilon=EPSILON)
    assert code.run() is None
    np.testing.assert_allclose(x, want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("channels_last", [False, True])
def test_groups_of_channels(target: str, channels_last: bool) -> None:
    """Each channel alone, and several; in place where the result is the input."""
    code, cases = MemoryCode(target), []
    scale, bias = random(12), random(12)
    for shape in ((2, 12, 5, 7), (1, 12, 40), (2, 12)):
        x = random(*shape)
        if channels_last:
            x = np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 1, -1)), -1, 1)
        for op, groups in ((InstanceNormOp, None), (GroupNormOp, 3), (GroupNormOp, 12)):
            named: dict[str, Any] = {"epsilon": EPSILON}
            named |= {} if groups is None else {"num_groups": groups}
            for ins in ([x, scale, bias], [x, None, bias], [x, scale], [x]):
                want, out = op.compute(*ins, **named), np.copy(x, order="K")
                code.apply(op, [out, *ins[1:]], [out], **named)
                cases.append((out, want))
    assert code.run() is None
    for out, want in cases:
        np.testing.assert_allclose(out, want, 2e-5, 2e-5)
