"""Calls and values that a function cannot be traced for are refused at their line."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import glow

X = np.ones((3, 4), np.float32)
STATE = glow.Variable(np.zeros(3, np.float32))


def scaled(x: Any, factor: Any = 2.0) -> Any:
    return x * factor


CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "an array of objects": (
        lambda: glow.jit(scaled)(np.array([None, 1])),
        "scaled: x: expected an array of .*, got object",
    ),
    "an array of complex numbers": (
        lambda: glow.jit(scaled)(X * 1j),
        "scaled: x: expected an array of .*, got complex64",
    ),
    "a set": (
        lambda: glow.jit(scaled)({1.0}),
        "scaled: x: expected an array, a number, or .*, got a set",
    ),
    "another argument": (
        lambda: glow.jit(scaled)(X, scale=3),
        "scaled: got an unexpected keyword argument 'scale'",
    ),
    "a static list": (
        lambda: glow.jit(scaled, static="factor")(X, [1]),
        "scaled: factor: expected a static value that has a hash, got a list; .*",
    ),
    "a shape below zero": (
        lambda: glow.trace(scaled, glow.ShapeDtype((2, -1))),
        r"scaled: x: expected a shape of extents of at least 0, .*, got \(2, -1\)",
    ),
    "a shape that is none": (
        lambda: glow.trace(scaled, glow.ShapeDtype(2.5)),  # pyright: ignore
        "scaled: x: expected a shape of extents of at least 0, .*, got 2.5",
    ),
    "nothing to return": (
        lambda: glow.jit(lambda x: None)(X),
        "<lambda>: expected arrays as results, got none",
    ),
    "a generator": (
        lambda: glow.jit(lambda x: (y for y in x))(X),
        "<lambda>: expected arrays as results, got a generator",
    ),
    "a result that is not an array": (
        lambda: glow.jit(lambda x: {x.shape, 3})(X),
        "<lambda>: result: expected an array, a number, or .*, got a set",
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_that_do_not_fit_are_refused_at_their_line(name: str) -> None:
    call, message = CALLS[name]
    with pytest.raises(glow.TracingError) as raised:
        call()
    place, _, text = str(raised.value).partition(": ")
    line = call.__code__.co_firstlineno
    assert place.endswith(f"test_tracing_calls.py:{line}")
    assert re.fullmatch(message, text), text


def test_values_that_a_function_closes_over_must_stay() -> None:
    factor, weights = 2.0, np.ones(4, np.float32)

    @glow.jit(target="reference")
    def apply(x: Any) -> Any:
        return x * weights * factor

    np.testing.assert_array_equal(apply(X), X * 2)
    factor = 3.0
    with pytest.raises(glow.TracingError, match=r"expected factor as .* 2.0, got 3.0"):
        apply(X)
    factor = 2.0
    weights[0] = 5
    with pytest.raises(glow.TracingError, match=r"expected weights as .* elements"):
        apply(X)


def test_what_is_no_function_or_array_is_refused() -> None:
    with pytest.raises(glow.TracingError, match="jit: expected a function, got an int"):
        glow.jit(3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match="Variable: expected an array of"):
        glow.Variable([None])
    with pytest.raises(ValueError, match=r"expected float32 of shape \[3\] to assign"):
        STATE.value = np.zeros(4, np.float32)
