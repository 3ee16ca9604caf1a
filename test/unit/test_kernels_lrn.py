"""Machine code of local response normalization against its meaning."""

from typing import Any

import numpy as np
import pytest
from memory_code import Array, MemoryCode

from glow.dialects.graph import normalization

pytestmark = pytest.mark.slow

TARGETS = ("cpu", "cpu:avx2", "cpu:sse2")
USUAL: dict[str, Any] = {"size": 5, "alpha": 1e-2, "beta": 0.75, "bias": 1.0}


def random(*shape: int, dtype: Any = np.float32) -> Array:
    rng = np.random.default_rng(sum(shape))
    return (5 * rng.standard_normal(shape)).astype(dtype)


def channels_last(*shape: int, dtype: Any = np.float32) -> Array:
    return np.moveaxis(random(*shape, dtype=dtype), -1, 1)


def add(code: MemoryCode, x: Array, **params: Any) -> tuple[Array, Array]:
    out = np.zeros_like(x)
    code.apply(normalization.LrnOp, [x], [out], **params)
    return out, normalization.LrnOp.compute(x.astype(np.float64), **params)


def check(code: MemoryCode, cases: list[tuple[Array, Array]]) -> None:
    assert code.run() is None
    for out, want in cases:
        np.testing.assert_allclose(out, want, rtol=4e-6)


@pytest.mark.parametrize("target", TARGETS)
def test_layouts_and_tails(target: str) -> None:
    code = MemoryCode(target)
    arrays = [channels_last(2, 3, 5, c) for c in (1, 2, 3, 4, 8, 15, 16, 31, 96, 100)]
    arrays += [
        channels_last(1, 1, 1, 64),
        channels_last(0, 3, 3, 8),
        channels_last(2, 3, 16, dtype=np.float64),
        random(3, 33),
        random(2, 6, 5, 7),
        random(2, 6, 1, 1),
        random(1, 1, 40),
        random(2, 3, 37, dtype=np.float64),
        random(4, 40, 33)[::-1, ::2, 3:20],
        random(40, 3).T,
    ]
    check(code, [add(code, x, **USUAL) for x in arrays])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 6, 9, 20, 70])
def test_windows(target: str, size: int) -> None:
    """Even ones reach further to the end; wide ones past a vector or the channels."""
    code = MemoryCode(target)
    arrays = (channels_last(2, 3, 37), channels_last(2, 3, 32), random(2, 37, 9))
    check(code, [add(code, x, **(USUAL | {"size": size})) for x in arrays])


@pytest.mark.parametrize("beta", [0.0, 0.25, 0.5, 0.75, 1.0, 0.6, 2.0])
def test_exponents(beta: float) -> None:
    code = MemoryCode()
    params = {"size": 5, "alpha": 0.3, "beta": beta, "bias": 2.0}
    arrays = (
        channels_last(2, 3, 37),
        random(2, 37, 9),
        random(2, 7, 9, dtype=np.float64),
    )
    check(code, [add(code, x, **params) for x in arrays])


def test_a_nan_stays_among_its_neighbors() -> None:
    x = channels_last(2, 3, 40)
    x[0, 17, 1], x[1, 30, 2] = np.nan, np.inf
    code = MemoryCode()
    with np.errstate(invalid="ignore"):
        out, want = add(code, x, **USUAL)
    check(code, [(out, want)])
    assert np.isnan(out[0, 15:20, 1]).all()
    assert np.isnan(out).sum() == 6
