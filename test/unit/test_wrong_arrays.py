"""All that is wrong with the arrays of a call is said at once, at every entrance."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import glow

Array = NDArray[Any]

NETWORK = """
graph.placeholder @x "in" : tensor<4xf32>
graph.placeholder @i "in" : tensor<1xi64>
graph.placeholder @s "inout" : tensor<4xf32>
graph.placeholder @y "out" : tensor<4xf32>
graph.placeholder @z "out" : tensor<4xf32>
func.func @main() {
  %x = graph.load @x : tensor<4xf32>
  %i = graph.load @i : tensor<1xi64>
  %s = graph.load @s : tensor<4xf32>
  %g = graph.gather %x, %i {axis = 0 : i64}
      : (tensor<4xf32>, tensor<1xi64>) -> tensor<1xf32>
  %0 = graph.add %s, %g : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %1 = graph.neg %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  graph.save @s, %0 : tensor<4xf32>
  graph.save @y, %1 : tensor<4xf32>
  graph.save @z, %2 : tensor<4xf32>
  func.return
}
"""


@pytest.fixture(scope="module", params=["cpu", "reference"])
def net(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> glow.Executable:
    path = tmp_path_factory.mktemp("model") / "net.mlir"
    path.write_text(NETWORK)
    return glow.compile(path, target=request.param)


def plain(size: int = 4) -> Array:
    return np.zeros(size, np.float32)


def locked() -> Array:
    array = plain()
    array.flags.writeable = False
    return array


def given() -> dict[str, object]:
    return {"x": plain(), "i": np.zeros(1, np.int64), "s": plain()}


def refusal(action: Callable[[], object]) -> list[str]:
    """Return what one error complains about."""
    with pytest.raises(glow.BindingError) as refused:
        action()
    return str(refused.value).split("; ")


def test_a_call_names_each_input(net: glow.Executable) -> None:
    assert refusal(lambda: net(plain(5), np.zeros(1, np.int32), "s")) == [
        'input "x": expected float32[4], got float32[5]',
        'input "i": expected int64[1], got int32[1]',
        'input "s": expected float32[4], got a str',
    ]
    assert refusal(lambda: net(plain())) == [
        "expected 3 arrays (x: float32[4], i: int64[1], s: float32[4]), got 1"
    ]


def test_a_run_names_each_array(net: glow.Executable) -> None:
    both = plain(6)
    inputs = {"x": np.zeros(4), "q": plain(), "s": plain().reshape(2, 2)}
    out = {"y": both[:4], "z": both[2:], "s": locked(), "x": plain()}
    assert refusal(lambda: net.run(inputs, out=out)) == [
        'input "x": expected float32[4], got float64[4]',
        'input "i": missing, expected int64[1]',
        'input "s": expected float32[4], got float32[2, 2]',
        'no input is called "q", expected x, i, s',
        'output "s": expected a writeable array',
        'no output is called "x", expected s, y, z',
        'outputs "y" and "z" share memory',
    ]


def test_bindings_name_each_array(net: glow.Executable) -> None:
    both = plain(6)
    arrays = {
        "x": np.zeros(4, ">f4"),
        "i": None,
        "s": locked(),
        "y": both[:4],
        "z": both[2:],
        "q": plain(),
    }
    assert refusal(lambda: net.bind(arrays)) == [
        'input "x": expected float32[4], got >f4[4]',
        'input "i": expected int64[1], got a NoneType',
        'input "s": expected a writeable array',
        '"z" and "y" share memory',
        'no input or output is called "q", expected x, i, s, y, z',
    ]


def test_a_bound_run_names_each_input_that_is_absent(net: glow.Executable) -> None:
    bound = net.bind({"x": plain(), "y": plain()})
    assert refusal(bound.run) == [
        'input "i": not bound, expected int64[1]',
        'input "s": not bound, expected float32[4]',
    ]


def test_what_is_refused_changes_nothing(net: glow.Executable) -> None:
    arrays = given() | {"y": plain(), "z": plain()}
    bound = net.bind(arrays)
    both = plain(6)
    bound["z"] = both[:4]
    for name, array in (
        ("x", plain(3)),
        ("i", [0.5]),
        ("s", both[2:]),
        ("y", both[1:5]),
        ("z", locked()),
        ("q", plain()),
    ):
        assert refusal(lambda n=name, a=array: bound.__setitem__(n, a))
    assert bound["z"] is not None
    assert all(bound[n] is arrays[n] for n in ("x", "i", "s", "y"))
    assert np.array_equal(bound.run()["z"], np.ones(4))
    assert not both[4:].any()


def test_memory_of_an_argument_is_never_written_before_it_is_read(
    net: glow.Executable, tmp_path: Path
) -> None:
    """An output that overlaps an input of a run is right; of bindings, refused."""
    room = np.arange(6, dtype=np.float32)
    x, s, index = room[:4], room[2:], np.ones(1, np.int64)
    expected = net.run({"x": x.copy(), "i": index, "s": s.copy()})
    found = net.run({"x": x, "i": index, "s": s}, out={"y": room[1:5]})
    assert np.array_equal(found["y"], expected["y"])
    assert np.array_equal(found["s"], expected["s"])
    assert refusal(lambda: net.bind({"x": x, "i": index, "s": s})) == [
        '"s" and "x" share memory'
    ]
