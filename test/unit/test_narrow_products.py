"""Products and attention of f16 and bf16: sums in f32, results rounded once."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from graph_code import module_of
from grids import in_turns
from numpy.typing import NDArray

import glow
from glow.dialects.graph.attention import AttentionOp
from glow.dialects.graph.convolution import ConvOp
from glow.dialects.graph.linear import MatMulOp
from glow.support.dtypes import limits_of
from glow.support.targets import target_of

Array = NDArray[Any]
TARGETS = ("cpu", "cpu:sse2", "cpu:avx2", "cpu:avx512")
NARROW = np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)


def networks() -> dict[str, tuple[Array, Array, dict[str, Any]]]:
    """Return products by name: what is multiplied, and parameters of a convolution."""
    pads = {"pads": (1, 1, 1, 1)}
    shapes: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
        "product": ((37, 96), (96, 72), {}),
        "product of odd depth": ((2, 9, 33), (33, 40), {}),
        "row": ((1, 64), (64, 50), {}),
        "window": ((2, 16, 9, 9), (40, 16, 3, 3), pads | {"strides": (2, 2)}),
        "window of three channels": ((1, 3, 9, 9), (20, 3, 3, 3), pads),
        "winograd": ((1, 32, 14, 14), (32, 32, 3, 3), pads),
        "winograd, many channels": ((1, 176, 8, 8), (176, 176, 3, 3), pads),
        "groups": ((1, 12, 7, 7), (24, 4, 3, 3), pads | {"group": 3}),
        "channels": ((1, 24, 9, 9), (24, 1, 3, 3), pads | {"group": 24}),
    }
    draw = np.random.default_rng(3).standard_normal
    return {
        name: (draw(left), draw(right), parameters)
        for name, (left, right, parameters) in shapes.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("dtype", NARROW, ids=str)
@pytest.mark.parametrize(("name", "target"), in_turns(networks(), TARGETS))
def test_products_are_summed_in_f32(
    name: str, dtype: np.dtype[Any], target: str
) -> None:
    if not target_of(target).runs_here:
        pytest.skip(f"{target} does not run here")
    left, right, parameters = networks()[name]
    x, w = left.astype(dtype), right.astype(dtype)
    op = ConvOp if parameters else MatMulOp

    def build(x: Any, w: Any) -> list[Any]:
        return [op(x, w, **parameters).result]

    found = glow.compile(module_of([x], {"w": w}, build), target=target)(x)
    exact = op.compute(x.astype(np.float64), w.astype(np.float64), **parameters)
    difference = np.abs(np.asarray(found, np.float64) - exact).max()
    # Half a unit of the result's last place, and as much for transforms of filters.
    assert difference <= float(limits_of(dtype).eps) * np.abs(exact).max()


@pytest.mark.slow
@pytest.mark.parametrize("target", ["cpu:sse2", "cpu:avx2", "cpu:avx512"])
@pytest.mark.parametrize("dtype", NARROW, ids=str)
@pytest.mark.parametrize("queries", [1, 40])
def test_attention_is_rounded_once(queries: int, dtype: Any, target: str) -> None:
    if not target_of(target).runs_here:
        pytest.skip(f"{target} does not run here")
    draw = np.random.default_rng(5).standard_normal
    shapes = (2, 4, queries, 24), (2, 2, 130, 24), (2, 2, 130, 36)
    given = [draw(shape).astype(dtype) for shape in shapes]
    module = module_of(given, {}, lambda *v: [AttentionOp(*v).result])
    found = np.asarray(glow.compile(module, target=target)(*given), np.float64)
    exact = AttentionOp.compute(*(array.astype(np.float64) for array in given))[0]
    limit = 0.6 * float(limits_of(dtype).eps) * np.abs(exact).max()
    assert np.abs(found - exact).max() <= limit
