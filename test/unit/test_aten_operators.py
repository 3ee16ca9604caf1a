"""Operators of ATen as functions of traced arrays; no test here needs torch."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from fx_graphs import FxNode, OperatorGraph

import glow
from glow.formats.pytorch.fx_graph import (
    FxInput,
    FxOutput,
    import_graph,
    missing_operators,
    place_of_node,
)
from glow.formats.pytorch.movement import order_in_memory
from glow.formats.pytorch.promotion import dtype_from, result_type
from glow.formats.pytorch.registry import ATEN, name_of_target
from glow.model import Model
from glow.tracing.pytrees import ShapeDtype

RNG = np.random.default_rng(0)
X = RNG.standard_normal((2, 3, 4), np.float32)
Y = RNG.standard_normal((3, 4), np.float32)
N = np.arange(24, dtype=np.int64).reshape(2, 3, 4) - 12
IMAGE = RNG.standard_normal((1, 2, 4, 4), np.float32)


def _softmax(x: Any) -> Any:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


CASES: dict[str, tuple[tuple[Any, ...], Any]] = {
    "add.Tensor": ((X, Y), X + Y),
    "mul.Tensor": ((N, 2.5), (N * 2.5).astype(np.float32)),
    "div.Tensor": ((N, 4), (N / 4).astype(np.float32)),
    "eq.Scalar": ((N, 3), N == 3),
    "exp": ((N,), np.exp(N.astype(np.float32))),
    "pow.Tensor_Scalar": ((X, 2), X * X),
    "clamp": ((X, -0.5, None), np.maximum(X, -0.5)),
    "where.self": ((X > 0, X, np.float32(0)[None]), np.where(X > 0, X, 0)),
    "masked_fill.Scalar": ((X, X < 0, 7), np.where(X < 0, 7, X).astype(np.float32)),
    "hardtanh": ((X,), np.clip(X, -1, 1)),
    "sum.dim_IntList": ((N > 0, [1, -1]), (N > 0).sum((1, 2))),
    "mean.dim": ((X, [-1], True), X.mean(-1, keepdims=True)),
    "amax": ((X, [0]), X.max(0)),
    "argmax": ((X,), X.argmax()),
    "var.correction": ((X, [1]), X.var(1, ddof=1)),
    "cumsum": ((X, 1), X.cumsum(1)),
    "_softmax": ((X, -1, False), _softmax(X)),
    "view": ((X, [4, -1]), X.reshape(4, -1)),
    "expand": ((Y, [5, -1, 4]), np.broadcast_to(Y, (5, 3, 4))),
    "permute": ((X, [2, 0, 1]), X.transpose(2, 0, 1)),
    "cat": (([X, X], -1), np.concatenate([X, X], -1)),
    "slice.Tensor": ((X, 2, 1, 9223372036854775807, 2), X[:, :, 1::2]),
    "select.int": ((X, -1, -1), X[..., -1]),
    "slice_scatter": ((X, Y * 0, 2, 0, 4, 2), None),
    "constant_pad_nd": (
        (X, [1, -1], 9.0),
        np.pad(X, [(0, 0)] * 2 + [(1, 0)], constant_values=9)[..., :-1],
    ),
    "index.Tensor": ((X, [None, np.array([2, 0])]), X[:, [2, 0]]),
    "gather": (
        (Y, 0, np.array([[2, 0], [1, 1]])),
        np.array([[Y[2, 0], Y[0, 1]], [Y[1, 0], Y[1, 1]]]),
    ),
    "embedding": ((Y, np.array([[2, 0]])), Y[[[2, 0]]]),
    "full": (([2, 3], 1.5), np.full((2, 3), 1.5, np.float32)),
    "arange.start_step": ((1, 7, 2), np.array([1, 3, 5])),
    "addmm": (
        (np.ones(3, np.float32), Y.T.copy()[:, :3], Y[:, :3]),
        1 + Y.T[:, :3] @ Y[:, :3],
    ),
    "avg_pool2d": ((IMAGE, [2, 2]), IMAGE.reshape(1, 2, 2, 2, 2, 2).mean((3, 5))),
    "_adaptive_avg_pool2d": ((IMAGE, [1, 3]), None),
    "upsample_nearest2d.vec": ((IMAGE, [8, 8], None), IMAGE.repeat(2, 2).repeat(2, 3)),
}
_X = X.copy()
_X[:, :, ::2] = 0
_MEANS = [
    IMAGE[..., a:b].mean((2, 3), keepdims=True) for a, b in ((0, 2), (1, 3), (2, 4))
]
CASES["slice_scatter"] = ((X, np.zeros((1, 3, 2), np.float32), 2, 0, 4, 2), _X)
CASES["_adaptive_avg_pool2d"] = ((IMAGE, [1, 3]), np.concatenate(_MEANS, -1))


@pytest.mark.parametrize("name", CASES)
def test_operators_compute_what_torch_does(name: str) -> None:
    arguments, expected = CASES[name]
    (found,) = OperatorGraph(name, arguments).run()
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-6)


def test_several_results_are_taken_apart() -> None:
    values, places = OperatorGraph("topk", (Y, 2), results=2).run()
    np.testing.assert_array_equal(places, np.argsort(-Y)[:, :2])
    np.testing.assert_array_equal(values, -np.sort(-Y)[:, :2])


def test_values_are_put_where_indices_or_a_mask_say() -> None:
    places = np.array([1, 1, 0])
    (found,) = OperatorGraph(
        "index_put", (np.zeros(3, np.float32), [places], np.ones(3, np.float32), True)
    ).run()
    assert found.tolist() == [1, 2, 0]
    (found,) = OperatorGraph("index_put", (Y, [Y < 0], np.float32(5).reshape(()))).run()
    np.testing.assert_array_equal(found, np.where(Y < 0, 5, Y))


@pytest.mark.parametrize(
    ("operands", "expected"),
    [
        ((X, N), "float32"),
        ((N, 1.0), "float32"),
        ((X.astype(np.float16), np.array(1.0)), "float16"),
        ((N, np.array(1.0)), "float64"),
        ((X > 0, 1), "int64"),
        ((N.astype(np.int8), N.astype(np.uint8)), "int16"),
        ((X.astype(np.float16), X.astype(dtype_from("torch.bfloat16"))), "float32"),
    ],
)
def test_types_are_promoted_as_in_torch(operands: Any, expected: str) -> None:
    assert result_type(*operands) == np.dtype(expected)


def test_names_are_those_of_overloads() -> None:
    assert name_of_target("aten.relu.default") == "relu"
    assert name_of_target("aten.add.Tensor") == "add.Tensor"
    assert {"relu", "add.Tensor"} <= ATEN.keys()


def test_places_are_paths_of_modules() -> None:
    stack = {"1": ("L['self']", None), "2": ("L['self'].layer1.0.conv1", None)}
    node = FxNode("call_function", "relu_2", "", meta={"nn_module_stack": stack})
    assert place_of_node(node) == "layer1.0.conv1/relu_2"
    assert place_of_node(FxNode("call_function", "relu", "")) == "relu"


def test_all_missing_operators_are_named() -> None:
    graph = OperatorGraph("nonzero", (X,))
    assert missing_operators(graph) == ["aten.nonzero"]
    with pytest.raises(glow.UnsupportedModelError, match=r"got aten\.nonzero"):
        graph.run()


def test_an_error_names_the_node_and_the_operator() -> None:
    with pytest.raises(glow.TracingError, match=r"^call: reshape: expected a shape"):
        OperatorGraph("view", (X, [5, 5])).run()


@pytest.mark.parametrize(
    ("dtype", "shape"), [("torch.float64", (2, 3, 4)), ("torch.float32", (2, 3))]
)
def test_a_result_that_pytorch_does_not_expect_is_refused(
    dtype: str, shape: Any
) -> None:
    graph = OperatorGraph("relu", (X,))
    graph.nodes[1].meta["val"] = SimpleNamespace(dtype=dtype, shape=shape)
    with pytest.raises(glow.TracingError, match=r"expected a result .* got float32\[2"):
        graph.run()


def test_masks_that_decide_a_shape_are_refused() -> None:
    with pytest.raises(glow.UnsupportedModelError, match="a mask decides"):
        OperatorGraph("index.Tensor", (X, [X > 0])).run()


def test_devices_and_types_without_support_are_refused() -> None:
    with pytest.raises(glow.UnsupportedModelError, match="on the CPU, got cuda:0"):
        OperatorGraph("full", ([2], 1.0), {"device": "cuda:0"}).run()
    with pytest.raises(glow.UnsupportedModelError, match=r"got torch\.complex64"):
        dtype_from("torch.complex64")


def test_a_buffer_that_a_graph_changes_is_a_state() -> None:
    count, x = (FxNode("placeholder", name, name) for name in ("count", "x"))
    total = FxNode("call_function", "add", "aten.add.Tensor", (count, x))
    nodes = [
        count,
        x,
        total,
        FxNode("output", "output", "output", ((total, total, 3),)),
    ]
    made = import_graph(
        SimpleNamespace(nodes=nodes),
        [
            FxInput("count", np.zeros(2, np.float32), is_state=True),
            FxInput("x", ShapeDtype((2,), np.float32)),
        ],
        {},
        [FxOutput("count", is_state=True), FxOutput("sum"), FxOutput("number")],
    )
    assert made.results == (FxOutput("count", is_state=True), FxOutput("sum"), 3)
    bindings = glow.compile(Model("count", made.module), "reference").bind()
    bindings["x"], bindings["sum"] = np.ones(2, np.float32), np.empty(2, np.float32)
    assert [bindings.run()["sum"].tolist() for _ in range(2)] == [[1, 1], [2, 2]]


def test_axes_are_ordered_as_they_lie_in_memory() -> None:
    """Axes of extent 1 may have any stride; gaps and overlaps have no order."""
    assert order_in_memory((2, 3, 4), (12, 4, 1)) == (0, 1, 2)
    assert order_in_memory((2, 3, 4), (1, 8, 2)) == (1, 2, 0)
    assert order_in_memory((1, 3, 1), (99, 1, 7)) == (0, 2, 1)
    assert order_in_memory((), ()) == ()
    assert order_in_memory((2, 3), (4, 1)) is None
    assert order_in_memory((2, 3), (1, 1)) is None
