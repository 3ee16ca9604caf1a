"""Models with symbolic dimensions: what is compiled when, shared and refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import ModelProto
from small_onnx import info, model, node

import glow
from glow import (
    BindingError,
    CompilationError,
    DynamicExecutable,
    InvalidModelError,
)

f32 = np.float32
WEIGHT = np.random.default_rng(0).standard_normal((3, 4), f32)


def product() -> ModelProto:
    """Return relu(x @ w) for any number of rows."""
    return model(
        [node("MatMul", "x w", "h", "mul"), node("Relu", "h", "y", "relu")],
        {"x": ("batch", 3)},
        [info("y", ("batch", 4))],
        {"w": WEIGHT},
    )


def cache() -> ModelProto:
    """Return a model of two inputs, the second of which is longer by one."""
    return model(
        [node("Concat", "x z", "y", "join", axis=1), node("Add", "x x", "d", "twice")],
        {"x": ("batch", "past"), "z": ("batch", "past + 1")},
        [info("y", ("batch", "2*past + 1")), info("d", None)],
    )


def pairs() -> ModelProto:
    """Return a model that takes apart rows of even length only."""
    return model(
        [node("Reshape", "x s", "y", "in pairs")],
        {"x": ("batch", "length")},
        [info("y", ("batch", None, 2))],
        {"s": np.array([0, -1, 2])},
    )


def rows(count: int) -> NDArray[Any]:
    return np.random.default_rng(count).standard_normal((count, 3), f32)


def expected(x: NDArray[Any]) -> NDArray[Any]:
    return np.maximum(x @ WEIGHT, 0)


def compiled(source: ModelProto, **options: Any) -> DynamicExecutable:
    net = glow.compile(glow.load(source), target="reference", **options)
    assert isinstance(net, DynamicExecutable)
    return net


def message_of(error: type[Exception], call: Any) -> str:
    with pytest.raises(error) as caught:
        call()
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_a_model_keeps_the_dimensions_that_are_not_given() -> None:
    found = glow.load(cache())
    assert found.dims == ("batch", "past")
    assert str(found) == (
        "model: (x: float32[batch, past], z: float32[batch, past + 1])"
        " -> (y: float32[batch, 2*past + 1], d: float32[batch, past])"
    )
    assert glow.load(cache(), dims={"past": 2}).dims == ("batch",)
    assert "z: float32[batch, 3]" in str(glow.load(cache(), dims={"past": 2}))
    assert glow.load(cache(), dims={"past": 2, "batch": 1}).dims == ()


def test_a_model_without_extents_has_no_ir_and_says_what_is_missing() -> None:
    text = message_of(InvalidModelError, lambda: glow.load(cache()).module)
    assert text == (
        'input "x" has the symbolic dimension "batch"; give its extent: '
        'dims={"batch": ..., "past": ...} or --dim "batch=..." --dim "past=..."'
    )


def test_each_shape_is_compiled_when_it_comes() -> None:
    net = compiled(product())
    assert str(net.signature) == "(x: float32[batch, 3]) -> (y: float32[batch, 4])"
    assert net.inputs[0].shape == (-1, 3)
    assert net.compiled == ()
    for count in (4, 1, 4, 0):
        x = rows(count)
        np.testing.assert_allclose(net(x), expected(x), rtol=1e-5)
        np.testing.assert_allclose(net.run({"x": x})["y"], expected(x), rtol=1e-5)
    assert net.compiled == ({"batch": 1}, {"batch": 4}, {"batch": 0})


def test_shapes_are_compiled_at_once() -> None:
    assert compiled(product(), shapes={"batch": [1, 8]}).compiled == (
        {"batch": 1},
        {"batch": 8},
    )
    assert compiled(product(), shapes={"batch": 2}).compiled == ({"batch": 2},)
    every = compiled(cache(), shapes={"batch": [1, 2], "past": range(2)}).compiled
    assert every == tuple({"batch": b, "past": p} for b in (1, 2) for p in (0, 1))
    listed = [{"batch": 1, "past": 3}, {"past": 3, "batch": 1}, {"batch": 2, "past": 0}]
    assert compiled(cache(), shapes=listed).compiled == (listed[0], listed[2])


def test_shapes_that_cannot_be_are_listed(tmp_path: Path) -> None:
    def of(shapes: Any, **options: Any) -> str:
        return message_of(
            BindingError, lambda: compiled(cache(), shapes=shapes, **options)
        )

    assert of({"batch": [1, -1], "rows": 2}) == (
        'shapes: dimension "past": missing; '
        'shapes: no symbolic dimension is called "rows", expected "batch", "past"; '
        'shapes: dimension "batch": expected an extent from 0 on, got -1'
    )
    assert 'dimension "past": expected an extent from 0 on, got 1.5' in of(
        [{"batch": 1, "past": 1.5}]
    )
    assert of({"batch": [1, 2, 3], "past": 1}, cache_size=2) == (
        "shapes: expected a cache_size of at least 3 for as many shapes, got 2"
    )
    static = glow.load(product(), dims={"batch": 1})
    for more in ({}, {"cache_dir": tmp_path}, {"cache_dir": tmp_path}):
        glow.compile(static, **more)
        with pytest.raises(BindingError, match="the model has no symbolic dimensions"):
            glow.compile(static, shapes={"batch": 1}, **more)
    with pytest.raises(ValueError, match="expected a cache_size of at least 1, got 0"):
        compiled(product(), cache_size=0)


def test_all_that_does_not_fit_is_reported_at_once() -> None:
    net = compiled(cache())
    x, z = np.zeros((2, 3), f32), np.zeros((2, 4), f32)
    assert net(x, z)[0].shape == (2, 7)
    assert message_of(BindingError, lambda: net(x, np.zeros((1, 5), f32))) == (
        'dimension "batch" is 2 in input "x", 1 in input "z"; '
        'dimension "past + 1" is 5 in input "z", expected 4 for past = 3'
    )
    assert message_of(BindingError, lambda: net(x[0], z.astype(int))) == (
        'input "x": expected float32[batch, past], got float32[3]; '
        'input "z": expected float32[batch, past + 1], got int64[2, 4]'
    )
    assert message_of(BindingError, lambda: net.run({"x": "s", "q": x})) == (
        'input "x": expected float32[batch, past], got a str; '
        'input "z": missing, expected float32[batch, past + 1]; '
        'no input is called "q", expected x, z'
    )
    with pytest.raises(BindingError, match=r"expected 2 arrays \(x: .*\), got 1"):
        net(x)
    with pytest.raises(BindingError, match=r"float32\[2, 3\], got float64\[2, 3\]"):
        net(x.astype(float), z)  # a shape that is known, of another type
    with pytest.raises(BindingError, match=r'output "y": expected float32\[2, 7\]'):
        net.run({"x": x, "z": z}, {"y": np.zeros((2, 6), f32)})
    assert len(net.compiled) == 1


@pytest.mark.parametrize("shape", [np.array([2, 3]), [2, 3], 2])
def test_what_has_a_strange_shape_is_refused(shape: Any) -> None:
    net = glow.compile(product())
    net(rows(2))
    with pytest.raises(BindingError, match=r"float32\[batch, 3\], got a Strange"):
        net.run({"x": type("Strange", (), {"shape": shape})()})


def test_a_shape_that_cannot_be_names_node_and_extents() -> None:
    net = compiled(pairs())
    assert net(np.zeros((2, 6), f32)).shape == (2, 3, 2)
    for _ in range(2):  # what fails is not kept
        text = message_of(InvalidModelError, lambda: net(np.zeros((2, 5), f32)))
        assert text == (
            'for batch = 2, length = 5: node "in pairs" (Reshape, opset 17): '
            "cannot reshape tensor<2x5xf32> to [0, -1, 2]"
        )
    with pytest.raises(InvalidModelError, match="for batch = 1, length = 3: node"):
        compiled(pairs(), shapes={"batch": 1, "length": [2, 3]})
    with pytest.raises(InvalidModelError, match="for batch = 1, length = 3: node"):
        net.specialize({"batch": 1, "length": 3})
    assert net.compiled == ({"batch": 2, "length": 6},)


def test_what_the_compiler_refuses_names_the_extents(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: Any) -> None:
        raise CompilationError("no room for graph.relu")

    net = compiled(product())
    monkeypatch.setattr("glow.module_compiler._lower", refuse)
    with pytest.raises(CompilationError, match=r"^for batch = 2: no room for graph"):
        net(rows(2))


def test_the_cache_is_bounded_and_what_goes_still_runs() -> None:
    net = compiled(product(), cache_size=2)
    first = net.specialize({"batch": 1})
    bound = net.bind({"x": rows(1)})
    for count in (1, 2, 3):
        net(rows(count))
    assert net.compiled == ({"batch": 2}, {"batch": 3})
    np.testing.assert_allclose(first(rows(1)), expected(rows(1)), rtol=1e-5)
    np.testing.assert_allclose(bound.run()["y"], expected(rows(1)), rtol=1e-5)


def test_what_is_specialized_has_its_own_shapes(tmp_path: Path) -> None:
    net = glow.compile(product(), shapes={"batch": 2})
    assert isinstance(net, DynamicExecutable)
    fixed = net.specialize({"batch": np.int64(2)})  # pyright: ignore
    assert fixed is net.specialize({"batch": 2})
    assert str(fixed.signature) == "(x: float32[2, 3]) -> (y: float32[2, 4])"
    fixed.save(tmp_path / "two.glow")
    loaded = glow.load_executable(tmp_path / "two.glow")
    np.testing.assert_array_equal(loaded(rows(2)), net(rows(2)))
    assert 'no symbolic dimension is called "n", expected "batch"' in message_of(
        BindingError, lambda: net.specialize({"batch": 1, "n": 2})
    )


def test_bindings_have_the_shape_of_their_arrays() -> None:
    net = compiled(cache())
    x, z, y = np.ones((1, 2), f32), np.zeros((1, 3), f32), np.empty((1, 5), f32)
    bound = net.bind({"x": x, "y": y})  # x says all: z may come later
    bound["z"] = z
    bound.run()
    assert y.tolist() == [[1, 1, 0, 0, 0]]
    assert net.bind({"z": z, "x": x}).run()["d"].tolist() == [[2, 2]]
    text = message_of(BindingError, lambda: net.bind({"z": z}))
    assert text == (
        'no array says what dimension "past" is; give an input that has it, '
        'or its extent: specialize({"batch": 1, "past": ...}) or --dim "past=..."'
    )
    with pytest.raises(BindingError, match='no input or output is called "q"'):
        net.bind({"x": x, "q": x})
    with pytest.raises(BindingError, match=r"expected float32\[1, 2\], got float32\[2"):
        bound["x"] = np.ones((2, 2), f32)


def test_results_go_into_the_buffers_of_the_caller() -> None:
    net, out = compiled(product()), np.empty((5, 4), f32)
    assert net.run({"x": rows(5)}, {"y": out})["y"] is out
    np.testing.assert_allclose(out, expected(rows(5)), rtol=1e-5)


def test_constants_give_dimensions_their_extents() -> None:
    source = cache()
    found = glow.load(source, constants={"x": np.ones((2, 1), f32)})
    assert found.dims == ()
    assert glow.compile(found, "reference")(np.zeros((2, 2), f32))[0].shape == (2, 3)
    found = glow.load(source, constants={"z": np.ones((2, 1), f32)})
    assert found.dims == ("past",)
    with pytest.raises(BindingError, match='for past = 5: input "z" is given as'):
        glow.compile(found, "reference")(np.zeros((2, 5), f32))


def test_inputs_are_bound_before_dimensions_are_known() -> None:
    source = glow.load(cache())
    x = np.ones((2, 1), f32)
    bound = source.bind({"x": x})
    x[...] = 7
    assert bound.dims == ()
    found = glow.compile(bound, "reference")(np.zeros((2, 2), f32))[0]
    assert found.tolist() == [[1, 0, 0], [1, 0, 0]]
    scaled = model(
        [node("Mul", "x s", "y")], {"x": ("n", 3), "s": (3,)}, [info("y", ("n", 3))]
    )
    bound = glow.load(scaled).bind({"s": np.array([1, 2, 4], f32)})
    assert str(bound) == "model: (x: float32[n, 3]) -> (y: float32[n, 3])"
    net = glow.compile(bound, "reference")
    for count in (1, 2):
        assert net(np.ones((count, 3), f32)).tolist() == [[1, 2, 4]] * count
    text = message_of(
        BindingError,
        lambda: glow.load(scaled).bind({"s": np.ones(2, f32), "q": x, "x": x[0]}),
    )
    assert text == (
        'input "s" is given as float32[2], expected float32[3]; '
        'the model has no input "q" (it has "x", "s"); '
        'input "x" is given as float32[1], expected float32[n, 3]'
    )


def test_given_dimensions_agree_with_those_that_follow() -> None:
    dims = {"batch": 1, "past": 3, "past + 1": 4}
    assert glow.load(cache(), dims=dims).dims == ()
    text = message_of(
        InvalidModelError, lambda: glow.load(cache(), dims=dims | {"past + 1": 5})
    )
    assert text == 'dimension "past + 1" is given as 5, expected 4'


def test_names_may_occur_in_arithmetic_alone() -> None:
    source = model(
        [node("Relu", "x", "y")], {"x": ("past + new", "n")}, [info("y", None)]
    )
    assert glow.load(source).dims == ("past + new", "n")
    assert compiled(source)(np.ones((3, 2), f32)).shape == (3, 2)
    with pytest.raises(InvalidModelError, match='no symbolic dimension "past"'):
        glow.load(source, dims={"past": 2})
    assert glow.load(source, dims={"past": 2, "new": 1, "n": 2}).dims == ()


def test_symbols_of_results_follow() -> None:
    source = model(
        [node("Concat", "x x", "y", axis=0)], {"x": ("n",)}, [info("y", ("total",))]
    )
    net = compiled(source)
    assert net.dims == ("n",)
    assert str(net.outputs[0]) == "y: float32[total]"
    assert net(np.ones(3, f32)).shape == (6,)


def test_what_results_are_follows_from_the_nodes() -> None:
    source = model(
        [node("MatMul", "x w", "h"), node("ArgMax", "h", "y", axis=1, keepdims=0)],
        {"x": ("batch", 3)},
        ["y"],
        {"w": WEIGHT},
    )
    assert str(compiled(source).signature).endswith("-> (y: int64[batch])")
    source = model(
        [node("ATen", "w i", "y", domain="org.pytorch.aten", operator="embedding")],
        {"i": info("i", ("n",), "i64")},
        ["y"],
        {"w": WEIGHT},
        domains={"org.pytorch.aten": 1},
    )
    net = compiled(source)
    assert str(net.outputs[0]) == "y: ?[...]"
    with pytest.raises(BindingError, match="no size before its dimensions are known"):
        net.inputs[0].nbytes  # noqa: B018
    np.testing.assert_array_equal(net(np.array([2, 0])), WEIGHT[[2, 0]])


def test_changes_of_the_proto_are_not_seen() -> None:
    source = product()
    net = compiled(source)
    source.graph.node[1].op_type = "Neg"
    np.testing.assert_allclose(net(rows(2)), expected(rows(2)), rtol=1e-5)


def test_text_has_extents(tmp_path: Path) -> None:
    path = tmp_path / "net.mlir"
    path.write_text("""
func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %y = graph.relu %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  func.return %y : tensor<?x3xf32>
}
""")
    with pytest.raises(InvalidModelError, match="expected a static shape, got tensor<"):
        glow.load(path)


def test_a_file_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    path.write_bytes(product().SerializeToString())
    net = glow.compile(path, "reference")
    path.unlink()
    np.testing.assert_allclose(net(rows(2)), expected(rows(2)), rtol=1e-5)


@pytest.mark.parametrize("options", [{}, {"shapes": {"batch": [1, 8]}}])
def test_machine_code_is_kept_for_other_processes(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    for stage in ("machine", "cache"):
        net = glow.compile(product(), cache_dir=tmp_path, **options)
        assert isinstance(net, DynamicExecutable)
        np.testing.assert_allclose(net(rows(8)), expected(rows(8)), rtol=1e-5)
        assert net.specialize({"batch": 8}).stages[-1].name == stage
