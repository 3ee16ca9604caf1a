"""What no trace can do is refused in one line, which begins with the user's."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import glow

X = np.ones((3, 4), np.float32)
KEPT: list[Any] = []
STATE = glow.Variable(np.zeros(3, np.float32))


def branch(x: Any) -> Any:
    if x.sum() > 0:  # here
        return x
    return -x


def loop(x: Any) -> Any:
    while x.max() < 3:  # here
        x = x + 1
    return x


def comparison_chain(x: Any) -> Any:
    return 0 < x < 1  # here


def to_float(x: Any) -> Any:
    return float(x[0, 0]) + 1  # here


def to_int(x: Any) -> Any:
    return x * int(x[0, 0])  # here


def count(x: Any) -> Any:
    for _ in range(x[0].astype(int)[0]):  # here
        x = x + 1
    return x


def scalar_items(x: Any) -> Any:
    return sum(x.sum())  # here


def assigned(x: Any) -> Any:
    x[0] = 1  # here
    return x


def out_of_numpy(x: Any) -> Any:
    return np.asarray(x) + 1  # here


def array_of_tracers(x: Any) -> Any:
    return np.array([x[0], x[1]])  # here


def item(x: Any) -> Any:
    return x[0, 0].item()  # here


def as_key(x: Any) -> Any:
    return {x: 1}[x]  # here


def contained(x: Any) -> Any:
    return x if 1.0 in x else -x  # here


def unknown_mask(x: Any) -> Any:
    return x[x > 0]  # here


def unknown_size(x: Any) -> Any:
    return np.unique(x)  # here


def missing(x: Any) -> Any:
    return np.linalg.eig(x)  # here


def unknown_length(x: Any) -> Any:
    turns = x[0, 0].astype(int)
    return glow.scan(lambda c, _: (c, c), x, length=turns)  # here


def no_matrix(x: Any) -> Any:
    return np.linalg.qr(x[0])  # here


def not_square(x: Any) -> Any:
    return np.linalg.eigh(x)  # here


def wrong_mode(x: Any) -> Any:
    return np.linalg.qr(x, mode="full")  # here


def wrong_triangle(x: Any) -> Any:
    return np.linalg.eigh(x[:, :3], UPLO="l")  # here


def missing_ufunc(x: Any) -> Any:
    return np.spacing(x)  # here


def shapes(x: Any) -> Any:
    return x + np.ones(5, np.float32)  # here


def depths(x: Any) -> Any:
    return x @ x  # here


def out(x: Any) -> Any:
    return np.exp(x, out=np.empty_like(X))  # here


def index(x: Any) -> Any:
    return x[7]  # here


def too_many_indices(x: Any) -> Any:
    return x[0, 0, 0]  # here


def text(x: Any) -> Any:
    return np.add(x, "one")  # here


def complex_number(x: Any) -> Any:
    return x * 1j  # here


def bits_of_floats(x: Any) -> Any:
    return x & 3  # here


def large_number(x: Any) -> Any:
    return x.astype(np.uint8) + 300  # here


def formatted(x: Any) -> Any:
    return f"{x[0, 0]:.3f}"  # here


def wrong_axis(x: Any) -> Any:
    return np.sum(x, axis=2)  # here


def wrong_reshape(x: Any) -> Any:
    return x.reshape(5, -1)  # here


def state_of_another_shape(x: Any) -> Any:
    STATE.value = x  # here
    return x


@glow.composite
def writes(x: Any) -> Any:
    STATE.value = x[0, :3]  # here
    return x


def state_in_a_composite(x: Any) -> Any:
    return writes(x)


def ended_trace(x: Any) -> Any:
    KEPT.append(x * 2)
    glow.trace(lambda y: KEPT.append(y * 2) or y, X)
    return x + KEPT[-1]  # here


MISTAKES: dict[Callable[..., Any], str] = {
    branch: r"expected a truth value .*; use np.where\(.*, or glow.cond for code",
    loop: "expected a truth value that is known, .*",
    comparison_chain: "expected a truth value that is known, .*",
    to_float: r"float: expected a number that is known, .* x.astype\(np.float64\)",
    to_int: r"int: expected a number that is known, .* x.astype\(np.int64\)",
    count: "an index or a count: expected a number .* glow.fori_loop for range.*",
    scalar_items: "expected an array with axes to go over, got one without",
    assigned: r"expected an array that stays as it is, .* np.where\(mask, value, x\).*",
    out_of_numpy: "expected an array whose elements are known, got a traced one; .*",
    array_of_tracers: "expected an array whose elements are known, .*",
    item: r"item\(\): expected a number that is known, .*",
    as_key: "a key of a dict or set: expected a number that is known, .*",
    contained: r"in: expected elements that are known, .* \(x == value\).any\(\)",
    unknown_mask: r".*expected a mask that is known, .* np.where\(mask, x, other\)",
    unknown_size: r"unique: expected a result whose size is known, .*",
    missing: r"np.linalg.eig: expected a function that traced arrays know, .*",
    unknown_length: r"glow.scan: expected a length that is known, .* carry\[0\] < n",
    no_matrix: r"linalg.qr: expected matrices, got shape \[4\]",
    not_square: r"linalg.eigh: expected square matrices, got shape \[3, 4\]",
    wrong_mode: 'linalg.qr: expected mode "reduced", "complete" or "r", got .*full.*',
    wrong_triangle: 'linalg.eigh: expected UPLO "L" or "U", got \'l\'',
    missing_ufunc: r"np.spacing: expected a function that traced arrays know, .*",
    shapes: r"add: cannot broadcast .*",
    depths: "matmul: lhs has 4 columns but rhs has 3 rows",
    out: "np.exp: expected no out, as traced arrays stay as they are; .*",
    index: r"x\[...\]: .*",
    too_many_indices: r"x\[...\]: expected at most 2 indices, got 3",
    text: "add: expected an array of .*, got <U3|add: .*str.*",
    complex_number: "multiply: expected .*complex.*",
    bits_of_floats: "bitwise_and: expected types that NumPy's function takes, .*",
    large_number: "add: expected a number of type ui8, got 300",
    formatted: "a number to format as '.3f': expected a number that is known, .*",
    wrong_axis: r"sum: expected an axis in \[-2, 1\], got 2",
    wrong_reshape: r"reshape: expected a shape of 12 elements, got \[5, -1\]",
    state_of_another_shape: r"Variable: expected float32\[3\] to assign, got .*",
    state_in_a_composite: "Variable: expected an assignment in the function that .*",
    ended_trace: r"expected an array of the function that is traced, got one made at "
    r".*test_tracing_mistakes.py:\d+ by a trace that has ended; return it .*",
}


def line_of(function: Callable[..., Any]) -> int:
    """Return the line of this file with the mark, from a function on."""
    with open(__file__) as file:
        lines = file.read().splitlines()
    start = function.__code__.co_firstlineno
    return next(n for n in range(start, len(lines)) if "# here" in lines[n - 1])


@pytest.mark.parametrize("function", MISTAKES, ids=lambda f: f.__name__)
def test_mistakes_name_the_line(function: Callable[..., Any]) -> None:
    marked = writes.__wrapped__ if function is state_in_a_composite else function  # pyright: ignore[reportFunctionMemberAccess]
    with pytest.raises(glow.TracingError) as raised:
        glow.trace(function, X)
    message = str(raised.value)
    assert "\n" not in message
    place, _, text = message.partition(": ")
    assert place.endswith(f"test_tracing_mistakes.py:{line_of(marked)}"), message
    assert re.fullmatch(MISTAKES[function], text), text


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
    "nothing to return": (
        lambda: glow.jit(lambda x: None)(X),
        "<lambda>: expected arrays as results, got none",
    ),
    "a result that is no array": (
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
    assert place.endswith(f"test_tracing_mistakes.py:{line}")
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
    with pytest.raises(glow.TracingError, match="jit: expected a function, got a int"):
        glow.jit(3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match="Variable: expected an array of"):
        glow.Variable([None])
    with pytest.raises(ValueError, match=r"expected float32 of shape \[3\] to assign"):
        STATE.value = np.zeros(4, np.float32)
