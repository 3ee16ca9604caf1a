"""Arguments of the wrong kind are refused in one line, which names the argument."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_onnx import model, node

import glow

X = np.ones((4, 2), np.float32)
OPEN = model([node("Add", "x x", "y")], {"x": ("n", 2)}, ["y"])
FIXED = model([node("Add", "x x", "y")], {"x": (4, 2)}, ["y"])
IR = glow.load(FIXED)
NET = glow.compile(FIXED, target="reference")


def compiled(**options: Any) -> Any:
    return glow.compile(FIXED, target="reference", **options)


MESSAGES: dict[str, Callable[[], object]] = {
    "expected a dict as dims, got a list": lambda: glow.load(OPEN, dims=["n"]),
    "expected a dict as constants, got an int": lambda: glow.load(OPEN, constants=3),
    "dimension \"n\" is given as '4', expected an integer from 0 on": (
        lambda: glow.load(OPEN, dims={"n": "4"})
    ),
    "expected weights with textual IR only": lambda: glow.load(OPEN, weights="w"),
    "expected the path of a model, got text of 2 lines; write IR to a .mlir file": (
        lambda: glow.load("builtin.module {\n}")
    ),
    "expected a model, got the class Net; give Net(...)": (
        lambda: glow.compile(type("Net", (), {}), example_inputs=X)
    ),
    "expected names of passes as disable, got a NoneType": (
        lambda: compiled(disable=None)
    ),
    "expected names of passes as disable, got an int among them": (
        lambda: compiled(disable=["cse", 3])
    ),
    "expected an integer as cache_size, got a NoneType": (
        lambda: compiled(cache_size=None)
    ),
    "expected a path as cache_dir, got a list": lambda: compiled(cache_dir=["a"]),
    "expected True or False as profile, got a str": lambda: compiled(profile="a"),
    "expected a dict as relayout, got a list": lambda: compiled(relayout=["NHWC"]),
    "expected layouts in relayout, got an int among them": (
        lambda: compiled(relayout={"x": 3})
    ),
    "expected a dict as states, got a str": lambda: compiled(states="x"),
    "expected names of inputs in states, got an int among them": (
        lambda: compiled(states={"y": 3})
    ),
    'expected extents by dimension or "background" as shapes, got an int': (
        lambda: compiled(shapes=3)
    ),
    'expected extents by dimension or "background" as shapes, got a tuple in a list': (
        lambda: compiled(shapes=[(4, 2)])
    ),
    "expected a dict as out, got a list": lambda: NET.run({"x": X}, [X]),
    "expected a function as on_output, got an int": (
        lambda: NET.run({"x": X}, on_output=3)
    ),
    "expected a dict as arrays, got a str": lambda: NET.bind("x"),
    "expected a dict as arrays, got a list": lambda: IR.bind(["x"]),
    "expected a dict as dims, got an int": lambda: glow.compile(OPEN).specialize(3),
    "expected the name of a target, got an int": lambda: IR.ir("graph", 3),
    "expected the name of a target, got a NoneType": lambda: IR.emit_c("n.h", None),
    "expected names of inputs or constants, got an int": lambda: IR.gradient(3),
    "expected names of constants, got an int": lambda: IR.free(3),
    "expected names of outputs, got an int": (
        lambda: glow.InferenceSession(FIXED).run(3, {"x": X})
    ),
}


@pytest.mark.parametrize("message", MESSAGES)
def test_other_kinds_are_refused(message: str) -> None:
    with pytest.raises((ValueError, glow.InvalidModelError)) as caught:
        MESSAGES[message]()
    assert str(caught.value) == message


def test_threads_of_a_saved_executable_are_checked(tmp_path: Path) -> None:
    glow.compile(FIXED).save(tmp_path / "net.glow")
    with pytest.raises(ValueError, match="expected at least one thread, got -1"):
        glow.load_executable(tmp_path / "net.glow", threads=-1)
    with pytest.raises(ValueError, match="expected an integer as threads, got a str"):
        glow.load_executable(tmp_path / "net.glow", threads="2")  # pyright: ignore


def test_a_single_name_is_one_of_a_list() -> None:
    named = glow.compile(FIXED, target="reference", disable="cse")
    np.testing.assert_array_equal(named(X), X + X)
    session = glow.InferenceSession(FIXED, target="reference")
    (found,) = session.run("y", {"x": X})
    np.testing.assert_array_equal(found, X + X)


def test_an_unknown_option_of_a_session_is_listed_with_the_known_ones() -> None:
    with pytest.raises(
        TypeError,
        match=r"glow.InferenceSession: expected arguments out of target, threads, .*, "
        "got thread, did you mean threads",
    ):
        glow.InferenceSession(FIXED, thread=2)
