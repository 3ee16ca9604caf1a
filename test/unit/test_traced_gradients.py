"""Gradients of Python functions: numbers, nesting, and what is refused, where."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from canonical import canonical

import glow

RNG = np.random.default_rng(3)
X = RNG.standard_normal((5, 3))
PARAMS = {"w": RNG.standard_normal((3, 4)), "layers": [RNG.standard_normal(4)]}


def loss(params: Any, x: Any) -> Any:
    hidden = np.tanh(x @ params["w"] + params["layers"][0])
    return np.mean(hidden * hidden)


def slopes(function: Any, x: np.ndarray) -> np.ndarray:
    """Return central differences of a function of an array."""
    found = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[place] = 1e-6
        found[place] = (function(x + step) - function(x - step)) / 2e-6
    return found


def test_gradients_are_nested_as_the_argument() -> None:
    value, found = glow.value_and_grad(loss)(PARAMS, X)
    assert value == pytest.approx(loss(PARAMS, X))
    expected = slopes(lambda w: loss({**PARAMS, "w": w}, X), PARAMS["w"])
    np.testing.assert_allclose(found["w"], expected, 1e-6, 1e-8)
    expected = slopes(lambda b: loss({**PARAMS, "layers": [b]}, X), PARAMS["layers"][0])
    np.testing.assert_allclose(found["layers"][0], expected, 1e-6, 1e-8)


def test_of_several_arguments_and_with_a_second_result() -> None:
    def with_aux(x: Any, y: Any) -> Any:
        return np.sum(x * y), {"sum": x + y}

    x, y = X[0], X[1]
    (by_x, by_y), aux = glow.grad(with_aux, (0, -1), has_aux=True)(x, y)
    np.testing.assert_array_equal(by_x, y)
    np.testing.assert_array_equal(by_y, x)
    np.testing.assert_array_equal(aux["sum"], x + y)


def test_only_uses_of_the_argument_count() -> None:
    @glow.jit
    def both(x: Any) -> Any:
        return glow.grad(lambda own: np.sum(own * x))(x)

    np.testing.assert_array_equal(both(X), X)


def test_of_functions_that_are_compiled() -> None:
    @glow.jit
    def square(x: Any) -> Any:
        return (x * x).sum()

    x = np.array([1.0, 2.0])
    for function in (glow.grad(square), glow.jit(glow.grad(square))):
        assert np.array_equal(function(x), 2 * x)


def test_gradients_of_gradients() -> None:
    def cubes(x: Any) -> Any:
        return np.sum(np.sin(x) ** 3)

    second = glow.grad(lambda x: np.sum(glow.grad(cubes)(x) * X[0]))(X[1])
    sine, cosine = np.sin(X[1]), np.cos(X[1])
    expected = X[0] * (6 * sine * cosine**2 - 3 * sine**3)
    np.testing.assert_allclose(second, expected, 1e-9)


def test_composites_have_the_gradient_of_their_body() -> None:
    @glow.composite
    def squared(x: Any) -> Any:
        return x * x

    found = glow.grad(lambda x: np.sum(squared(squared(x))))(X)
    np.testing.assert_allclose(found, 4 * X**3)


@glow.composite(name="rounded", gradient=lambda given, result, cotangent: cotangent)
def rounded(x: Any) -> Any:
    return np.round(x)


def scaled_gradient(given: Any, results: Any, cotangents: Any) -> Any:
    tree, _, count = given
    a = cotangents["y"] * tree["b"] * count
    return {"a": a, "b": cotangents["y"] * 0 + 7.0}, None, None


@glow.composite(gradient=scaled_gradient)
def scaled(tree: Any, places: Any, count: int) -> Any:
    return {"y": tree["a"] * tree["b"] * count, "n": places + 1}


@pytest.mark.slow
def test_a_composite_may_have_a_gradient_of_its_own() -> None:
    def loss(x: Any) -> Any:
        return np.sum(rounded(3 * rounded(x)) * x)

    expected = np.round(3 * np.round(X)) + 3 * X
    np.testing.assert_allclose(glow.grad(loss)(X), expected)
    model = glow.trace(loss, X)
    net = glow.compile(model.gradient(["x"]))
    np.testing.assert_allclose(net.run([X])["x_gradient"], expected)
    outer = glow.grad(lambda x: np.sum(glow.grad(loss)(x) ** 2))(X)
    np.testing.assert_allclose(outer, 2 * expected * (3 + 3))

    def nested(a: Any, b: Any) -> Any:
        made = scaled({"a": a, "b": b}, np.arange(3), 2)
        return np.sum(made["y"] ** 2) + np.sum(made["n"])

    first, second = glow.grad(nested, (0, 1))(X, X)
    np.testing.assert_allclose(first, 2 * (2 * X * X) * X * 2)
    np.testing.assert_allclose(second, np.full(X.shape, 7.0))


def test_a_composite_with_a_gradient_is_exported_without_it(tmp_path: Path) -> None:
    model = glow.trace(lambda x: rounded(x) * 2, X)
    model.export(tmp_path / "net.onnx")
    read = glow.load(tmp_path / "net.onnx")
    assert canonical(read.module) == canonical(model.module)
    assert "@rounded_gradient" not in str(read)
    assert "graph.call" not in model.ir("graph")


def test_wrong_gradients_of_composites_are_refused() -> None:
    def called(gradient: Any) -> Any:
        own = glow.composite(name="own", gradient=gradient)(lambda x: x["a"] * 2)
        return lambda x: own({"a": x})

    cases: dict[str, Any] = {
        "own: expected a gradient for each of 1 arguments, got 2": lambda *_: (1, 2),
        r"own: expected gradients nested as the argument, \{.*\}, got \*": (
            lambda given, result, g: g
        ),
        r"own: expected a gradient of shape \[5, 3\], got \[\]": (
            lambda given, result, g: {"a": np.sum(g)}
        ),
    }
    for message, gradient in cases.items():
        refuse(message, lambda x, g=gradient: glow.trace(called(g), x), X)

    def around(x: Any) -> Any:
        own = glow.composite(gradient=lambda given, result, g: g * x)(np.tanh)
        return own(x)

    refuse(".* that uses nothing but what it is given", glow.trace, around, X)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((3,), (3,)),
        ((3,), (3, 2)),
        ((5, 3), (3,)),
        ((4, 5, 3), (3,)),
        ((4, 5, 3), (3, 2)),
        ((5, 3), (4, 3, 2)),
        ((3,), (4, 3, 2)),
        ((4, 1, 5, 3), (6, 3, 2)),
        ((0, 5, 3), (3,)),
    ],
)
def test_products_of_all_ranks(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    a, b, da, db = (rng.standard_normal(s) for s in (left, right, left, right))

    def loss(a: Any, b: Any) -> Any:
        return np.sum(np.sin(a @ b))

    by_a, by_b = glow.grad(loss, (0, 1))(a, b)
    found = np.sum(by_a * da) + np.sum(by_b * db)
    expected = np.sum(np.cos(a @ b) * (da @ b + a @ db))
    assert (by_a.shape, by_b.shape) == (left, right)
    np.testing.assert_allclose(found, expected)


def test_vector_products_both_ways() -> None:
    @glow.jit
    def backward(x: Any, line: Any) -> Any:
        value, pullback = glow.vjp(lambda x: {"y": np.sin(x)}, x)
        return value["y"], pullback({"y": line})

    value, (found,) = backward(X, X + 1)
    np.testing.assert_allclose(value, np.sin(X))
    np.testing.assert_allclose(found, np.cos(X) * (X + 1))

    @glow.jit
    def forward(x: Any, line: Any) -> Any:
        return glow.jvp(lambda x: (x * np.sin(x), x @ x.T), (x,), (line,))

    (value, _), (first, second) = forward(X, X + 1)
    np.testing.assert_allclose(value, X * np.sin(X))
    np.testing.assert_allclose(first, (np.sin(X) + X * np.cos(X)) * (X + 1))
    np.testing.assert_allclose(second, (X + 1) @ X.T + X @ (X + 1).T)


def test_variables_are_differentiated_by_what_they_hold() -> None:
    weights = glow.Variable(X.copy())

    @glow.jit
    def step() -> Any:
        value, gradient = glow.value_and_grad(lambda w: np.sum(w * w))(weights)
        weights.value = weights.value - 0.25 * gradient
        return value

    assert step() == pytest.approx((X * X).sum())
    np.testing.assert_allclose(weights.value, X / 2)


def refuse(message: str, function: Any, *arguments: Any) -> None:
    with pytest.raises(glow.TracingError, match=message) as caught:
        function(*arguments)
    place = r"[^\n]*test_traced_gradients\.py:\d+: [^\n]*"
    assert re.fullmatch(place, str(caught.value))


def test_what_is_refused() -> None:
    refuse("f: expected a result of one float, got float64 of shape", f_grad(), X)
    refuse(
        "expected a result of one float, got int64", f_grad(lambda x: np.argmax(x)), X
    )
    refuse(
        "expected arguments of floats, got int64 for 0", f_grad(np.sum), np.arange(3)
    )
    refuse("expected argnums below 1", glow.grad(lambda x: np.sum(x), 1), X)
    refuse("a pair of results with has_aux", glow.grad(np_sum, has_aux=True), X)
    refuse("vjp: expected a call inside a function", glow.vjp, np.sum, X)

    def bad_cotangent(x: Any) -> Any:
        return glow.vjp(np.sin, x)[1](x[0])

    refuse("vjp: expected a gradient of shape", glow.jit(bad_cotangent), X)

    def bad_nesting(x: Any) -> Any:
        return glow.vjp(np.sin, x)[1]((x,))

    refuse("expected gradients nested as the results", glow.jit(bad_nesting), X)

    def bad_tangents(x: Any) -> Any:
        return glow.jvp(np.sin, (x,), (x, x))

    refuse("jvp: expected tangents nested as", glow.jit(bad_tangents), X)


def np_sum(x: Any) -> Any:
    return np.sum(x)


def f_grad(function: Any = None) -> Any:
    def f(x: Any) -> Any:
        return x * 2 if function is None else function(x)

    return glow.grad(f)
