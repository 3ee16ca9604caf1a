"""Placeholders that runs read and write: what they hold after each run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray
from random_states import SHAPE, Program, programs

import glow
from glow.analysis.copies import copies_in
from glow.graph_modules import context
from glow.model import parse_text
from glow.pass_manager import parse_passes, pipeline_text, run_passes
from glow.pipeline import stages_between

Array = NDArray[Any]
TARGETS = ("cpu", "reference", "reference-checked")
RUNS = 3


def executable(text: str, target: str) -> glow.Executable:
    module = parse_text(context(), text, "program.mlir")
    return glow.compile(module, target)


def copied_bytes(text: str) -> int:
    """Return how many bytes the memory level of a program copies."""
    module = parse_text(context(), text, "program.mlir")
    stages = stages_between("import", "memory")
    run_passes(parse_passes(pipeline_text(stages, "cpu")), context(), module)
    return sum(each.bytes for each in copies_in(module))


def check(program: Program, target: str) -> None:
    """Run a program several times in one binding, and compare it with NumPy's."""
    draw = np.random.default_rng(0).integers
    states = [draw(-9, 9, SHAPE).astype(np.float32) for _ in program.states]
    held = [state.copy() for state in states]
    bound = executable(program.text, target).bind(
        {f"s{i}": state for i, state in enumerate(held)}
    )
    for _ in range(RUNS):
        x, at = draw(-9, 9, SHAPE).astype(np.float32), draw(0, 6, 2)
        bound["x"], bound["at"] = x, at
        states, outputs = program.run(states, x, at)
        found = bound.run()
        for i, expected in enumerate(outputs):
            assert np.array_equal(found[f"y{i}"], expected), f"y{i}"
        for i, expected in enumerate(states):
            assert np.array_equal(held[i], expected), f"s{i}"


@pytest.mark.slow
@given(programs())
@settings(max_examples=12, deadline=None)
def test_random_programs_mean_what_numpy_says(program: Program) -> None:
    check(program, "cpu")


@pytest.mark.full
@given(programs())
@settings(max_examples=400, deadline=None)
def test_random_programs_mean_what_numpy_says_at_length(program: Program) -> None:
    check(program, "cpu")


@pytest.mark.slow
@given(programs())
@settings(max_examples=15, deadline=None)
def test_random_programs_mean_the_same_to_the_references(program: Program) -> None:
    check(program, "reference")
    check(program, "reference-checked")


# States, what they and `y` get, and how that is computed of them and `x`.
STEPS = {
    "counter": ("n", "m m", "%m = graph.add %n, %x : T2"),
    "swap": ("a b", "b a x", ""),
    "shifted": ("a b", "x a b", ""),
    "average": (
        "m n",
        "r k r",
        """%one = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
        %k = graph.add %n, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
        %d = graph.sub %x, %m : T2
        %q = graph.div %d, %k : T2
        %r = graph.add %m, %q : T2""",
    ),
    "momentum": (
        "w v",
        "s u w",
        """%rate = graph.literal dense<0.25> : tensor<f32> : tensor<f32>
        %g = graph.mul %w, %x : T2
        %h = graph.mul %v, %rate : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
        %u = graph.add %h, %g : T2
        %t = graph.mul %u, %rate : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
        %s = graph.sub %w, %t : T2""",
    ),
}
MEANING = {
    "counter": lambda x, n: ([n + x], n + x),
    "swap": lambda x, a, b: ([b, a], x),
    "shifted": lambda x, a, b: ([x, a], b),
    "average": lambda x, m, n: (
        [m + (x - m) / (n + 1), n + 1],
        m + (x - m) / (n + 1),
    ),
    "momentum": lambda x, w, v: (
        [w - 0.25 * (0.25 * v + w * x), 0.25 * v + w * x],
        w,
    ),
}
# The bytes that a run of each copies inside, beside what it computes.
COPIED = {"counter": 16, "swap": 64, "shifted": 48, "average": 16, "momentum": 16}


