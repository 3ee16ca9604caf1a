"""Runs copy what they must and not a byte more, and count it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from repository import ROOT

import glow
from glow.runtime.copies import copied_bytes
from glow.runtime.native import NativeFrame
from glow.support.arrays import address_of

Array = NDArray[Any]

# `x` is only read, `y` only written, `s` both.
NETWORK = """
graph.placeholder @x "in" : tensor<4x8xf32>
graph.placeholder @s "inout" : tensor<4x8xf32>
graph.placeholder @y "out" : tensor<4x8xf32>
func.func @main() {
  %x = graph.load @x : tensor<4x8xf32>
  %s = graph.load @s : tensor<4x8xf32>
  %0 = graph.add %x, %s : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = graph.neg %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  graph.save @s, %0 : tensor<4x8xf32>
  graph.save @y, %1 : tensor<4x8xf32>
  func.return
}
"""
SHAPE = (4, 8)
ONE = 4 * 8 * 4  # bytes of one array


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("model") / "net.mlir"
    found.write_text(NETWORK)
    return found


@pytest.fixture(scope="module")
def net(path: Path) -> glow.Executable:
    return glow.compile(path)


def plain() -> Array:
    return np.zeros(SHAPE, np.float32)


def strided() -> Array:
    return np.zeros((4, 16), np.float32)[:, ::2]


def misaligned() -> Array:
    return np.zeros(ONE + 1, np.uint8)[1:].view(np.float32).reshape(SHAPE)


def backwards() -> Array:
    return np.zeros(SHAPE, np.float32)[::-1]


def columns() -> Array:
    return np.zeros(SHAPE[::-1], np.float32).T


def mapped() -> Array:
    """Return an array of another class than NumPy's own."""
    return plain().view(np.recarray)


FORMS: dict[Callable[[], Array], bool] = {
    plain: False,
    mapped: False,
    strided: True,
    misaligned: True,
    backwards: True,
    columns: True,
}
"""Ways to hold an array, and whether code needs a copy of it."""


def filled(form: Callable[[], Array], seed: int) -> Array:
    array = form()
    array[...] = np.random.default_rng(seed).standard_normal(SHAPE)
    return array


def copied_by(action: Callable[[], object]) -> int:
    before = copied_bytes()
    action()
    return copied_bytes() - before


@pytest.mark.parametrize("x_form", FORMS)
@pytest.mark.parametrize("y_form", FORMS)
def test_a_run_copies_inputs_in_and_outputs_out(
    net: glow.Executable, x_form: Callable[[], Array], y_form: Callable[[], Array]
) -> None:
    x, s, y, t = filled(x_form, 0), filled(plain, 1), y_form(), plain()
    given, out = {"x": x, "s": s}, {"y": y, "s": t}
    # The caller's `s` stays: it is copied, once, to where the new one goes.
    expected = ONE * (FORMS[x_form] + FORMS[y_form] + 1)
    assert copied_by(lambda: net.run(given, out=out)) == expected
    assert np.array_equal(y, -(x + s))
    assert np.array_equal(t, x + s)
    assert copied_by(lambda: net.run(given)) == ONE * (FORMS[x_form] + 1)
    assert copied_by(lambda: net(x, s)) == ONE * (FORMS[x_form] + 1)


@pytest.mark.parametrize("form", FORMS)
def test_a_state_is_copied_to_where_it_is_written(
    net: glow.Executable, form: Callable[[], Array]
) -> None:
    x, s, t = filled(plain, 0), filled(form, 1), form()
    given = {"x": x, "s": s}
    assert copied_by(lambda: net.run(given)) == ONE
    assert copied_by(lambda: net.run(given, out={"s": t})) == ONE * (1 + FORMS[form])
    assert np.array_equal(t, x + s)


@pytest.mark.parametrize("form", FORMS)
def test_a_state_is_updated_in_place_where_it_is_asked_for(
    net: glow.Executable, form: Callable[[], Array]
) -> None:
    x, s, y = filled(plain, 0), filled(form, 1), plain()
    expected = x + s
    count = copied_by(lambda: net.run({"x": x, "s": s}, out={"y": y, "s": s}))
    assert np.array_equal(s, expected)
    assert np.array_equal(y, -expected)
    if form is not mapped:
        assert count == 2 * ONE * FORMS[form]


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_what_overlaps_is_right(path: Path, target: str) -> None:
    net = glow.compile(path, target=target)
    room = np.random.default_rng(0).standard_normal((6, 8)).astype(np.float32)
    x = filled(plain, 1)
    first, later = room[:4], room[2:]
    expected = x + first
    # The new state overlaps the old one, `y` an input.
    net.run({"x": x, "s": first}, out={"s": later})
    assert np.array_equal(later, expected)
    y = -(x + later)
    net.run({"x": x, "s": later}, out={"y": x})
    assert np.array_equal(x, y)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["x", "s", "y"])
def test_bindings_count_what_they_copy(
    net: glow.Executable, form: Callable[[], Array], name: str
) -> None:
    arrays = {"x": filled(plain, 0), "s": filled(plain, 1), "y": plain()}
    arrays[name] = filled(form, 2)
    bound = net.bind(arrays)
    ways = 2 if name == "s" else 1  # in, out, or both
    assert bound.copied_bytes == ONE * ways * FORMS[form]
    for _ in range(2):
        expected = arrays["x"] + arrays["s"]
        assert copied_by(bound.run) == bound.copied_bytes
        assert np.array_equal(arrays["s"], expected)
        assert np.array_equal(arrays["y"], -expected)


def test_code_gets_the_addresses_of_the_caller(net: glow.Executable) -> None:
    arrays = {"x": plain(), "s": plain(), "y": plain()}
    bound = net.bind(arrays)
    bound.run()
    frame = bound._frame
    assert isinstance(frame, NativeFrame)
    placed, others = frame.io[: len(arrays)], frame.io[len(arrays) :]
    assert sorted(placed) == sorted(map(address_of, arrays.values()))
    assert not any(others), "no callback for outputs, and nothing is timed"


def test_threads_count_for_themselves(net: glow.Executable) -> None:
    with ThreadPoolExecutor(1) as pool:
        count = pool.submit(copied_by, lambda: net(strided(), plain())).result()
    assert count == 2 * ONE
    assert copied_by(lambda: None) == 0


def test_the_runtime_copies_arrays_in_one_place() -> None:
    """`a[...] = b` stands in copies.py, where it counts."""
    for path in sorted((ROOT / "runtime").glob("*.py")):
        if path.name == "copies.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
                index = node.slice
                is_whole = isinstance(index, ast.Constant) and index.value is ...
                assert not is_whole, f"{path.name}:{node.lineno}"
