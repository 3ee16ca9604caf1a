"""Gradients through choices and loops, beside differences of what Python computes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from canonical import canonical
from grids import slow_but
from onnx import parser

import glow

RNG = np.random.default_rng(0)
W, X = RNG.standard_normal((3, 3)) / 2, RNG.standard_normal(3)
ROWS = RNG.standard_normal((4, 3))


def scanned(w: Any, x: Any, rows: Any) -> Any:
    """A recurrent network, whose outputs count as well as what it leaves."""

    def step(state: Any, row: Any) -> Any:
        state = np.tanh(state @ w + row)
        return state, state * row

    last, outputs = glow.scan(step, x, rows, reverse=True)
    return np.sum(last) + np.sum(outputs * outputs)


def counted(w: Any, x: Any, rows: Any) -> Any:
    """The number of the iteration, a carried integer, and a state left alone."""

    def step(i: Any, state: Any) -> Any:
        s, n, still, unread = state
        return np.sin(s @ w) * i + still, n + 2, still, unread + x * n

    s, n, _, _ = glow.fori_loop(2, 6, step, (x, 1, rows[0], x))
    return np.sum(s * s) * n


def until(w: Any, x: Any, rows: Any) -> Any:
    """The number of iterations depends on data."""

    def goes_on(state: Any) -> Any:
        return np.sum(state * state) < 40.0

    def step(state: Any) -> Any:
        return np.sin(state @ w) + 1.5 * state + rows[1]

    return np.sum(glow.while_loop(goes_on, step, x, max_iterations=30))


def bounded(w: Any, x: Any, rows: Any) -> Any:
    """One row for each of a data-dependent number of iterations."""

    def step(state: Any, row: Any) -> Any:
        state = np.tanh(state @ w + row) + state
        return state, state * row

    def goes_on(state: Any) -> Any:
        return np.sum(state * state) < 3.0

    last, outputs = glow.scan(step, x, rows, condition=goes_on)
    return np.sum(last) + np.sum(outputs * outputs)


def chosen(w: Any, x: Any, rows: Any) -> Any:
    def other(a: Any, b: Any) -> Any:
        return np.cos(b) * 2, a

    def one(a: Any, b: Any) -> Any:
        return np.sin(a @ w), a * a

    total = 0.0
    for condition in (np.sum(x) > 0, np.sum(x) <= 0):
        first, second = glow.cond(condition, one, other, x, rows[2])
        total = total + np.sum(first * rows[3]) + np.sum(second)
    return total


def nested(w: Any, x: Any, rows: Any) -> Any:
    """A choice and a loop in a loop."""

    def inner(j: Any, s: Any) -> Any:
        return np.tanh(s @ w) + x * j

    def step(state: Any, row: Any) -> Any:
        s = glow.fori_loop(0, 3, inner, state)
        s = glow.cond(np.sum(s) > 0, lambda a: a * row, lambda a: a - row, s)
        return s, np.sum(s)

    last, sums = glow.scan(step, x, rows)
    return np.sum(last * last) + np.sum(sums * sums)


def never(w: Any, x: Any, rows: Any) -> Any:
    """No iteration at all."""
    return np.sum(glow.fori_loop(3, 3, lambda i, s: s @ w, x) * rows[0])


LOSSES: dict[str, Callable[..., Any]] = {
    f.__name__: f for f in (scanned, counted, until, bounded, chosen, nested, never)
}


def slope(loss: Callable[..., Any], lines: tuple[Any, ...]) -> float:
    sides = [
        loss(*(a + step * line for a, line in zip((W, X, ROWS), lines, strict=True)))
        for step in (1e-6, -1e-6)
    ]
    return float(sides[0] - sides[1]) / 2e-6


@pytest.mark.slow
@pytest.mark.parametrize("target", ["reference", "cpu"])
@pytest.mark.parametrize("name", slow_but(LOSSES, "chosen", "scanned", "never"))
def test_gradients_are_those_of_differences(name: str, target: str) -> None:
    loss = LOSSES[name]
    both = glow.jit(glow.value_and_grad(loss, (0, 1, 2)), target=target)
    value, gradients = both(W, X, ROWS)
    assert value == pytest.approx(loss(W, X, ROWS))
    lines = tuple(RNG.standard_normal(a.shape) for a in (W, X, ROWS))
    pairs = zip(gradients, lines, strict=True)
    found = sum(float((g * line).sum()) for g, line in pairs)
    assert found == pytest.approx(slope(loss, lines), rel=1e-6, abs=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("name", slow_but(["scanned", "chosen", "until"], "chosen"))
def test_gradients_of_gradients(name: str) -> None:
    loss, line = LOSSES[name], RNG.standard_normal(X.shape)

    def along(x: Any) -> Any:
        return np.sum(glow.grad(lambda own: loss(W, own, ROWS))(x) * line)

    found = glow.grad(along)(X)
    first = glow.jit(along)
    for place in range(3):
        step = np.eye(3)[place] * 1e-6
        expected = (first(X + step) - first(X - step)) / 2e-6
        assert found[place] == pytest.approx(expected, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("name", slow_but(LOSSES, "counted", "never"))
def test_an_exported_gradient_is_read_as_the_same(name: str, tmp_path: Path) -> None:
    """Loops stay loops, also where their iterations are known, few, or none."""
    for function in (LOSSES[name], glow.value_and_grad(LOSSES[name], (0, 1, 2))):
        model = glow.trace(function, W, X, ROWS)
        model.export(tmp_path / "net.onnx")
        read = glow.load(tmp_path / "net.onnx")
        assert "graph.loop" in str(read) or "graph.if" in str(read)
        assert canonical(read.module) == canonical(model.module)


def test_a_gradient_in_a_body() -> None:
    def descent(x: Any) -> Any:
        def step(i: Any, s: Any) -> Any:
            return s - 0.1 * glow.grad(lambda own: np.sum(own**4))(s)

        return glow.fori_loop(0, 5, step, x)

    expected = X.copy()
    for _ in range(5):
        expected = expected - 0.1 * 4 * expected**3
    np.testing.assert_allclose(glow.jit(descent)(X), expected)


def test_only_states_that_the_gradient_reads_are_stacked() -> None:
    """A product by what stays reads no state; a row is added where its part is."""

    def linear(w: Any, rows: Any) -> Any:
        last, _ = glow.scan(lambda s, row: (s @ W + row, 0.0), w[0], rows)
        return np.sum(last)

    model = glow.trace(glow.grad(linear, 1), W, ROWS)
    text = str(model)
    (forward, *_) = [line for line in text.splitlines() if "graph.loop @" in line]
    assert "4x3xf64" not in forward.partition("carries")[2].partition("with")[0]
    assert text.count("graph.scatter_nd") >= 1


def test_a_model_with_a_loop() -> None:
    text = """<ir_version: 8, opset_import: ["" : 17]>
        g (double[3] x, bool on) => (double loss) {
            many = Constant <value = int64 {5000}> ()
            y = Loop (many, on, x) <body = b (int64 i, bool c, double[3] s)
                => (bool again, double[3] t) {
                    half = Constant <value = double {0.5}> ()
                    t = Mul (s, half)
                    least = Constant <value = double {0.1}> ()
                    square = ReduceSumSquare <keepdims = 0> (t)
                    again = Greater (square, least)
                }>
            loss = ReduceSum <keepdims = 0> (y)
        }"""
    model = glow.load(parser.parse_model(text)).gradient(["x"], loss="loss")
    found = glow.compile(model).run([np.ones(3), np.array(True)])
    assert found["loss"] == 3 * 0.5**3
    np.testing.assert_array_equal(found["x_gradient"], np.full(3, 0.5**3))


def test_a_model_with_a_loop_that_a_known_condition_ends() -> None:
    text = """<ir_version: 8, opset_import: ["" : 17]>
        g (double[3] x) => (double loss) {
            one = Constant <value = int64 {1}> ()
            on = Constant <value = bool {1}> ()
            y, n = Loop ( , on, x, one) <body = b (int64 i, bool c, double[3] s,
                int64 m) => (bool again, double[3] t, int64 l) {
                    t = Mul (s, x)
                    l = Add (m, one)
                    four = Constant <value = int64 {4}> ()
                    again = Less (l, four)
                }>
            loss = ReduceSum <keepdims = 0> (y)
        }"""
    model = glow.load(parser.parse_model(text)).gradient(["x"], loss="loss")
    found = glow.compile(model).run([np.full(3, 2.0)])
    np.testing.assert_array_equal(found["x_gradient"], np.full(3, 4 * 2.0**3))


def test_what_is_refused_names_the_way() -> None:
    def endless(x: Any) -> Any:
        return np.sum(np.exp(glow.while_loop(lambda s: s[0] < 9, lambda s: s * 2, x)))

    message = (
        r"cannot differentiate graph.loop: the most iterations there may be are "
        r"known only at run time, expected a limit that is constant, such as "
        r"max_iterations; the way from it to the results is graph.loop .* -> graph.exp "
        r".* -> graph.reduce"
    )
    with pytest.raises(glow.TracingError, match=message):
        glow.grad(endless)(X)

    def with_a_step(x: Any) -> Any:
        def step(i: Any, s: Any) -> Any:
            return np.linalg.det(np.reshape(np.tile(s, 27), (9, 9))) * s

        return np.sum(glow.fori_loop(0, 3, step, x))

    with pytest.raises(glow.TracingError, match=r"graph.det: .* -> graph.loop .* -> "):
        glow.grad(with_a_step)(X)
