"""Operators as they were up to opset 6, against NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from grids import slow_but
from numpy.typing import NDArray
from small_onnx import info, model, node
from targets import TARGETS

import glow
from glow.formats.onnx import import_model
from glow.support.errors import InvalidModelError, UnsupportedModelError

f32 = np.float32
X = np.arange(24, dtype=f32).reshape(2, 3, 4) / 4 - 2
ROWS = np.array([[1], [2], [3]], f32)
C3 = np.array([0.5, 2, 3], f32)
N4 = np.array([1, 2, 3, 4], f32)
M = X[0]
MEAN, VAR = np.array([0, 1, 2], f32), np.array([1, 4, 9], f32)
KINDS = {"float32": "f32", "int64": "i64", "bool": "i1"}


def network(each: Any, arrays: Sequence[NDArray[Any]], opset: int) -> onnx.ModelProto:
    """Return a model of a node whose inputs are constants from the second on."""
    names = [name for name in each.input if name]
    first, *rest = zip(names, arrays, strict=True)
    inputs = {first[0]: info(first[0], first[1].shape, KINDS[str(first[1].dtype)])}
    return model([each], inputs, list(each.output), dict(rest), opset)


def normalized(x: NDArray[Any]) -> NDArray[Any]:
    along = (1, 3, 1)
    return (x - MEAN.reshape(along)) / np.sqrt(VAR.reshape(along) + f32(1e-5))


CASES: dict[str, tuple[Any, int, list[NDArray[Any]], NDArray[Any]]] = {
    "equal shapes": (node("Add", "x y", "z"), 6, [X, X], X + X),
    "at the end": (node("Mul", "x y", "z", broadcast=1), 6, [X, N4], X * N4),
    "one number": (node("Sub", "x y", "z", broadcast=1), 6, [X, N4[:1]], X - 1),
    "in the middle": (
        node("Div", "x y", "z", broadcast=1, axis=1),
        6,
        [X, C3],
        X / C3[:, None],
    ),
    "extents of 1": (
        node("Add", "x y", "z", broadcast=1, axis=1),
        6,
        [X, ROWS],
        X + ROWS,
    ),
    "axis from the end": (
        node("Pow", "x y", "z", broadcast=1, axis=-2),
        6,
        [X, C3.round()],
        X ** C3.round()[:, None],
    ),
    "compared": (
        node("Greater", "x y", "z", broadcast=1, axis=1),
        1,
        [X, C3],
        np.greater(X, C3[:, None]),
    ),
    "logic": (
        node("And", "x y", "z", broadcast=1, axis=0),
        1,
        [X > 0, np.array([True, False])],
        (X > 0) & np.array([True, False])[:, None, None],
    ),
    "hint": (node("Relu", "x", "z", consumed_inputs=[0]), 1, [X], np.maximum(X, 0)),
    "slopes": (
        node("PRelu", "x s", "z"),
        6,
        [X, C3],
        np.where(X < 0, X * C3[:, None], X),
    ),
    "slope": (node("PRelu", "x s", "z"), 6, [X, C3[:1]], np.where(X < 0, X / 2, X)),
    "gemm": (
        node("Gemm", "x y c", "z", broadcast=1, transB=1),
        6,
        [M, M, C3],
        M @ M.T + C3,
    ),
    "gemm of a matrix": (
        node("Gemm", "x y c", "z", transB=1, beta=2.0),
        6,
        [M, M, np.ones((3, 3), f32)],
        M @ M.T + 2,
    ),
    "batch norm": (
        node("BatchNormalization", "x s b m v", "z", is_test=1),
        6,
        [X, np.ones(3, f32), np.zeros(3, f32), MEAN, VAR],
        normalized(X),
    ),
    "dropout": (node("Dropout", "x", "z", is_test=1), 6, [X], X),
    "reshape": (node("Reshape", "x", "z", shape=[0, -1]), 1, [X], X.reshape(2, 12)),
    "tile": (
        node("Tile", "x t a", "z"),
        1,
        [X, f32([3]), f32([2])],
        np.tile(X, (1, 1, 3)),
    ),
    "pad": (
        node("Pad", "x", "z", mode="edge", paddings=[0, 1, 0, 0, 0, 2]),
        1,
        [X],
        np.pad(X, ((0, 0), (1, 0), (0, 2)), "edge"),
    ),
    "cast": (node("Cast", "x", "z", to="INT64"), 1, [X], X.astype(np.int64)),
    "split": (
        node("Split", "x s", "z w", axis=2),
        1,
        [X, f32([1, 3])],
        X[:, :, :1],
    ),
    "concat": (node("Concat", "x y", "z"), 1, [X, X], np.concatenate([X, X], 1)),
    "average": (
        node("AveragePool", "x", "z", kernel_shape=[4]),
        1,
        [X],
        X.mean(2, keepdims=True),
    ),
    "lp pool": (
        node("GlobalLpPool", "x", "z", p=2.0),
        1,
        [X],
        np.sqrt((X * X).sum(2, keepdims=True)),
    ),
    "selu": (
        node("Selu", "x", "z"),
        1,
        [X],
        np.where(X > 0, 1.0507 * X, 1.0507 * 1.6732 * np.expm1(X)).astype(f32),
    ),
}


@pytest.mark.parametrize("target", slow_but(TARGETS, "reference"))
@pytest.mark.parametrize("name", CASES)
def test_old_operators_mean_what_they_did(name: str, target: str) -> None:
    each, opset, arrays, expected = CASES[name]
    net = glow.compile(network(each, arrays, opset), target=target)
    found = next(iter(net.run({each.input[0]: arrays[0]}).values()))
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_before_opsets_were_said_the_first_holds() -> None:
    source = model([node("Relu", "x", "y", consumed_inputs=[0])], {"x": (2,)}, ["y"])
    source.ir_version = 2
    del source.opset_import[:]
    net = glow.compile(source)
    np.testing.assert_array_equal(net(f32([-1, 1])), [0, 1])


REFUSED: dict[str, tuple[Any, int, list[NDArray[Any]], type[Exception], str]] = {
    "shapes differ": (
        node("Add", "x y", "z"),
        6,
        [X, N4],
        InvalidModelError,
        "expected equal shapes, got [2, 3, 4] and [4]",
    ),
    "no such place": (
        node("Add", "x y", "z", broadcast=1, axis=2),
        6,
        [X, M],
        InvalidModelError,
        "[3, 4] does not fit [2, 3, 4] from axis 2 on",
    ),
    "other extents": (
        node("Add", "x y", "z", broadcast=1),
        6,
        [X, C3],
        InvalidModelError,
        "[3] does not fit [2, 3, 4] from axis 2 on",
    ),
    "more axes": (
        node("Add", "x y", "z", broadcast=1),
        6,
        [M, X],
        InvalidModelError,
        "[2, 3, 4] does not fit [3, 4] from axis -1 on",
    ),
    "slopes": (
        node("PRelu", "x s", "z"),
        6,
        [X, N4],
        InvalidModelError,
        "expected a slope for each channel, got tensor<4xf32>",
    ),
    "gemm": (
        node("Gemm", "x y c", "z", transB=1),
        6,
        [M, M, C3],
        InvalidModelError,
        "expected a C of shape [3, 3], got tensor<3xf32>",
    ),
    "tiles": (
        node("Tile", "x t a", "z"),
        1,
        [X, f32([1.5]), f32([2])],
        InvalidModelError,
        "expected integers as tiles, got [1.5]",
    ),
    "cast": (
        node("Cast", "x", "z", to="FLOAT7"),
        1,
        [X],
        InvalidModelError,
        "no element type is called 'FLOAT7'",
    ),
    "batch norm": (
        node("BatchNormalization", "x s b m v", "z"),
        6,
        [X, C3, C3, C3, C3],
        UnsupportedModelError,
        "BatchNormalization with is_test=0",
    ),
    "dropout": (
        node("Dropout", "x", "z"),
        6,
        [X],
        UnsupportedModelError,
        "Dropout with is_test=0",
    ),
    "norm": (
        node("GlobalLpPool", "x", "z", p=1.5),
        1,
        [X],
        UnsupportedModelError,
        "GlobalLpPool with p=1.5",
    ),
    "a hint too late": (
        node("Relu", "x", "z", consumed_inputs=[0]),
        6,
        [X],
        UnsupportedModelError,
        "attribute consumed_inputs of Relu",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_was_never_allowed_is_refused(name: str) -> None:
    each, opset, arrays, error, message = REFUSED[name]
    with pytest.raises(error) as caught:
        import_model(network(each, arrays, opset))
    assert message in str(caught.value)
