"""Code that cannot be traced is refused in one line, which begins with the user's."""

from __future__ import annotations

import json
import math
import pickle
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wrong_calls import WRONG_CALLS

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


def sorted_in_place(x: Any) -> Any:
    x.sort()  # here
    return x


def filled(x: Any) -> Any:
    x.fill(0)  # here
    return x


def shape_assigned(x: Any) -> Any:
    x.shape = 4, 3  # here
    return x


def deleted(x: Any) -> Any:
    del x[0]  # here
    return x


def unknown_attribute(x: Any) -> Any:
    return x.view(np.int32)  # here


def pickled(x: Any) -> Any:
    return pickle.dumps(x)  # here


def in_json(x: Any) -> Any:
    return json.dumps({"x": x})  # here


def zeros_of(x: Any) -> Any:
    return np.zeros(x[0, 0].astype(int))  # here


def drawn(x: Any) -> Any:
    return x * random.randint(0, x[0, 0])  # here


def square_root(x: Any) -> Any:
    return math.sqrt(x.mean())  # here


def largest(x: Any) -> Any:
    return max(x[0])  # here


def asserted(x: Any) -> Any:
    assert np.all(x > 0)  # here
    return x


def compared(x: Any) -> Any:
    return x if np.array_equal(x, X) else -x  # here


def into_a_buffer(x: Any) -> Any:
    buffer = np.zeros((3, 4), np.float32)
    buffer[0] = x[0]  # here
    return buffer


def added_to_a_buffer(x: Any) -> Any:
    buffer = np.zeros((3, 4), np.float32)
    buffer += x  # here
    return buffer


def from_a_list(x: Any) -> Any:
    return ["a", "b"][x[0, 0].astype(int)]  # here


def part_up_to(x: Any) -> Any:
    return x[: x[0, 0].astype(int)]  # here


def mask_of_another_shape(x: Any) -> Any:
    return x[:, np.array([True, False, True])]  # here


def narrower(x: Any) -> Any:
    return np.pad(x, -1)  # here


def negative_power(x: Any) -> Any:
    return x.astype(int) ** -2  # here


def slope_of_many(x: Any) -> Any:
    return glow.grad(lambda y: y * 2)(x)  # here


def parts_of_other_shapes(x: Any) -> Any:
    return np.concatenate([x, x[:, :2]])  # here


def uneven_parts(x: Any) -> Any:
    return np.split(x, 3, 1)  # here


def no_number(x: Any) -> Any:
    return x + None  # here


MISTAKES: dict[Callable[..., Any], str] = {
    **WRONG_CALLS,
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
    missing: r"np.linalg.eig: expected a function that takes traced arrays, .*",
    unknown_length: r"glow.scan: expected a length that is known, .* carry\[0\] < n",
    no_matrix: r"linalg.qr: expected matrices, got shape \[4\]",
    not_square: r"linalg.eigh: expected square matrices, got shape \[3, 4\]",
    wrong_mode: 'linalg.qr: expected mode "reduced", "complete" or "r", got .*full.*',
    wrong_triangle: 'linalg.eigh: expected UPLO "L" or "U", got \'l\'',
    missing_ufunc: r"np.spacing: expected a function that takes traced arrays, .*",
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
    sorted_in_place: r"x.sort: expected an array that stays as it is; use np.sort\(x\)",
    filled: r"x.fill: expected an array that stays as it is; use np.full_like.*",
    shape_assigned: r"x.shape: expected an array that stays as it is; .*reshape.*",
    deleted: "expected an array that stays as it is, got a part .* to delete; .*",
    unknown_attribute: "traced arrays have no attribute 'view'",
    pickled: "pickle: expected an array whose elements are known, got a traced one",
    in_json: "expected an array .* whose elements are known, .* not JSON serializable",
    zeros_of: "expected an array or a number whose elements are known, got a traced .*",
    drawn: "int: expected a number that is known, .*",
    square_root: "float: expected a number that is known, .*",
    largest: "expected a truth value that is known, .*",
    asserted: "expected a truth value that is known, .*",
    compared: "expected a truth value that is known, .*",
    into_a_buffer: "expected an array whose elements are known, .*",
    added_to_a_buffer: "np.add: expected no out, as traced arrays stay as they are; .*",
    from_a_list: "an index or a count: expected a number that is known, .*",
    part_up_to: "an index or a count: expected a number that is known, .*",
    mask_of_another_shape: r"x\[...\]: expected a mask of shape \[4\], got \[3\]",
    narrower: "pad: expected widths of at least 0, got -1",
    negative_power: "power: expected no negative powers of integers, got -2",
    slope_of_many: r"<lambda>: expected a result of one float, got float32 of .*",
    parts_of_other_shapes: "concatenate: expected inputs that differ along axis 0 .*",
    uneven_parts: "split: expected parts that divide 4, got 3",
    no_number: "add: expected an array or a number, got a NoneType",
    ended_trace: r"expected an array of the function that is traced, got one made at "
    r".*test_tracing_mistakes.py:\d+ by a trace that has ended; return it .*",
}


def line_of(function: Callable[..., Any]) -> int:
    """Return the line of its file with the mark, from a function on."""
    with open(function.__code__.co_filename) as file:
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
    file = Path(marked.__code__.co_filename).name
    assert place.endswith(f"{file}:{line_of(marked)}"), message
    assert re.fullmatch(MISTAKES[function], text), text
