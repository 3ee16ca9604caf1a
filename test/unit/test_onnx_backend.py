"""ONNX's backend interface: what is compiled for which inputs, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest import SkipTest

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper
from onnx.backend.base import Backend, BackendRep
from small_onnx import info, model, node

import glow
from glow import onnx_backend
from glow.onnx_backend import (
    BackendUnsupportedError,
    GlowBackend,
    GlowBackendRep,
    GlowReferenceBackend,
)
from glow.support.errors import BindingError, UnsupportedModelError

f32 = np.float32


def with_extents(source: ModelProto, **extents: Sequence[int | str]) -> ModelProto:
    """Return the model with the inputs so named in these extents; "" has no name."""
    for each in source.graph.input:
        if each.name in extents:
            shape = [extent or None for extent in extents[each.name]]
            each.CopyFrom(
                helper.make_tensor_value_info(
                    each.name, each.type.tensor_type.elem_type, shape
                )
            )
    for each in source.graph.output:
        each.CopyFrom(info(each.name, (None, None)))
    return source


def relu(*extents: int | str) -> ModelProto:
    source = model([node("Relu", "x", "y", "n")], {"x": (1,) * len(extents)}, ["y"])
    return with_extents(source, x=extents)


def reshape() -> ModelProto:
    source = model(
        [node("Reshape", "x s", "r", "n"), node("Relu", "r", "y", "m")],
        {"x": (2, 3), "s": info("s", (2,), "i64")},
        ["y"],
    )
    return with_extents(source)


def chained() -> ModelProto:
    """Return a model that asks for axes only where it knows a shape."""
    source = model(
        [node("Reshape", "x s", "r", "n"), node("ReduceSum", "r a", "y", "m")],
        {"x": (2, 3), "s": info("s", (2,), "i64"), "a": info("a", (1,), "i64")},
        ["y"],
    )
    return with_extents(source)


X = np.arange(6, dtype=f32).reshape(2, 3) - 2


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return a list that grows by the constants of each compilation."""
    found: list[Any] = []
    original = onnx_backend.compile_source

    def counting(*arguments: Any) -> Any:
        found.append(arguments[1])
        return original(*arguments)

    monkeypatch.setattr(onnx_backend, "compile_source", counting)
    return found


def test_it_is_a_backend_of_onnx() -> None:
    rep = GlowBackend.prepare(relu(2, 3))
    assert issubclass(GlowBackend, Backend)
    assert isinstance(rep, BackendRep)
    (y,) = rep.run([X])
    np.testing.assert_array_equal(y, np.maximum(X, 0))


def test_module_has_the_functions_of_a_backend() -> None:
    assert onnx_backend.supports_device("CPU")
    assert onnx_backend.is_compatible(relu(2, 3))
    assert onnx_backend.prepare(relu(2, 3)).run(X)[0][0, 0] == 0
    assert onnx_backend.run_model(relu(2, 3), [X])[0][1, 2] == 3
    assert onnx_backend.run_node(node("Neg", "x", "y"), [X])[0][1, 2] == -3


@pytest.mark.parametrize("backend", [GlowBackend, GlowReferenceBackend])
def test_results_are_in_order_and_by_name(backend: type[GlowBackend]) -> None:
    source = model(
        [node("Split", "x", "b a", "n", axis=0)], {"x": (2, 3)}, ["a", "b"], opset=11
    )
    results = backend.prepare(with_extents(source)).run({"x": X})
    np.testing.assert_array_equal(results[0], X[1:])
    np.testing.assert_array_equal(results["b"], X[:1])  # pyright: ignore


def test_a_model_without_open_ends_is_compiled_at_once(compiled: list[Any]) -> None:
    rep = GlowBackend.prepare(relu(2, 3))
    rep.run([X])
    rep.run([X + 1])
    assert compiled == ["cpu"]


def test_targets_follow_the_class(compiled: list[Any]) -> None:
    class Narrow(GlowBackend):
        targets = {"CPU": "cpu:sse2"}  # noqa: RUF012

    for backend in (GlowBackend, GlowReferenceBackend, Narrow):
        backend.run_model(relu(2, 3), [X])
    assert compiled == ["cpu", "reference", "cpu:sse2"]


def test_symbolic_dims_come_from_the_arrays(compiled: list[Any]) -> None:
    rep = GlowBackend.prepare(relu("N", ""))
    for array in (X, X.T, X, X.T):
        np.testing.assert_array_equal(rep.run([array])[0], np.maximum(array, 0))
    assert len(compiled) == 2


