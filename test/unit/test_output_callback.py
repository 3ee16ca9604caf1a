"""Callers are seen of each output when it is ready, while the run goes on."""

import threading
from typing import Any

import numpy as np
import pytest
from outputs_ready import outputs_ready

import glow
from glow.analysis.directions import functions_of
from glow.graph_modules import context
from glow.model import parse_text
from glow.pass_manager import parse_passes, pipeline_text, run_passes
from glow.pipeline import stages_between
from glow.runtime.copies import copied_bytes
from glow.runtime.interface import Executable
from glow.support.errors import BindingError, ExecutionError

X = np.arange(12, dtype=np.float32).reshape(3, 4)

# early is ready before mid, mid before late; n is a state and nobody's output.
TEXT = """
graph.placeholder @x "in" : tensor<3x4xf32>
graph.placeholder @late "out" : tensor<3x4xf32>
graph.placeholder @mid "inout" : tensor<3x4xf32>
graph.placeholder @early "out" : tensor<3x4xf32>
graph.placeholder @n "inout" "resident" : tensor<3x4xf32>
func.func @main() {
  %x = graph.load @x : tensor<3x4xf32>
  %m = graph.load @mid : tensor<3x4xf32>
  %n = graph.load @n : tensor<3x4xf32>
  %a = graph.cumsum %x {axis = 0 : i64} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %b = graph.cumsum %a {axis = 1 : i64} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %c = graph.cumsum %b {axis = 0 : i64} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %k = graph.add %m, %b : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %p = graph.add %n, %x : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  graph.save @early, %a : tensor<3x4xf32>
  graph.save @mid, %k : tensor<3x4xf32>
  graph.save @n, %p : tensor<3x4xf32>
  graph.save @late, %c : tensor<3x4xf32>
  func.return
}
"""
EARLY = X.cumsum(0)
MID = EARLY.cumsum(1)
EXPECTED = {"early": EARLY, "mid": MID + 1, "late": MID.cumsum(0)}


def read(text: str) -> glow.Model:
    return glow.Model("net", parse_text(context(), text, "net"))


@pytest.fixture(params=["cpu", "reference"], scope="module")
def net(request: pytest.FixtureRequest) -> Executable:
    return glow.compile(read(TEXT), request.param)


def arrays() -> dict[str, np.ndarray]:
    return {
        "x": X,
        "mid": np.ones((3, 4), np.float32),
        "n": np.zeros((3, 4), np.float32),
    }


def test_outputs_are_reported_while_later_ones_are_not_written(net: Executable) -> None:
    bound = net.bind(arrays())
    late = np.full((3, 4), -1, np.float32)
    bound["late"] = late
    seen: dict[str, tuple[np.ndarray, bool]] = {}

    def on_output(name: str, array: np.ndarray) -> None:
        assert array is bound._places[name].array
        seen[name] = array.copy(), bool((late == -1).all())

    results = bound.run(on_output)
    assert sorted(seen) == ["early", "late", "mid"]
    assert next(iter(seen)) == "early"
    assert seen["early"][1]
    assert not seen["late"][1]
    for name, (array, _) in seen.items():
        assert np.array_equal(array, EXPECTED[name])
        assert np.array_equal(array, results[name]), "what was seen is final"


def test_a_run_by_names_tells_too(net: Executable) -> None:
    strided = np.empty((4, 3), np.float32).T
    given = {"x": X.T.copy().T, "mid": arrays()["mid"]}
    seen: dict[str, np.ndarray] = {}
    stateless = glow.compile(
        read(TEXT.replace('"resident"', "").replace("@n", "@state"))
    )
    results = stateless.run(
        given | {"state": arrays()["n"]},
        {"late": strided},
        on_output=lambda name, array: seen.update({name: array}),
    )
    assert seen["late"] is strided is results["late"]
    for name, expected in EXPECTED.items():
        assert np.array_equal(seen[name], expected)
    with pytest.raises(BindingError, match='state "n": it has no initial value'):
        net.run(given, on_output=print)


def test_strided_outputs_are_reported_filled(net: Executable) -> None:
    strided = {name: np.empty((4, 3), np.float32).T for name in ("early", "late")}
    bound = net.bind(arrays() | strided)
    seen: dict[str, np.ndarray] = {}
    before = copied_bytes()
    bound.run(lambda name, array: seen.update({name: array.copy()}))
    assert copied_bytes() - before == 2 * X.nbytes, "each is copied once"
    assert np.array_equal(seen["early"], EARLY)
    assert np.array_equal(seen["late"], EXPECTED["late"])


