"""Machine code of top_k against the meaning of the graph op."""

from typing import Any

import numpy as np
import pytest
from memory_code import Array, MemoryCode

from glow.dialects.graph import along_axis as graph
from glow.support.dtypes import dtype_named, widened

pytestmark = pytest.mark.slow

TARGETS = ("cpu", "cpu:sse2")
SMALL_INTEGERS = (np.int32, np.uint32, np.int16, np.uint16, np.int8, np.uint8)


def add_top_k(
    code: MemoryCode, x: Array, k: int, axis: int, largest: bool
) -> list[tuple[Array, Array]]:
    wanted = graph.TopKOp.compute(widened(x), k=k, axis=axis, largest=largest)
    outs = [np.zeros(wanted[0].shape, x.dtype), np.zeros(wanted[1].shape, np.int64)]
    code.apply(graph.TopKOp, [x], outs, k=k, axis=axis, largest=largest)
    return list(zip(outs, wanted, strict=True))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("largest", [False, True])
def test_top_k(target: str, largest: bool) -> None:
    """Ties, NaN, every axis, every type, any strides, any k."""
    rng = np.random.default_rng(0)
    code, cases = MemoryCode(target), []
    floats = rng.integers(0, 9, (3, 6, 50)).astype(np.float32)
    holes = floats.copy()
    holes[rng.random(holes.shape) < 0.2] = np.nan
    wild = rng.choice([np.inf, -np.inf, np.nan, 0.0, -0.0], (2, 60))
    wild = np.copysign(wild, rng.choice([-1.0, 1.0], wild.shape))  # NaN, too
    extremes = rng.choice([2**63 - 1, -(2**63), 0, 1], (2, 60))
    bounds = [(np.iinfo(t).min, np.iinfo(t).max, 0, 1) for t in SMALL_INTEGERS]
    for x, axis, k in (
        (floats, 2, 1),
        (floats, 2, 7),
        (floats, 2, 50),
        (floats.astype(np.int32), 2, 32),
        (floats.astype(np.int64)[::-1, ::3, 2:49], 2, 5),
        (holes, 2, 9),
        (holes, 1, 4),
        (np.moveaxis(holes, 0, 1), 1, 2),
        (holes[..., ::-1], 2, 3),
        (wild, 1, 13),
        (wild.astype(np.float32), 1, 13),
        (wild.astype(np.float32), 1, 60),
        (extremes, 1, 13),
        *(
            (rng.choice(np.array(each, dtype), (2, 60)), 1, 33)
            for each, dtype in zip(bounds, SMALL_INTEGERS, strict=True)
        ),
        (np.arange(300.0), 0, 10),
        (-np.arange(300.0), 0, 10),
    ):
        cases += add_top_k(code, np.asarray(x), k, axis, largest)
    assert code.run() is None
    for out, want in cases:
        np.testing.assert_array_equal(widened(out), want)


@pytest.mark.parametrize("slot", ["values", "indices"])
def test_one_result_alone(slot: str) -> None:
    x: Any = np.random.default_rng(0).permutation(60).astype(np.float32)
    flags = {"with_values": slot == "values", "with_indices": slot == "indices"}
    (want,) = graph.TopKOp.compute(x, k=4, **flags)
    out, code = np.zeros(4, want.dtype), MemoryCode()
    outs = {"values": None, "indices": None, slot: out}
    code.apply(graph.TopKOp, [x], list(outs.values()), k=4, largest=True)
    assert code.run() is None
    np.testing.assert_array_equal(out, want)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_floats_of_16_bits(target: str, dtype: str) -> None:
    """In vectors and by scalars, with ties and NaN."""
    x = np.random.default_rng(0).integers(0, 9, (3, 6, 50)).astype(dtype_named(dtype))
    x[0, :, 3] = np.nan
    code = MemoryCode(target)
    cases = [*add_top_k(code, x, 7, 2, True), *add_top_k(code, x, 2, 1, False)]
    assert code.run() is None
    for out, want in cases:
        np.testing.assert_array_equal(widened(out), want)
