"""Machine code of reductions against the meaning of the graph ops."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from memory_code import Array, MemoryCode

from glow.dialects.graph import reduction
from glow.support.discovery import defined_in

pytestmark = pytest.mark.slow

TARGETS = ("cpu", "cpu:avx2", "cpu:sse2")
OPS: dict[str, Any] = {
    op.name.removeprefix("graph.reduce_"): op
    for op in defined_in(reduction, reduction.ReductionOp)
}
REDUCTIONS = tuple(OPS)


def random(*shape: int, dtype: Any = np.float32) -> Array:
    rng = np.random.default_rng(sum(shape))
    if dtype is np.bool_:
        return rng.integers(0, 2, shape).astype(np.bool_)
    if np.dtype(dtype).kind == "i":
        return rng.integers(1, 9, shape).astype(dtype)
    return rng.uniform(0.5, 1.5, shape).astype(dtype)


class Cases:
    """Reductions that are compiled together."""

    def __init__(self, target: str = "cpu"):
        self.code = MemoryCode(target)
        self.expected: list[tuple[str, Array, Array]] = []

    def add(self, kind: str, x: Array, axes: tuple[int, ...], exact: bool = True):
        wide = x.astype(np.float64) if x.dtype == np.float32 else x
        for kept in (True, False):
            named = {"axes": axes, "keepdims": kept}
            want = OPS[kind].compute(wide if exact else x, **named)
            out = np.zeros(want.shape, x.dtype)
            self.code.apply(OPS[kind], [x], [out], **named)
            self.expected.append((f"{kind} {x.shape} {named}", out, want))

    def check(self, rtol: float = 1e-6) -> None:
        assert self.code.run() is None
        for name, out, want in self.expected:
            if out.dtype.kind == "f":
                np.testing.assert_allclose(out, want, rtol, 1e-6, err_msg=name)
            else:
                np.testing.assert_array_equal(out, want, err_msg=name)


@pytest.mark.parametrize("kind", REDUCTIONS)
def test_every_choice_of_axes(kind: str) -> None:
    cases = Cases()
    for x in (random(3, 5, 67), random(1, 40, 1), random(7, 1, 3)):
        for count in range(x.ndim + 1):
            for axes in combinations(range(x.ndim), count):
                cases.add(kind, x, axes)
    cases.check(rtol=3e-6)


@pytest.mark.parametrize("target", TARGETS[1:])
@pytest.mark.parametrize("kind", ["sum", "l2", "max", "log_sum_exp"])
def test_other_vectors(target: str, kind: str) -> None:
    cases = Cases(target)
    x = random(3, 5, 67)
    for axes in ((0,), (1,), (2,), (0, 1), (0, 2)):
        cases.add(kind, x, axes)
    cases.check(rtol=3e-6)


@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.int64])
def test_other_types(dtype: Any) -> None:
    cases = Cases()
    for kind in REDUCTIONS:
        for axes in ((0,), (1,), (0, 1)):
            cases.add(kind, random(4, 37, dtype=dtype), axes)
    cases.check(rtol=1e-12)


@pytest.mark.parametrize("target", TARGETS)
def test_bools(target: str) -> None:
    cases = Cases(target)
    for kind in ("max", "min"):
        for axes in ((0,), (1,), (0, 1)):
            cases.add(kind, random(3, 70, dtype=np.bool_), axes)
    cases.check()


def test_views() -> None:
    """Channels last, slices, reversals and repetitions."""
    cases = Cases()
    image = np.moveaxis(random(2, 7, 7, 36), -1, 1)
    for x in (
        image,
        random(20, 40)[3:17, ::2],
        random(20, 40)[::-1, ::-1],
        np.broadcast_to(random(5, 1, 8), (5, 6, 8)),
    ):
        for axes in ((0,), (1,), (x.ndim - 1,), tuple(range(1, x.ndim))):
            cases.add("sum", x, axes)
            cases.add("log_sum_exp", x, axes)
    cases.check(rtol=3e-6)


def test_of_nothing() -> None:
    cases = Cases()
    with np.errstate(all="ignore"):
        for kind in REDUCTIONS:
            cases.add(kind, random(0, 4), (0,))
            cases.add(kind, random(4, 0), (1,))
            cases.add(kind, random(0, 4), (1,))
            if kind != "mean":
                cases.add(kind, random(4, 0, dtype=np.int32), (1,))
        cases.check()


def test_the_mean_of_no_integers_is_a_fault() -> None:
    cases = Cases()
    x, out = np.zeros((3, 0), np.int32), np.zeros((3, 1), np.int32)
    op = reduction.ReduceMeanOp
    cases.code.apply(op, [x], [out], axes=(1,), keepdims=True)
    assert "integer division by zero" in (cases.code.run() or "")


@pytest.mark.parametrize("shape", [(64, 40), (40, 64)])
def test_infinities_and_nan(shape: tuple[int, int]) -> None:
    x = random(*shape)
    x[3] = -np.inf
    x[4, 5], x[5, 6], x[6, 7], x[7, 8] = np.nan, np.inf, -np.inf, 3e38
    cases = Cases()
    with np.errstate(all="ignore"):
        for kind in ("sum", "max", "min", "log_sum_exp", "l1"):
            for axes in ((0,), (1,), (0, 1)):
                cases.add(kind, x, axes)
        cases.check(rtol=3e-6)


def test_a_million_elements_stay_exact() -> None:
    cases = Cases()
    x = np.full(1_000_000, 0.1, np.float32)
    for kind in ("sum", "mean", "l2"):
        cases.add(kind, x, (0,))
        cases.add(kind, x.reshape(-1, 2), (0,))
    cases.check(rtol=1e-6)


def test_integers_wrap() -> None:
    cases = Cases()
    x = np.full((3, 20), 2**30, np.int32)
    for kind in ("sum", "prod", "sum_square"):
        cases.add(kind, x, (1,))
    cases.check()