def test_what_a_callback_raises_comes_after_the_run(net: Executable) -> None:
    bound = net.bind(arrays())
    seen: list[str] = []

    def on_output(name: str, array: np.ndarray) -> None:
        seen.append(name)
        raise LookupError(name)

    with pytest.raises(LookupError, match="early"):
        bound.run(on_output)
    assert seen == ["early"], "the first error ends the calls"
    late, state = bound["late"], bound["n"]
    assert late is not None
    assert state is not None
    assert np.array_equal(late, EXPECTED["late"]), "the run was ended"
    assert np.array_equal(state, X)
    assert sorted(bound.run()) == ["early", "late", "mid"]


def test_a_callback_may_run_others_but_not_the_same(net: Executable) -> None:
    bound, other = net.bind(arrays()), net.bind(arrays())
    found: list[Any] = []

    def on_output(name: str, array: np.ndarray) -> None:
        found.append(other.run()["early"].copy())
        for ask in (bound.views, bound.clone):
            with pytest.raises(BindingError, match="the run that calls on_output"):
                ask()
        with pytest.raises(BindingError, match="the run that calls on_output"):
            bound.run()

    bound.run(on_output)
    assert len(found) == 3
    assert all(np.array_equal(array, EARLY) for array in found)


def test_a_thread_that_ran_before_is_not_taken_for_the_one_that_runs(
    net: Executable, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound = net.bind(arrays())
    bound.run()
    taken, done = threading.Event(), threading.Event()
    caller = threading.get_ident()

    def slow_ident() -> int:
        if threading.get_ident() != caller:  # has the lock, and has not said who it is
            taken.set()
            done.wait(10)
        return threading.get_ident()

    monkeypatch.setattr("glow.runtime.bindings.get_ident", slow_ident)
    thread = threading.Thread(target=bound.run)
    thread.start()
    try:
        assert taken.wait(10)
        with pytest.raises(BindingError, match="a run in another thread"):
            bound.run()
    finally:
        done.set()
        thread.join()


def test_runs_without_a_callback_tell_nobody(net: Executable) -> None:
    bound = net.bind(arrays())
    seen: list[str] = []
    bound.run(lambda name, array: seen.append(name))
    bound.run()
    assert len(seen) == 3


def test_threads_receive_their_own_outputs(net: Executable) -> None:
    problems: list[str] = []

    def work(factor: int) -> None:
        bound = net.bind(arrays() | {"x": X * factor})
        for _ in range(50):
            seen: dict[str, np.ndarray] = {}
            bound.run(lambda name, array, seen=seen: seen.update({name: array.copy()}))
            if not np.array_equal(seen["early"], EARLY * factor):
                problems.append(f"{factor}")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems


FAILING = """
graph.placeholder @x "in" : tensor<4xf32>
graph.placeholder @at "in" : tensor<2xi64>
graph.placeholder @y "out" : tensor<4xf32>
graph.placeholder @z "out" : tensor<2xf32>
func.func @main() {
  %x = graph.load @x : tensor<4xf32>
  %at = graph.load @at : tensor<2xi64>
  %y = graph.cumsum %x {axis = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  graph.save @y, %y : tensor<4xf32>
  %z = graph.gather %y, %at {axis = 0 : i64}
      : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  graph.save @z, %z : tensor<2xf32>
  func.return
}
"""


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_a_run_that_failed_tells_nothing_more(target: str) -> None:
    net = glow.compile(read(FAILING), target)
    seen: list[str] = []
    feeds = {"x": np.ones(4, np.float32), "at": np.array([0, 9])}
    with pytest.raises(ExecutionError, match="gather"):
        net.run(feeds, on_output=lambda name, array: seen.append(name))
    assert seen == ["y"]
    net.run({**feeds, "at": np.array([0, 1])})  # which nobody is seen of
    assert seen == ["y"]


def test_when_outputs_are_ready_can_be_asked() -> None:
    module = read(TEXT).module
    text = pipeline_text(stages_between("import", "memory"), "cpu")
    run_passes(parse_passes(text), context(), module)
    (main,) = functions_of(module)
    found = outputs_ready(main)
    assert set(found) == {"early", "mid", "late", "n"}
    assert next(iter(found)) == "early"
    assert found["early"] == 1
    assert list(found.values()) == sorted(found.values())
    assert max(found.values()) == 5