def test_a_dim_has_one_extent_in_a_run() -> None:
    source = model([node("Add", "x z", "y")], {"x": (1, 1), "z": (1, 1)}, ["y"])
    rep = GlowBackend.prepare(with_extents(source, x=("N", 3), z=("N", 3)))
    assert rep.run([X, X])[0].sum() == 2 * X.sum()
    message = 'dimension "N" is 2 in input "x", 1 in input "z"'
    with pytest.raises(BindingError, match=message):
        rep.run([X, X[:1]])
    with pytest.raises(BindingError, match=r"expected float32\[N, 3\], got float32\[3"):
        rep.run([X[0], X])
    with pytest.raises(BindingError, match=r"float32\[N, 3\], got float32\[2, 4\]"):
        rep.run([X, np.zeros((2, 4), f32)])


def test_values_that_must_be_known_are_those_of_the_run(compiled: list[Any]) -> None:
    rep = GlowBackend.prepare(reshape())
    assert compiled == []
    for shape in ([3, 2], [1, 6], [3, 2]):
        (y,) = rep.run([X, np.array(shape)])
        np.testing.assert_array_equal(y, np.maximum(X, 0).reshape(shape))
    rep.run([X + 1, np.array([1, 6])])
    assert len(compiled) == 2


def test_only_what_must_be_known_is_made_constant() -> None:
    with pytest.raises(UnsupportedModelError) as caught:
        glow.load(reshape())
    assert caught.value.unknown_inputs == {"s"}
    assert str(caught.value).endswith('values can be given: constants={"s": ...}')


def test_what_must_be_known_is_found_step_by_step() -> None:
    rep = GlowBackend.prepare(chained())
    (y,) = rep.run([X, np.array([3, 2]), np.array([0])])
    np.testing.assert_array_equal(y, X.reshape(3, 2).sum(0, keepdims=True))
    (y,) = rep.run([X, np.array([3, 2]), np.array([1])])
    np.testing.assert_array_equal(y, X.reshape(3, 2).sum(1, keepdims=True))


def test_the_cache_is_bounded_and_keeps_the_last(compiled: list[Any]) -> None:
    rep = GlowBackend.prepare(relu("N", 3), cache_size=2)
    for rows in (1, 2, 1, 3, 1, 2):
        rep.run([np.zeros((rows, 3), f32)])
    assert len(compiled) == 4  # 1, 2, 3, and 2 again, which was used before 1
    with pytest.raises(ValueError, match="expected a cache_size of at least 1, got 0"):
        GlowBackend.prepare(relu("N"), cache_size=0)


def test_a_form_is_compiled_once_for_all_threads(compiled: list[Any]) -> None:
    rep = GlowBackend.prepare(reshape())
    shapes = [np.array([3, 2]), np.array([1, 6])] * 8
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda shape: rep.run([X, shape])[0], shapes))
    for y, shape in zip(results, shapes, strict=True):
        np.testing.assert_array_equal(y, np.maximum(X, 0).reshape(shape))
    assert len(compiled) == 2


def test_a_failed_form_does_not_stay(compiled: list[Any]) -> None:
    rep = GlowBackend.prepare(reshape())
    with pytest.raises(glow.InvalidModelError):
        rep.run([X, np.array([4, 2])])
    assert rep.run([X, np.array([3, 2])])[0].shape == (3, 2)
    assert len(compiled) == 1


def test_changes_of_the_model_after_prepare_are_not_seen() -> None:
    source = reshape()
    rep = GlowBackend.prepare(source)
    source.graph.node[1].op_type = "Neg"
    np.testing.assert_array_equal(rep.run([X, np.array([2, 3])])[0], np.maximum(X, 0))


def test_weights_among_the_inputs_are_not_fed() -> None:
    source = model([node("Add", "x w", "y")], {"x": (2, 3), "w": (2, 3)}, ["y"])
    source.graph.initializer.append(onnx.numpy_helper.from_array(X, "w"))
    (y,) = GlowBackend.prepare(with_extents(source)).run([X])
    np.testing.assert_array_equal(y, X + X)


def test_what_is_unsupported_is_skipped_by_tests_and_says_why() -> None:
    source = helper.make_model(
        helper.make_graph(
            [helper.make_node("StringNormalizer", ["x"], ["y"])],
            "strings",
            [helper.make_tensor_value_info("x", TensorProto.STRING, [2])],
            [helper.make_tensor_value_info("y", TensorProto.STRING, [2])],
        )
    )
    assert not GlowBackend.is_compatible(source)
    with pytest.raises(SkipTest) as caught:
        GlowBackend.prepare(source)
    assert isinstance(caught.value, BackendUnsupportedError)
    assert isinstance(caught.value, UnsupportedModelError)
    assert 'element type STRING (input "x")' in str(caught.value)
    assert "\n" not in str(caught.value)


def test_sequences_are_unsupported_also_where_dims_are_open() -> None:
    element = helper.make_tensor_type_proto(TensorProto.FLOAT, ["N"])
    inputs = [
        helper.make_value_info("s", helper.make_sequence_type_proto(element)),
        helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N"]),
    ]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N"])]
    nodes = [helper.make_node("Relu", ["x"], ["y"])]
    source = helper.make_model(helper.make_graph(nodes, "g", inputs, outputs))
    with pytest.raises(BackendUnsupportedError, match="values of kind sequence"):
        GlowBackend.prepare(source)


