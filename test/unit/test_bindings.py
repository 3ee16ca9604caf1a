"""Bindings: arrays bound once, run after run, by many callers at the same time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import glow
from glow.runtime.interface import Executable
from glow.runtime.signature import Signature, TensorSpec
from glow.support.arrays import ALIGNMENT, address_of, aligned_empty

Array = NDArray[Any]
TARGETS = ("cpu", "reference")

# `state` is updated by every run; `bias` and `x` are only read.
NETWORK = """
graph.placeholder @x "in" : tensor<4x8xf32>
graph.placeholder @bias "in" : tensor<8xf32>
graph.placeholder @state "inout" : tensor<4x8xf32>
graph.placeholder @y "out" : tensor<4x8xf32>
graph.placeholder @z "out" : tensor<4xf32>
func.func @main() {
  %x = graph.load @x : tensor<4x8xf32>
  %b = graph.load @bias : tensor<8xf32>
  %s = graph.load @state : tensor<4x8xf32>
  %0 = graph.add %x, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %1 = graph.add %0, %s : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = graph.softmax %1 {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = graph.reduce_sum %1 {axes = array<i64: 1>}
      : (tensor<4x8xf32>) -> tensor<4xf32>
  graph.save @state, %1 : tensor<4x8xf32>
  graph.save @y, %2 : tensor<4x8xf32>
  graph.save @z, %3 : tensor<4xf32>
  func.return
}
"""


def arrays(seed: int = 0) -> dict[str, Array]:
    draw = np.random.default_rng(seed).standard_normal
    return {
        "x": draw((4, 8), np.float32),
        "bias": draw(8, np.float32),
        "state": np.zeros((4, 8), np.float32),
    }


@pytest.fixture(scope="module", params=TARGETS)
def net(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> glow.Executable:
    path = tmp_path_factory.mktemp("model") / "net.mlir"
    path.write_text(NETWORK)
    return glow.compile(path, target=request.param)


def test_each_run_fills_the_same_arrays(net: glow.Executable) -> None:
    given = arrays()
    bound = net.bind(given)
    first = bound.run()
    assert list(first) == [spec.name for spec in net.outputs]
    expected = net.run(arrays())
    for name, array in first.items():
        assert np.array_equal(array, expected[name])
        assert bound[name] is array
    second = bound.run()
    assert all(second[name] is first[name] for name in first)


def test_state_is_updated_in_place(net: glow.Executable) -> None:
    given = arrays()
    bound = net.bind(given)
    for count in (1, 2, 3):
        bound.run()
        expected = count * (given["x"] + given["bias"])
        assert np.allclose(given["state"], expected, atol=1e-6)
    given["state"][...] = 0
    bound.run()
    assert np.allclose(given["state"], given["x"] + given["bias"], atol=1e-6)


def test_views_show_results_and_cannot_be_written(net: glow.Executable) -> None:
    bound = net.bind(arrays())
    views = bound.views()
    assert list(views) == [spec.name for spec in net.outputs]
    for _ in range(2):
        for name, array in bound.run().items():
            assert views[name] is not array
            assert address_of(views[name]) == address_of(array)
            assert not views[name].flags.writeable
            assert array.flags.writeable
    unbound = net.bind({"x": arrays()["x"]})
    assert refusal(unbound.views) == 'input "state": not bound, expected float32[4, 8]'
    unbound["state"] = arrays()["state"]
    assert not unbound.views()["y"].flags.writeable


def test_what_callers_write_into_arrays_is_seen(net: glow.Executable) -> None:
    given = arrays()
    bound = net.bind(given)
    bound.run()
    given["x"][...] = 1
    given["bias"][...] = 2
    given["state"][...] = 3
    assert bound.run()["z"].tolist() == [48.0] * 4


def test_arrays_can_be_exchanged_by_name(net: glow.Executable) -> None:
    y = np.empty((4, 8), np.float32)
    bound = net.bind(arrays())
    bound.run()
    other = arrays(seed=1)
    for name, array in other.items():
        bound[name] = array
    bound["y"] = y
    found = bound.run()
    assert found["y"] is y
    assert np.array_equal(y, net.run(arrays(seed=1))["y"])


def test_plain_arrays_are_not_copied(net: glow.Executable) -> None:
    bound = net.bind(arrays())
    assert bound.copied_bytes == 0
    bound.run()
    assert bound.copied_bytes == 0


@pytest.mark.parametrize("name", ["x", "state", "y"])
def test_other_arrays_are_copied_at_every_run(net: glow.Executable, name: str) -> None:
    wide = np.zeros((4, 16), np.float32)
    given = arrays() | {"y": np.empty((4, 8), np.float32)}
    wide[:, ::2] = given[name]
    expected = net.run(arrays())
    bound = net.bind(given | {name: wide[:, ::2]})
    assert bound.copied_bytes == (2 if name == "state" else 1) * 4 * 8 * 4
    for _ in range(2):
        if name == "state":
            wide[...] = 0
        else:
            given["state"][...] = 0
        found = bound.run()
        assert all(np.array_equal(found[key], expected[key]) for key in expected)
    assert not wide[:, 1::2].any()
    bound[name] = np.ascontiguousarray(given[name])
    assert bound.copied_bytes == 0


def test_a_clone_shares_inputs_and_nothing_else(net: glow.Executable) -> None:
    given = arrays()
    bound = net.bind(given)
    bound.run()
    state = given["state"].copy()
    twin = bound.clone()
    assert twin["x"] is given["x"]
    assert twin["y"] is None
    twin.run()
    assert np.array_equal(given["state"], state)
    assert not np.array_equal(twin["state"], state)
    assert twin["y"] is not bound["y"]


def test_outputs_without_elements_and_inputs_that_are_outputs_work(
    tmp_path: Path,
) -> None:
    (tmp_path / "net.mlir").write_text("""
      func.func @main(%x: tensor<0x2xf32>) -> tensor<0x2xf32> {
        func.return %x : tensor<0x2xf32>
      }""")
    for target in TARGETS:
        net = glow.compile(tmp_path / "net.mlir", target=target)
        bound = net.bind({net.inputs[0].name: np.empty((0, 2), np.float32)})
        assert [array.shape for array in bound.run().values()] == [(0, 2)]


def refusal(action: Callable[[], object]) -> str:
    with pytest.raises(glow.BindingError) as refused:
        action()
    return str(refused.value)


def test_everything_wrong_is_said_at_once(net: glow.Executable) -> None:
    locked = np.zeros((4, 8), np.float32)
    locked.flags.writeable = False
    given = {"x": "s", "bias": np.zeros(9, np.float32), "state": locked, "q": 1}
    assert refusal(lambda: net.bind(given)) == (
        'input "x": expected float32[4, 8], got a str; '
        'input "bias": expected float32[8], got float32[9]; '
        'input "state": expected a writeable array; '
        'no input or output is called "q", expected x, bias, state, y, z'
    )


def test_unbound_inputs_are_all_named(net: glow.Executable) -> None:
    bound = net.bind({"x": arrays()["x"]})
    assert refusal(bound.run) == (
        'input "bias": not bound, expected float32[8]; '
        'input "state": not bound, expected float32[4, 8]'
    )


def test_a_refused_array_leaves_the_one_before(net: glow.Executable) -> None:
    given = arrays()
    bound = net.bind(given)

    def put() -> None:
        bound["x"] = np.zeros(3)

    assert refusal(put) == 'input "x": expected float32[4, 8], got float64[3]'
    assert bound["x"] is given["x"]
    bound.run()


@pytest.mark.parametrize(
    ("first", "second"), [("x", "state"), ("state", "y"), ("x", "y"), ("y", "x")]
)
def test_what_is_written_shares_no_memory(
    net: glow.Executable, first: str, second: str
) -> None:
    both = np.zeros((5, 8), np.float32)
    given = {first: both[:4], second: both[1:]}
    assert refusal(lambda: net.bind(given)) == (
        f'"{second}" and "{first}" share memory'
    )


def test_an_array_may_be_given_again_or_moved_a_little(net: glow.Executable) -> None:
    both = np.zeros((5, 8), np.float32)
    bound = net.bind(arrays() | {"state": both[:4]})
    for part in (both[:4], both[1:], both[:4]):
        part[...] = 0
        bound["state"] = part
        assert bound.run()["state"] is part
    bound["y"] = np.empty((4, 8), np.float32)
    bound["x"] = both[1:].copy()
    assert refusal(lambda: bound.__setitem__("y", both[1:])) == (
        '"y" and "state" share memory'
    )


def calls_of_update(count: int) -> int:
    """Return how many calls it takes to exchange one of `count` inputs and outputs."""
    specs = [TensorSpec(f"x{n}", (4,), np.dtype(np.float32)) for n in range(count)]
    half = count // 2
    signature = Signature(tuple(specs[:half]), tuple(specs[half:]))

    class Idle(Executable):
        def execute(self, *_: object) -> None: ...

    bound = Idle(signature).bind({s.name: np.zeros(4, np.float32) for s in specs})
    calls: list[str] = []
    new, name = np.zeros(4, np.float32), specs[-1].name
    sys.setprofile(lambda frame, event, _: calls.append(event))
    bound[name] = new
    sys.setprofile(None)
    assert bound[name] is new
    return len(calls)


def test_an_update_looks_at_no_other_array() -> None:
    assert calls_of_update(2) == calls_of_update(600)


def test_what_is_only_read_may_share_memory(tmp_path: Path) -> None:
    (tmp_path / "net.mlir").write_text("""
      func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
        %z = graph.add %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        func.return %z : tensor<2xf32>
      }""")
    net = glow.compile(tmp_path / "net.mlir")
    one = np.ones(2, np.float32)
    bound = net.bind({spec.name: one for spec in net.inputs})
    (found,) = bound.run().values()
    assert found.tolist() == [2, 2]


@pytest.fixture(scope="module")
def deep(tmp_path_factory: pytest.TempPathFactory) -> glow.Executable:
    """Return a network that needs an arena."""
    path = tmp_path_factory.mktemp("model") / "deep.mlir"
    square = "(tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>"
    path.write_text(f"""
      func.func @main(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {{
        %0 = graph.matmul %x, %x : {square}
        %1 = graph.matmul %0, %x : {square}
        %2 = graph.matmul %1, %0 : {square}
        func.return %2 : tensor<32x32xf32>
      }}""")
    return glow.compile(path)


def square(seed: int) -> Array:
    return np.random.default_rng(seed).standard_normal((32, 32), np.float32)


def test_an_arena_of_the_caller_is_worked_in(deep: glow.Executable) -> None:
    (spec,) = deep.inputs
    assert deep.arena_bytes > 0
    arena = aligned_empty(deep.arena_bytes)
    arena[...] = 0
    (found,) = deep.bind({spec.name: square(0)}, arena=arena).run().values()
    assert arena.any()
    assert np.array_equal(found, deep(square(0)))


def test_other_arenas_are_refused(deep: glow.Executable) -> None:
    size = deep.arena_bytes
    room = aligned_empty(2 * size + 128)
    locked = room[:size].view()
    locked.flags.writeable = False
    message = (
        f"arena: expected a contiguous writeable uint8 array of at least {size} bytes"
        " at a multiple of 64"
    )
    for arena in (
        room[: size - 1],
        room[8 : size + 8],
        room[: 2 * size : 2],
        room[: size + -size % 4].view(np.float32),
        locked,
        "arena",
    ):
        assert refusal(lambda arena=arena: deep.bind(arena=arena)) == message


def test_a_run_in_another_thread_is_not_disturbed(
    net: glow.Executable, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound = net.bind(arrays())
    running, done = Event(), Event()
    run = bound._frame.run

    def slowly(*_: object) -> None:
        running.set()
        done.wait(10)
        run()

    monkeypatch.setattr(bound._frame, "run", slowly)
    thread = Thread(target=bound.run)
    thread.start()
    running.wait(10)
    in_use = (
        "expected bindings that are not in use, got those of a run in another thread;"
        " clone() makes others"
    )
    assert refusal(bound.run) == in_use
    assert refusal(lambda: bound.__setitem__("x", arrays()["x"])) == in_use
    assert refusal(bound.clone) == in_use
    done.set()
    thread.join()
    monkeypatch.undo()
    bound.run()


def test_a_fault_leaves_bindings_usable(tmp_path: Path) -> None:
    (tmp_path / "net.mlir").write_text("""
      func.func @main(%x: tensor<3xf32>, %i: tensor<1xi64>) -> tensor<1xf32> {
        %y = graph.gather %x, %i {axis = 0 : i64}
            : (tensor<3xf32>, tensor<1xi64>) -> tensor<1xf32>
        func.return %y : tensor<1xf32>
      }""")
    for target in TARGETS:
        net = glow.compile(tmp_path / "net.mlir", target=target)
        x, i = (spec.name for spec in net.inputs)
        index = np.array([7])
        bound = net.bind({x: np.arange(3, dtype=np.float32), i: index})
        for _ in range(2):
            with pytest.raises(glow.ExecutionError):
                bound.run()
        index[0] = 2
        (found,) = bound.run().values()
        assert found.tolist() == [2]


def test_fresh_outputs_lie_where_code_likes_them(net: glow.Executable) -> None:
    bound = net.bind(arrays())
    for array in bound.run().values():
        assert array.base is None or address_of(array) % ALIGNMENT == 0
