"""Pools mean what ONNX Runtime computes."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from graph_code import module_of
from grids import slow_but
from targets import TARGETS
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

import glow
from glow.dialects.graph.pooling import (
    AvgPoolOp,
    GlobalAvgPoolOp,
    GlobalLpPoolOp,
    GlobalMaxPoolOp,
    LpPoolOp,
    MaxPoolOp,
    PoolOp,
)
from glow.dialects.graph.window import resolve_auto_pad

NAN, INF = np.nan, np.inf
RANDOM = np.random.default_rng(1)

WINDOWS = [
    # input, parameters
    ((2, 3, 9), {"kernel_shape": (3,), "strides": (2,), "pads": (1, 0)}),
    ((2, 3, 8, 7), {"kernel_shape": (2, 3)}),
    ((2, 3, 8, 7), {"kernel_shape": (3, 3), "strides": (2, 2), "pads": (1, 1, 1, 1)}),
    ((2, 3, 8, 7), {"kernel_shape": (3, 2), "strides": (2, 3), "pads": (0, 1, 2, 0)}),
    ((2, 3, 9, 8), {"kernel_shape": (3, 3), "strides": (3, 3), "pads": (2, 2, 1, 2)}),
    (
        (1, 2, 10, 9),
        {"kernel_shape": (3, 3), "dilations": (2, 2), "pads": (1, 2, 2, 1)},
    ),
    ((1, 2, 10, 9), {"kernel_shape": (2, 2), "dilations": (3, 2), "strides": (2, 3)}),
    ((1, 2, 6, 5, 7), {"kernel_shape": (2, 3, 2), "strides": (2, 2, 3)}),
    ((1, 2, 6, 5, 7), {"kernel_shape": (3, 2, 2), "pads": (1, 0, 1, 2, 1, 0)}),
    ((1, 1, 4, 4), {"kernel_shape": (3, 3), "strides": (3, 3), "pads": (0, 0, 2, 2)}),
    ((1, 1, 2, 2), {"kernel_shape": (1, 1), "strides": (3, 3)}),
]


def grid(values: tuple[str, Any, Any]) -> list[Any]:
    name, off, on = values
    return [
        pytest.param(shape, parameters, flags, id=f"{shape}-{index}-{flags}")
        for index, (shape, parameters) in enumerate(WINDOWS)
        for flags in (
            {"ceil_mode": ceil, name: extra}
            for ceil, extra in product((0, 1), (off, on))
        )
    ]


def flagged(flags: dict[str, Any]) -> dict[str, Any]:
    booleans = ("ceil_mode", "count_include_pad")
    return {k: bool(v) if k in booleans else v for k, v in flags.items()}


@pytest.mark.parametrize(
    ("shape", "parameters", "flags"), grid(("storage_order", 0, 1))
)
@pytest.mark.parametrize("ties", [False, True])
def test_max_pool(
    shape: Any,
    parameters: Any,
    flags: Any,
    ties: bool,
    evaluate: Any,
    run_onnx: Any,
    assert_close: Any,
) -> None:
    x = RANDOM.standard_normal(shape).astype(np.float32)
    x = np.round(x) if ties else x
    expected = run_onnx("MaxPool", x, outputs=2, **parameters, **flags)
    found = evaluate(MaxPoolOp, x, with_indices=True, **parameters, **flagged(flags))
    assert_close(found[0], expected[0])
    assert_close(found[1], expected[1])
    (alone,) = evaluate(MaxPoolOp, x, **parameters, **flagged(flags))
    assert_close(alone, expected[0])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("row", "parameters", "values", "places"),
    [
        ([1, NAN, -2, -INF, -INF, NAN, NAN], {"kernel_shape": (2,)},
         [NAN, NAN, -2, -INF, NAN, NAN], [1, 1, 2, 3, 5, 5]),
        ([1], {"kernel_shape": (2,), "pads": (1, 1), "dilations": (2,)}, [-INF], [-1]),
    ],
    ids=["nan", "nothing"],
)  # fmt: skip
def test_greatest_of_nan_and_of_nothing(
    row: list[float],
    parameters: Any,
    values: list[float],
    places: list[int],
    target: str,
) -> None:
    """NaN wins, the first of it; a window of padding is -inf, and nowhere."""

    def body(value: SSAValue) -> list[SSAValue]:
        both = MaxPoolOp(value, **parameters, with_indices=True)
        return [*both.results, MaxPoolOp(value, **parameters).result]

    x = np.array([[row]], np.float32)
    greatest, indices, alone = glow.compile(module_of([x], {}, body), target)(x)
    np.testing.assert_array_equal(greatest[0, 0], values)
    np.testing.assert_array_equal(alone, greatest)
    assert indices.tolist() == [[places]]


@pytest.mark.parametrize(
    ("shape", "parameters", "flags"), grid(("count_include_pad", 0, 1))
)
def test_avg_pool(
    shape: Any,
    parameters: Any,
    flags: Any,
    evaluate: Any,
    run_onnx: Any,
    assert_close: Any,
) -> None:
    x = RANDOM.standard_normal(shape).astype(np.float32)
    (expected,) = run_onnx("AveragePool", x, **parameters, **flags)
    (found,) = evaluate(AvgPoolOp, x, **parameters, **flagged(flags))
    assert_close(found, expected)


@pytest.mark.parametrize(("shape", "parameters", "flags"), grid(("p", 1, 3)))
def test_lp_pool(
    shape: Any,
    parameters: Any,
    flags: Any,
    evaluate: Any,
    run_onnx: Any,
    assert_close: Any,
) -> None:
    x = RANDOM.standard_normal(shape).astype(np.float32)
    (expected,) = run_onnx("LpPool", x, **parameters, **flags)
    (found,) = evaluate(LpPoolOp, x, **parameters, **flagged(flags))
    assert_close(found, expected)


POOLS: dict[str, type[PoolOp]] = {
    "MaxPool": MaxPoolOp,
    "AveragePool": AvgPoolOp,
    "LpPool": LpPoolOp,
}


@pytest.mark.parametrize("seed", slow_but(range(24), *range(8)))
@pytest.mark.parametrize("name", POOLS)
def test_kernel_larger_than_the_padded_input(
    name: str, seed: int, evaluate: Any, run_onnx: Any, assert_close: Any
) -> None:
    """What ONNX Runtime computes, and it computes what we do not refuse."""
    draw = np.random.default_rng(seed).integers
    axes = draw(1, 4)
    spatial, kernel = draw(1, 6, axes), draw(2, 10, axes)
    pads = [int(draw(0, min(k, 3))) for k in (*kernel, *kernel)]
    parameters = {
        "kernel_shape": kernel.tolist(),
        "strides": draw(1, 11, axes).tolist(),
        "dilations": draw(1, 3, axes).tolist(),
        "pads": pads,
        "ceil_mode": int(draw(2)),
    }
    if name == "AveragePool":
        parameters["count_include_pad"] = int(draw(2))
    x = RANDOM.standard_normal((1, 2, *spatial)).astype(np.float32)
    try:
        (found,) = evaluate(POOLS[name], x, **flagged(parameters))
    except VerifyException as error:
        assert "expected a kernel of at most" in str(error)  # noqa: PT017
        with pytest.raises(Exception, match=r"non-negative|invalid|negative|dimension"):
            run_onnx(name, x, **parameters)
        return
    (expected,) = run_onnx(name, x, **parameters)
    assert_close(found, expected)
    code = module_of(
        [x], {}, lambda v: [POOLS[name](v, **flagged(parameters)).results[0]]
    )
    assert_close(glow.compile(code, "cpu")(x), expected)


@pytest.mark.parametrize("auto_pad", ["SAME_UPPER", "SAME_LOWER", "VALID"])
@pytest.mark.parametrize("stride", [1, 2, 3])
def test_auto_pad(
    auto_pad: str, stride: int, evaluate: Any, run_onnx: Any, assert_close: Any
) -> None:
    x = RANDOM.standard_normal((1, 2, 8, 9)).astype(np.float32)
    sizes = {"kernel_shape": (4, 3), "strides": (stride, stride)}
    pads = resolve_auto_pad(auto_pad, (8, 9), (4, 3), (stride, stride))
    for name, op in (("MaxPool", MaxPoolOp), ("AveragePool", AvgPoolOp)):
        (expected,) = run_onnx(name, x, auto_pad=auto_pad, **sizes)
        (found,) = evaluate(op, x, pads=pads, **sizes)
        assert_close(found, expected)


@pytest.mark.parametrize("shape", [(2, 3, 7), (2, 3, 5, 6), (1, 2, 3, 4, 5)])
def test_global_pools(
    shape: Any, evaluate: Any, run_onnx: Any, assert_close: Any
) -> None:
    x = RANDOM.standard_normal(shape).astype(np.float32)
    for name, op, parameters in (
        ("GlobalAveragePool", GlobalAvgPoolOp, {}),
        ("GlobalMaxPool", GlobalMaxPoolOp, {}),
        ("GlobalLpPool", GlobalLpPoolOp, {"p": 3}),
        ("GlobalLpPool", GlobalLpPoolOp, {}),
    ):
        (expected,) = run_onnx(name, x, **parameters)
        (found,) = evaluate(op, x, **parameters)
        assert_close(found, expected)


def test_max_pool_of_float64_and_infinities(
    evaluate: Any, run_onnx: Any, assert_close: Any
) -> None:
    for dtype in (np.float32, np.float64):
        x = RANDOM.standard_normal((1, 1, 4, 4)).astype(dtype)
        x[0, 0, 1, 1] = np.inf
        x[0, 0, 3] = -np.inf
        (expected,) = run_onnx("MaxPool", x, kernel_shape=(2, 2))
        (found,) = evaluate(MaxPoolOp, x, kernel_shape=(2, 2))
        assert_close(found, expected)
