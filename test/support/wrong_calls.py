"""Wrong arguments of what transforms functions and writes loops, one per function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import glow


def no_branch(x: Any) -> Any:
    return glow.cond(x.sum() > 0, lambda: x, 3)  # here


def gradient_that_is_none(x: Any) -> Any:
    return glow.composite(np.tanh, gradient=3)(x)  # here  # pyright: ignore


def gradient_of_one_argument(x: Any) -> Any:
    return glow.composite(gradient=lambda g: g)(np.tanh)(x)  # here  # pyright: ignore


def composite_of_a_number(x: Any) -> Any:
    return glow.composite(3)(x)  # here  # pyright: ignore


def name_that_is_none(x: Any) -> Any:
    return glow.composite(np.tanh, name=3)(x)  # here  # pyright: ignore


def no_loop_condition(x: Any) -> Any:
    return glow.while_loop(True, lambda s: s, x)  # here  # pyright: ignore


def no_body(x: Any) -> Any:
    return glow.while_loop(lambda s: s.sum() < 3, None, x)  # here  # pyright: ignore


def iterations_of_text(x: Any) -> Any:
    return glow.while_loop(np.any, lambda s: s, x, max_iterations="9")  # here  # pyright: ignore


def fewer_than_none(x: Any) -> Any:
    return glow.while_loop(np.any, lambda s: s, x, max_iterations=-1)  # here


def body_of_one_argument(x: Any) -> Any:
    return glow.fori_loop(0, 3, lambda s: s, x)  # here  # pyright: ignore


def fractional_bound(x: Any) -> Any:
    return glow.fori_loop(0.0, 3.5, lambda i, s: s, x)  # here


def length_that_is_text(x: Any) -> Any:
    return glow.scan(lambda c, _: (c, c), x, length="3")  # here  # pyright: ignore


def choice_by_text(x: Any) -> Any:
    return glow.cond("yes", np.sin, np.cos, x)  # here


def slope_of_a_number(x: Any) -> Any:
    return glow.grad(3)(x)  # here  # pyright: ignore


def slope_by_a_name(x: Any) -> Any:
    return glow.grad(np.sum, "x")(x)  # here  # pyright: ignore


def pullback_of_a_number(x: Any) -> Any:
    return glow.vjp(3, x)  # here  # pyright: ignore


def static_number(x: Any) -> Any:
    return glow.jit(np.sin, static=3)(x)  # here  # pyright: ignore


def unknown_static(x: Any) -> Any:
    return glow.jit(lambda x, n: x * n, static="m")(x, 2)  # here


def unknown_option(x: Any) -> Any:
    return glow.jit(np.sin, donate=True)(x)  # here


def no_step(x: Any) -> Any:
    return glow.fori_loop(0, 3, "step", x)  # here


def condition_without_result(x: Any) -> Any:
    return glow.while_loop(lambda s: None, lambda s: s, x)  # here


def arguments_without_tuple(x: Any) -> Any:
    return glow.jvp(np.sin, 3, (x,))  # here  # pyright: ignore


def tangents_that_are_none(x: Any) -> Any:
    return glow.jvp(np.sin, (x,), None)  # here  # pyright: ignore


def axis_of_text(x: Any) -> Any:
    return glow.nn.softmax(x, axis="a")  # here  # pyright: ignore


def activation_of_two(x: Any) -> Any:
    return glow.nn.relu(x, 3)  # here


def value_of_a_builder(x: Any) -> Any:
    b = glow.Builder()
    return glow.trace(np.sin, b.input("x", x.shape))  # here


WRONG_CALLS: dict[Callable[..., Any], str] = {
    no_branch: "glow.cond: expected a function, got an int",
    gradient_that_is_none: "composite: gradient: expected a function, got an int",
    gradient_of_one_argument: "composite: gradient: expected a function of 3 .*",
    composite_of_a_number: "composite: expected a function, got an int",
    name_that_is_none: "composite: expected a name that is a string, got an int",
    no_loop_condition: "glow.while_loop: expected a function, got a bool",
    no_body: "glow.while_loop: expected a function, got a NoneType",
    iterations_of_text: "glow.while_loop: expected max_iterations that .*, got a str",
    fewer_than_none: "glow.while_loop: expected max_iterations of at least 0, got -1",
    body_of_one_argument: r"glow.fori_loop: expected a function of 2 .*<lambda>\(s\)",
    fractional_bound: r"glow.fori_loop: expected a bound .* integers, got float64\[\]",
    length_that_is_text: "glow.scan: expected a length .* integers, got a str",
    choice_by_text: "glow.cond: expected a condition .* scalar of bools, got a str",
    slope_of_a_number: "grad: expected a function, got an int",
    slope_by_a_name: "grad: expected argnums that are a number, .* got 'x'",
    pullback_of_a_number: "vjp: expected a function, got an int",
    static_number: "jit: expected names of parameters as static, got 3",
    unknown_static: "jit: expected static to name one of x, n, got 'm'",
    unknown_option: "jit: expected options of glow.compile, got donate",
    condition_without_result: "glow.while_loop: expected a condition .*, got None",
    arguments_without_tuple: "jvp: expected arguments in a tuple, got an int",
    tangents_that_are_none: "jvp: expected tangents in a tuple, got a NoneType",
    axis_of_text: "nn.softmax: expected an integer as axis, got a str",
    activation_of_two: r"nn.relu: relu\(\) takes 1 positional argument but 2 .*",
    value_of_a_builder: "sin: .*: expected arrays nested at most 200 deep, got .*",
    no_step: "glow.fori_loop: expected a function, got a str",
}