def test_a_model_against_onnx_rules_is_invalid() -> None:
    source = relu(2, 3)
    source.graph.node[0].op_type = "NoSuchOperator"
    with pytest.raises(onnx.checker.ValidationError):
        GlowBackend.prepare(source)
    assert not GlowBackend.is_compatible(source)


def test_devices() -> None:
    assert GlowBackend.supports_device("CPU")
    assert GlowBackend.supports_device("CPU:0")
    assert not GlowBackend.supports_device("CPU:1")
    assert not GlowBackend.supports_device("CUDA")
    assert not GlowBackend.is_compatible(relu(2, 3), "CUDA")
    with pytest.raises(ValueError, match='no target for device "CUDA", expected CPU'):
        GlowBackend.prepare(relu(2, 3), "CUDA")


def test_compatibility_counts_what_inputs_may_settle() -> None:
    assert GlowBackend.is_compatible(reshape())
    assert GlowBackend.is_compatible(relu("N"))


def test_wrong_numbers_of_inputs_are_reported() -> None:
    rep: GlowBackendRep = GlowBackend.prepare(reshape())
    with pytest.raises(BindingError, match=r"expected 2 inputs \(x, s\), got 1"):
        rep.run([X])
    with pytest.raises(BindingError, match="x"):
        rep.run({"s": np.array([3, 2])})
    with pytest.raises(BindingError, match=r'"s": missing, expected int64\[2\]'):
        rep.run({"x": X})
    with pytest.raises(BindingError, match=r"expected 1 inputs \(x\), got 2"):
        GlowBackend.run_node(node("Relu", "x", "y"), [X, X])


def test_run_node_takes_nodes_of_any_opset_and_domain() -> None:
    pads = np.array([0, 1, 0, 0])
    (y,) = GlowBackend.run_node(node("Pad", "x p", "y"), [X, pads])
    assert y.shape == (2, 4)
    old = node("Squeeze", "x", "y", axes=[0])
    (y,) = GlowBackend.run_node(old, [X[:1]], opset_version=11)
    assert y.shape == (3,)
    (y,) = GlowBackend.run_node(node("Mul", "x x", "y"), {"x": X})
    np.testing.assert_array_equal(y, X * X)
    first, second = GlowBackend.run_node(node("TopK", "x k", "v i"), [X, np.array([1])])
    np.testing.assert_array_equal(first, X[:, 2:])
    assert second.tolist() == [[2], [2]]


def test_constants_are_checked() -> None:
    shape = np.array([3, 2])
    net = glow.compile(glow.load(reshape(), constants={"s": shape}))
    shape[:] = 0  # a copy is compiled
    assert [spec.name for spec in net.inputs] == ["x"]
    assert np.shape(net(X)) == (3, 2)
    with pytest.raises(BindingError, match=r'no input "q" \(it has "x", "s"\)'):
        glow.load(reshape(), constants={"q": shape})
    message = r'input "s" is given as float32\[2, 3\], expected int64\[2\]'
    with pytest.raises(BindingError, match=message):
        glow.load(reshape(), constants={"s": X})
    with pytest.raises(BindingError, match=r"int64\[3\], expected int64\[2\]"):
        glow.load(reshape(), constants={"s": np.array([1, 2, 3])})


def test_constants_agree_with_dims() -> None:
    source = model([node("Add", "x z", "y")], {"x": (1, 1), "z": (1, 1)}, ["y"])
    with_extents(source, x=("N", 3), z=("N", 3))
    net = glow.compile(glow.load(source, dims={"N": 2}, constants={"z": X}))
    np.testing.assert_array_equal(net(X), X + X)
    with pytest.raises(BindingError, match=r"expected float32\[N, 3\]"):
        glow.load(source, dims={"N": 1}, constants={"z": X})


def test_a_constant_replaces_a_weight_that_is_an_input() -> None:
    source = model([node("Add", "x w", "y")], {"x": (2, 3), "w": (2, 3)}, ["y"])
    source.graph.initializer.append(onnx.numpy_helper.from_array(X, "w"))
    net = glow.compile(glow.load(source, constants={"w": -X}))
    np.testing.assert_array_equal(net(X), X - X)


def test_constants_are_for_onnx_only(tmp_path: Any) -> None:
    path = tmp_path / "net.mlir"
    path.write_text("func.func @main() {\n  func.return\n}\n")
    with pytest.raises(ValueError, match="expected constants with an ONNX model only"):
        glow.load(path, constants={"x": X})


def test_the_package_does_not_need_onnx() -> None:
    code = "import glow, sys; assert 'onnx' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
