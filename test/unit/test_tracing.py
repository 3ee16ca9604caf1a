"""Functions that are traced: names, nesting, constants, state, what is kept."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import glow
from glow.model import debug_text
from glow.tracing.memory_views import view_of
from glow.tracing.pytrees import flatten, map_leaves, unflatten

Array = np.ndarray[Any, Any]

RNG = np.random.default_rng(5)
W = RNG.standard_normal((4, 4)).astype(np.float32)
X = RNG.standard_normal((2, 4)).astype(np.float32)


@dataclass
class Layer:
    weight: Any
    bias: Any = None


class Pair(NamedTuple):
    one: Any
    two: Any


def text_of(model: glow.Model) -> list[str]:
    return [line.strip() for line in str(model).splitlines()]


def test_names_come_from_the_structure() -> None:
    def network(layers: Any, x: Any, *more: Any, scale: Any, **rest: Any) -> Any:
        y = x @ layers["hidden"].weight + layers["hidden"].bias + more[0] * scale
        return {"y": y, "parts": [Pair(y.sum(), None), (rest["last"] * 2,)]}

    layers = {"hidden": Layer(W, W[0]), "unused": [W]}
    net = glow.compile(
        glow.trace(network, layers, X, X, scale=2.0, last=np.int32(3)), "reference"
    )
    assert [spec.name for spec in net.inputs] == [
        *("layers.hidden.weight", "layers.hidden.bias", "layers.unused.0"),
        *("x", "more.0", "scale", "last"),
    ]
    assert [str(spec) for spec in net.outputs] == [
        "result.y: float32[2, 4]",
        "result.parts.0.one: float32[]",
        "result.parts.1.0: int32[]",
    ]


def test_results_are_nested_as_the_function_nests_them() -> None:
    @glow.jit(target="reference")
    def nested(x: Any) -> Any:
        return Layer(x, [None, "text", (x > 0, 1)]), Pair(2.5, {"k": x})

    layer, pair = nested(X)
    assert isinstance(layer, Layer)
    assert layer.bias[:2] == [None, "text"]
    np.testing.assert_array_equal(layer.bias[2][0], X > 0)
    assert (pair.one, pair.two["k"].shape) == (2.5, (2, 4))


def test_locations_are_lines_of_the_function() -> None:
    def function(x: Any) -> Any:
        y = np.exp(x)
        return y + 1

    line = function.__code__.co_firstlineno
    text = debug_text(glow.trace(function, X))
    assert f'test_tracing.py":{line + 1}:' in text
    assert f'test_tracing.py":{line + 2}:' in text


@pytest.mark.slow
def test_the_same_memory_is_one_symbol() -> None:
    def views(x: Any) -> Any:
        return x @ W, x @ W.T, x @ W[::-1], x[:, 1:3] @ W[1:3, ::2], W.reshape(-1)

    model = glow.trace(views, X)
    assert sum("graph.constant" in line for line in text_of(model)) == 1
    assert any("graph.constant @W" in line for line in text_of(model))
    for got, wanted in zip(glow.compile(model, "reference")(X), views(X), strict=True):
        np.testing.assert_allclose(got, wanted, 1e-6, 1e-6)


def test_an_argument_that_is_also_closed_over_is_one_symbol() -> None:
    model = glow.trace(lambda weight, x: x @ weight + W, W, X[:1])
    assert not any("graph.constant" in line for line in text_of(model))
    # A function that is compiled gets other arrays later.
    function = glow.jit(lambda weight, x: x @ weight + W, target="reference")
    function(W, X[:1])
    np.testing.assert_allclose(function(W * 2, X[:1]), X[:1] @ W * 2 + W, 1e-6)


@given(st.data())
def test_views_are_found(data: st.DataObject) -> None:
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    base = np.arange(np.prod(shape)).reshape(shape)
    index: list[Any] = []
    for extent in shape:
        first = data.draw(st.integers(0, extent - 1))
        if data.draw(st.booleans()):
            step = data.draw(st.sampled_from([1, 2, -1, -2]))
            index.append(slice(first, None, step))
        else:
            index.append(first)
    part = base[(*index, ...)]  # an array in any case, which is a view
    order = data.draw(st.permutations(range(part.ndim)))
    view = part.transpose(order)
    found = view_of(base, view)
    assert found is not None
    part = base[(*found.index, ...)].transpose(found.order)
    np.testing.assert_array_equal(part.reshape(found.shape), view)


def test_variables_are_updated_in_place() -> None:
    total = glow.Variable(np.zeros(3, np.float32), "total")
    memory = total.value

    @glow.jit(target="cpu")
    def add(x: Any) -> Any:
        total.value = total + x
        return total.value * 2

    @glow.jit(target="reference")
    def read() -> Any:
        return total.sum(), np.concatenate([total, total[:1]])

    x = np.arange(3, dtype=np.float32)
    np.testing.assert_array_equal(add(x), x * 2)
    np.testing.assert_array_equal(add(x), x * 4)
    np.testing.assert_array_equal(memory, x * 2)
    total.value = np.ones(3, np.float32)
    total += 1
    assert read()[0] == 6
    np.testing.assert_array_equal(read()[1], [2, 2, 2, 2])
    assert 'graph.placeholder @total "inout" "resident"' in str(glow.trace(add, x))


def test_composites_are_one_call_per_kind() -> None:
    @glow.composite(name="net.scaled")
    def scaled(x: Any, factor: float = 2.0) -> Any:
        return x * factor + W[0]

    def function(x: Any) -> Any:
        offset = x.sum()

        @glow.composite
        def inner(y: Any) -> Any:
            return y + offset

        return scaled(x) + scaled(x * 2) + scaled(x, factor=3.0) + inner(x)

    model = glow.trace(function, X)
    lines = text_of(model)
    assert sum("graph.call @scaled" in line for line in lines) == 3
    assert sum('composite = "net.scaled"' in line for line in lines) == 2
    expected = 2 * X + 4 * X + 3 * X + 3 * W[0] + X + X.sum()
    for target in ("reference", "cpu"):
        got = glow.compile(model, target)(X)
        np.testing.assert_allclose(got, expected, 1e-5, 1e-5)
    np.testing.assert_allclose(scaled(X), X * 2 + W[0])


@glow.composite
def squashed(x: Any) -> Any:
    return np.tanh(x * 0.5)


def loss(x: Any) -> Any:
    return (squashed(x @ W) ** 2).sum()


def test_composites_are_differentiated_and_exported(tmp_path: Path) -> None:
    whole = glow.jit(glow.grad(loss), target="reference")(X)
    plain = np.tanh(X @ W * 0.5)
    np.testing.assert_allclose(whole, (plain * (1 - plain**2)) @ W.T, 1e-4, 1e-5)
    model = glow.trace(loss, X)
    gradient = glow.compile(model.gradient(of=["x"]), "reference")(X)
    np.testing.assert_allclose(gradient[1], whole, 1e-5, 1e-6)
    model.export(tmp_path / "loss.onnx")
    again = glow.compile(glow.load(tmp_path / "loss.onnx"), "reference")
    np.testing.assert_allclose(again(X), loss(X), 1e-5)


def test_code_is_kept_per_kind_of_arguments() -> None:
    traced: list[tuple[int, ...]] = []

    @glow.jit(static=("times",), target="reference", cache_size=4)
    def repeated(x: Any, times: int = 1, scale: float = 1.0, flag: bool = False) -> Any:
        traced.append(x.shape)
        for _ in range(times):
            x = x + scale
        return -x if flag else x

    for _ in range(2):
        np.testing.assert_allclose(repeated(X, 2, 0.5), X + 1, 1e-6)
        np.testing.assert_allclose(repeated(X, 2, 1.5), X + 3, 1e-6)
        np.testing.assert_allclose(repeated(X[:1], times=3), X[:1] + 3, 1e-6)
        np.testing.assert_array_equal(repeated(X, flag=True), -(X + 1))
    assert len(traced) == 3


def test_numbers_give_way_to_arrays() -> None:
    @glow.jit(target="reference")
    def function(x: Any, n: Any, f: Any) -> Any:
        return x * n, x * f, n * f, n + 1

    results = function(np.ones(2, np.float16), 2, 1.5)
    assert [r.dtype.name for r in results] == ["float16", "float16", "float64", "int64"]


def test_dimensions_with_names_stay_open() -> None:
    total = glow.Variable(np.zeros((), np.float32), "total")

    def function(x: Any, y: Any) -> Any:
        total.value = total + x.sum()
        return x @ W, np.concatenate([x, y[:, :4]]), x.reshape(-1)

    model = glow.trace(
        function,
        glow.ShapeDtype(("batch", 4)),
        glow.ShapeDtype(("rows", "width"), np.float64),
    )
    assert model.dims == ("batch", "rows", "width")
    assert "result.0: float32[batch, 4]" in str(model)
    assert "result.2: float32[...]" in str(model)
    with pytest.raises(glow.BindingError, match='dimensions "batch", "rows", "width"'):
        str(model.module)
    net = glow.compile(model, "reference")
    for batch in (2, 3):
        x, y = np.ones((batch, 4), np.float32), np.zeros((5, 6))
        got = net(x, y)
        np.testing.assert_allclose(got[0], x @ W, 1e-5)
        assert [each.shape for each in got] == [
            (batch, 4),
            (batch + 5, 4),
            (4 * batch,),
        ]
    with pytest.raises(glow.BindingError, match="known to bind inputs"):
        model.bind({"x": X})


class Model:
    def __init__(self) -> None:
        self.weight = W

    @glow.jit(target="reference")
    def __call__(self, x: Any) -> Any:
        return x @ self.weight


def test_methods_are_compiled_per_instance() -> None:
    np.testing.assert_allclose(Model()(X), X @ W, 1e-6)


def test_functions_that_are_compiled_are_traced_in_others() -> None:
    inner = glow.jit(lambda x: np.exp(x))
    assert "graph.exp" in str(glow.trace(lambda x: inner(x) + 1, X))


def test_code_for_the_array_api_traces() -> None:
    def standardized(x: Any) -> Any:
        xp = x.__array_namespace__()
        gap = x - xp.mean(x, axis=0, keepdims=True)
        spread = xp.sqrt(xp.mean(gap**2, axis=0))
        zeros = xp.zeros(x.shape, dtype=xp.float32)
        return xp.where(spread > 0, gap / spread, zeros), xp.linalg.vector_norm(x)

    got = glow.jit(standardized, target="reference")(X)
    gap = X - X.mean(0)
    np.testing.assert_allclose(got[0], gap / gap.std(0), 1e-5)
    with pytest.raises(AttributeError, match="has no 'gradient'"):
        glow.trace(lambda x: x.__array_namespace__().gradient(x), X)


trees = st.recursive(
    st.none() | st.text(max_size=2) | st.floats(allow_nan=False) | st.booleans(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=2), inner, max_size=3)
        | st.builds(Layer, inner, inner)
        | st.builds(Pair, inner, inner)
    ),
)


@given(trees)
def test_trees_are_flattened_and_built_again(tree: Any) -> None:
    leaves, structure = flatten(tree)
    again = unflatten(structure, [leaf.value for leaf in leaves])
    assert again == tree
    assert flatten(again)[1] == structure
    assert hash(flatten(again)[1]) == hash(structure)
    assert map_leaves(lambda x: -x, map_leaves(lambda x: -x, tree)) == tree


def test_trees_of_other_structures_are_refused() -> None:
    with pytest.raises(ValueError, match=r"expected the structure \{'a': \*\}, got"):
        map_leaves(lambda x, y: x + y, {"a": 1.0}, [2.0])


@pytest.mark.slow
def test_importing_glow_imports_no_compiler() -> None:
    code = "import glow, sys; print('xdsl' in sys.modules, glow.jit.__name__)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.split() == ["False", "jit"], run.stderr
