"""Choices and loops in traced functions: what Python computes, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from canonical import canonical
from grids import examples, slow_but
from hypothesis import given
from hypothesis import strategies as st

import glow
from glow.support.errors import TracingError

X = np.array([1.0, 2.0, 3.0], np.float32)
W = np.arange(9, dtype=np.float32).reshape(3, 3) / 10


@dataclass
class Root:
    """A root and how far it has moved."""

    value: Any
    change: Any


def newton(x: Any) -> Any:
    def goes_on(state: Root) -> Any:
        return np.abs(state.change).max() > 1e-5

    def step(state: Root) -> Root:
        value = (state.value + x / state.value) / 2
        return Root(value, value - state.value)

    start = Root(x + 1, np.ones_like(x))
    return glow.while_loop(goes_on, step, start, max_iterations=100).value


def chosen(x: Any, n: Any) -> Any:
    def more(a: Any, k: Any) -> Any:
        return {"a": a * k, "b": (a + X,)}

    return glow.cond(x.sum() > n, more, lambda a, k: {"a": a - k, "b": (x,)}, x, n)


def summed(n: Any, x: Any) -> Any:
    def inner(i: Any, s: Any) -> Any:
        return glow.fori_loop(0, i, lambda j, t: t @ W + j, s)

    return glow.fori_loop(1, n, inner, x), glow.fori_loop(0, n, lambda i, s: s + i, 0)


def rows(x: Any) -> Any:
    def step(carry: Any, part: Any) -> Any:
        new = np.tanh(part @ W + carry)
        return new, (new * 2, part.sum())

    xs = np.stack([x, x + 1, -x, x * x])
    forward = glow.scan(step, x, xs)
    return (
        forward,
        glow.scan(step, x, xs, reverse=True),
        glow.scan(lambda c, _: (c * 2, c), x, length=3),
    )


def bounded(x: Any, most: Any) -> Any:
    """One row for each of a data-dependent number of iterations, and their number."""

    def step(carry: Any, part: Any) -> Any:
        iteration, state = carry
        new = np.tanh(part @ W) + state + 1
        return (iteration + 1, new), (new * 2, {"iteration": iteration + 5})

    def goes_on(carry: Any) -> Any:
        return carry[1].sum() < most

    xs, start = np.stack([x, x + 1, -x, x * x]), (np.int64(0), x)
    return (
        glow.scan(step, start, xs, condition=goes_on),
        glow.scan(step, start, xs, condition=goes_on, reverse=True),
        glow.scan(step, start, xs[:0], condition=goes_on),
    )


CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "while": (newton, (X,)),
    "then": (chosen, (X, np.float32(2))),
    "else": (chosen, (X, np.float32(9))),
    "for": (summed, (np.int64(4), X)),
    "no iterations": (summed, (np.int64(0), X)),
    "scan": (rows, (X,)),
    "two rows": (bounded, (X, np.float32(13))),
    "no row": (bounded, (X, np.float32(1))),
    "all rows": (bounded, (X, np.float32(99))),
}


def same(got: Any, wanted: Any) -> None:
    if isinstance(wanted, dict):
        for key in wanted:
            same(got[key], wanted[key])
    elif isinstance(wanted, tuple):
        for one, other in zip(got, wanted, strict=True):
            same(one, other)
    else:
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["reference", "cpu"])
@pytest.mark.parametrize(
    "name", slow_but(CASES, "two rows", "scan", "while", "then", "else")
)
def test_what_is_traced_is_what_python_computes(name: str, target: str) -> None:
    function, arguments = CASES[name]
    same(glow.jit(target=target)(function)(*arguments), function(*arguments))


@given(st.integers(-3, 12), st.integers(-3, 12))
def test_any_bounds(lower: int, upper: int) -> None:
    wanted = np.arange(lower, max(upper, lower)).sum() if upper > lower else 0
    assert _sum_of(np.int64(lower), np.int64(upper)) == wanted


@glow.jit
def _sum_of(lower: Any, upper: Any) -> Any:
    return glow.fori_loop(lower, upper, lambda i, s: s + i, np.int64(0))


STEPS = st.recursive(
    st.sampled_from(["add", "swap", "tanh", "product"]),
    lambda inner: st.tuples(
        st.sampled_from(["for", "while", "if"]), st.lists(inner, max_size=3)
    ),
    max_leaves=6,
)


def performed(step: Any, a: Any, b: Any, n: Any) -> Any:
    """Do a step of a program, which may hold others, to two arrays and a number."""
    match step:
        case "add":
            return a + b, b, n + 1
        case "swap":
            return b, a, n
        case "tanh":
            return np.tanh(a), a, n
        case "product":
            return a @ W, b, n - 1
        case ("for", inner):
            last = np.minimum(np.abs(n), 2)
            every = lambda i, state: all_performed(inner, *state)  # noqa: E731
            return glow.fori_loop(0, last, every, (a, b, n))
        case ("while", inner):

            def goes_on(state: Any) -> Any:
                return (state[3] < 2) & (state[0].sum() < 4)

            def iteration(state: Any) -> Any:
                return *all_performed(inner, *state[:3]), state[3] + 1

            *state, _ = glow.while_loop(goes_on, iteration, (a, b, n, np.int64(0)))
            return tuple(state)
        case (_, inner):
            then = lambda *state: all_performed(inner, *state)  # noqa: E731
            return glow.cond(a.sum() > 1, then, lambda a, b, n: (b, b, n), a, b, n)


def all_performed(steps: Any, a: Any, b: Any, n: Any) -> Any:
    for step in steps:
        a, b, n = performed(step, a, b, n)
    return a, b, n


@pytest.mark.slow
@examples(12)
@given(st.lists(STEPS, min_size=1, max_size=3), st.integers(-2, 2))
def test_any_nesting_computes_what_python_does(program: Any, n: int) -> None:
    def run(a: Any, b: Any, n: Any) -> Any:
        return all_performed(program, a, b, n)

    given = X / 3, -X / 2, np.int64(n)
    for target in ("reference", "cpu"):
        same(glow.jit(target=target)(run)(*given), run(*given))


def test_a_number_takes_the_type_that_the_body_gives_it() -> None:
    model = glow.trace(lambda x: glow.fori_loop(0, 3, lambda i, s: s + x, 0.0), X[0])
    assert "graph.loop" in str(model)
    assert "f64" not in str(model).partition("graph.loop")[2]


def to_seven(x: Any) -> Any:
    return glow.while_loop(lambda s: s < 7, lambda s: s + 1, x, max_iterations=7)


@pytest.mark.parametrize("target", ["reference", "reference-checked", "cpu", "python"])
def test_a_loop_that_its_bound_ends_is_a_fault(target: str) -> None:
    counting = to_seven if target == "python" else glow.jit(target=target)(to_seven)
    assert counting(np.int64(0)) == 7
    assert counting(np.int64(9)) == 9
    with pytest.raises(glow.ExecutionError, match="expected a condition that ends"):
        counting(np.int64(-1))


def test_the_bound_is_a_guard_in_an_exported_model_too(tmp_path: Path) -> None:
    model = glow.trace(to_seven, np.int64(0))
    model.export(tmp_path / "net.onnx")
    read = glow.load(tmp_path / "net.onnx")
    assert canonical(read.module) == canonical(model.module)


WRONG: dict[str, tuple[Callable[[Any], Any], str]] = {
    "structure": (
        lambda x: glow.while_loop(lambda s: s[0] > 0, lambda s: s[0], (x[0],)),
        "glow.while_loop: expected a body that returns what it is given, (*,), got *",
    ),
    "shape": (
        lambda x: glow.fori_loop(0, 3, lambda i, s: {"h": s["h"][:2]}, {"h": x}),
        'glow.fori_loop: expected a body that keeps the shape and type of "h", '
        "float32[3], got float32[2]",
    ),
    "type": (
        lambda x: glow.fori_loop(0, 3, lambda i, s: s.astype(np.float64), x),
        "keeps the shape and type of the state, float32[3], got float64[3]",
    ),
    "condition": (
        lambda x: glow.while_loop(lambda s: s > 0, lambda s: s, x),
        "glow.while_loop: expected a condition that is a scalar of bools, got bool[3]",
    ),
    "predicate": (
        lambda x: glow.cond(x[0], lambda: x, lambda: x),
        "glow.cond: expected a condition that is a scalar of bools, got float32[]",
    ),
    "branches": (
        lambda x: glow.cond(x[0] > 0, lambda: x, lambda: (x, x)),
        "glow.cond: expected functions whose results are nested alike, got * and "
        "(*, *)",
    ),
    "branch types": (
        lambda x: glow.cond(x[0] > 0, lambda: x, lambda: x[:1]),
        "glow.cond: expected functions whose results have the same types, got "
        "tensor<3xf32> and tensor<1xf32> for array 0; convert one of them",
    ),
    "bounds": (
        lambda x: glow.fori_loop(0, x, lambda i, s: s, x),
        "glow.fori_loop: expected bounds that are scalars",
    ),
    "lengths": (
        lambda x: glow.scan(lambda c, p: (c, p), x, (x, x[:2])),
        "glow.scan: expected arrays of one length along their first axes, or a "
        "length, got 2, 3",
    ),
    "no length": (
        lambda x: glow.scan(lambda c, p: (c, p), x),
        "or a length, got neither",
    ),
    "no pair": (
        lambda x: glow.scan(lambda c, p: c, x, x),
        "glow.scan: expected a function that returns a carry and an output, got a",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit_is_refused_at_its_line(name: str) -> None:
    function, message = WRONG[name]
    with pytest.raises(TracingError) as caught:
        glow.trace(function, X)
    assert message in str(caught.value)
    assert "test_traced_control_flow.py:" in str(caught.value)
    assert "\n" not in str(caught.value)