def step(name: str) -> str:
    """Return a program over states, an input `x` and an output `y`."""
    loads, saves, body = STEPS[name]
    states, type_ = loads.split(), "tensor<4xf32>"
    lines = [f'graph.placeholder @{s} "inout" : {type_}' for s in states]
    lines += [f'graph.placeholder @x "in" : {type_}']
    lines += [f'graph.placeholder @y "out" : {type_}', "func.func @main() {"]
    lines += [f"%{s} = graph.load @{s} : {type_}" for s in (*states, "x")]
    lines += [body.replace("T2", f"({type_}, {type_}) -> {type_}")]
    pairs = zip((*states, "y"), saves.split(), strict=True)
    lines += [f"graph.save @{s}, %{value} : {type_}" for s, value in pairs]
    return "\n".join([*lines, "func.return", "}"])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", STEPS)
def test_states_follow_their_program(name: str, target: str) -> None:
    draw = np.random.default_rng(1).standard_normal
    names = STEPS[name][0].split()
    states = [draw(4, np.float32) for _ in names]
    held = {n: state.copy() for n, state in zip(names, states, strict=True)}
    x = np.empty(4, np.float32)
    bound = executable(step(name), target).bind(held | {"x": x})
    for _ in range(5):
        x[...] = draw(4, np.float32)
        states, y = MEANING[name](x.copy(), *states)
        np.testing.assert_allclose(bound.run()["y"], y, rtol=1e-5, atol=1e-6)
        for n, state in zip(names, states, strict=True):
            np.testing.assert_allclose(held[n], state, rtol=1e-5, atol=1e-6)
        states = [held[n].copy() for n in names]


@pytest.mark.parametrize("name", STEPS)
def test_updates_copy_no_more_than_they_must(name: str) -> None:
    assert copied_bytes(step(name)) == COPIED[name]


# A cache that each run appends to, and all of which it reads.
CACHE = """
graph.placeholder @cache "inout" : tensor<2x{0}x16xf32>
graph.placeholder @new "in" : tensor<2x1x16xf32>
graph.placeholder @at "inout" : tensor<2xi64>
graph.placeholder @y "out" : tensor<2x{0}xf32>
func.func @main() {{
  %c = graph.load @cache : tensor<2x{0}x16xf32>
  %n = graph.load @new : tensor<2x1x16xf32>
  %i = graph.load @at : tensor<2xi64>
  %one = graph.literal dense<1> : tensor<i64> : tensor<i64>
  %j = graph.add %i, %one : (tensor<2xi64>, tensor<i64>) -> tensor<2xi64>
  %d = graph.tensor_scatter %c, %n at %i {{axis = 1 : i64}}
      : (tensor<2x{0}x16xf32>, tensor<2x1x16xf32>, tensor<2xi64>)
      -> tensor<2x{0}x16xf32>
  %y = graph.reduce_sum %d {{axes = array<i64: 2>}}
      : (tensor<2x{0}x16xf32>) -> tensor<2x{0}xf32>
  graph.save @cache, %d : tensor<2x{0}x16xf32>
  graph.save @at, %j : tensor<2xi64>
  graph.save @y, %y : tensor<2x{0}xf32>
  func.return
}}
"""


@pytest.mark.parametrize("capacity", [4, 4096])
def test_appending_to_a_cache_copies_nothing_of_it(capacity: int) -> None:
    assert copied_bytes(CACHE.format(capacity)) == 0


@pytest.mark.parametrize("target", TARGETS)
def test_a_full_cache_is_said_and_unharmed(target: str) -> None:
    held = {
        "cache": np.zeros((2, 3, 16), np.float32),
        "at": np.array([0, 1]),
        "new": np.ones((2, 1, 16), np.float32),
    }
    around = np.full((4, 3, 16), 7, np.float32)
    held["cache"] = around[1:3]
    held["cache"][...] = 0
    bound = executable(CACHE.format(3), target).bind(held)
    bound.run()
    assert bound.run()["y"].tolist() == [[16, 16, 0], [0, 16, 16]]
    before = held["cache"].copy()
    with pytest.raises(
        glow.ExecutionError, match=r"expected a write index in \[0, 2\]"
    ):
        bound.run()
    assert np.array_equal(held["cache"][1], before[1])
    assert (around[[0, 3]] == 7).all()
    held["at"][...] = 0
    assert bound.run()["y"][1].tolist() == [16, 16, 16]
