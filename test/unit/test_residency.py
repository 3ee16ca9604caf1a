"""Placeholders that are bound, resident or scratch, from text to runs."""

import gc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from xdsl.utils.exceptions import VerifyException

import glow
from glow.dialects.graph.placeholder import ResourceAttr
from glow.dialects.graph.storage import PlaceholderOp
from glow.graph_modules import context
from glow.model import parse_text
from glow.runtime.interface import Executable
from glow.runtime.native import NativeExecutable
from glow.support.arrays import address_of
from glow.support.errors import BindingError, CompilationError
from glow.support.resources import Resource
from glow.support.weights import load_weights, save_weights

PLANE = "tensor<2x3xf32>"
STEP = np.arange(6, dtype=np.float32).reshape(2, 3)
START = STEP * 10
SCALE = np.full((2, 3), 2, np.float32)

# n: x * scale + n, and y is what n becomes, negated; nobody sees the sum.
TEXT = """
graph.placeholder @x "in" : {type}
graph.placeholder @y "out" : {type}
graph.placeholder @n "inout" "resident"{initial} : {type}
graph.placeholder @scale "in" "{scale}" initial {scale_bytes} : {type}
graph.placeholder @sum "out" "scratch" : {type}
func.func @main() {{
  %x = graph.load @x : {type}
  %n = graph.load @n : {type}
  %s = graph.load @scale : {type}
  %p = graph.mul %x, %s : ({type}, {type}) -> {type}
  %m = graph.add %p, %n : ({type}, {type}) -> {type}
  %z = graph.neg %m : ({type}) -> {type}
  graph.save @y, %z : {type}
  graph.save @n, %m : {type}
  graph.save @sum, %p : {type}
  func.return
}}
"""


def reference_to(resource: Resource) -> str:
    return f'#graph.resource<"{resource.digest}">'


def model(
    initial: bool = True, scale: str = "bound", first: np.ndarray = START
) -> glow.Model:
    start, factor = Resource(first), Resource(SCALE)
    text = TEXT.format(
        type=PLANE,
        scale=scale,
        scale_bytes=reference_to(factor),
        initial=f" initial {reference_to(start)}" if initial else "",
    )
    return glow.Model("counter", parse_text(context(), text, "counter"))


@pytest.fixture(params=["cpu", "reference"])
def target(request: pytest.FixtureRequest) -> str:
    return request.param


def names(net: Executable) -> tuple[list[str], ...]:
    signature = net.signature
    states = [state.spec for state in signature.states]
    kinds = (signature.inputs, signature.outputs, states)
    return tuple([spec.name for spec in specs] for specs in kinds)


def test_only_what_is_the_callers_is_in_the_signature(target: str) -> None:
    net = glow.compile(model(), target)
    assert names(net) == (["x"], ["y"], ["n"])
    assert str(net.signature) == (
        "(x: float32[2, 3]) -> (y: float32[2, 3]) with (n: float32[2, 3])"
    )
    with pytest.raises(BindingError, match='no input or output is called "sum"'):
        net.bind({"sum": STEP})


def test_a_state_goes_on_from_run_to_run(target: str) -> None:
    bound = glow.compile(model(), target).bind({"x": STEP})
    other = glow.compile(model(), target).bind({"x": STEP})
    for run in range(1, 4):
        expected = START + run * STEP * SCALE
        assert np.array_equal(bound.run()["y"], -expected)
        found = bound["n"]
        assert found is not None
        assert np.array_equal(found, expected)
    assert np.array_equal(other.run()["y"], -(START + STEP * SCALE))


def test_calls_without_bindings_start_anew(target: str) -> None:
    net = glow.compile(model(), target)
    expected = -(START + STEP * SCALE)
    for _ in range(2):
        assert np.array_equal(net(STEP), expected)
        assert np.array_equal(net.run({"x": STEP})["y"], expected)
        assert np.array_equal(net.run({"x": STEP.T.copy().T})["y"], expected)


def test_a_caller_may_bind_a_state(target: str) -> None:
    bound = glow.compile(model(), target).bind({"x": STEP})
    mine = np.ones((2, 3), np.float32)
    bound["n"] = mine
    assert np.array_equal(bound.run()["y"], -(1 + STEP * SCALE))
    assert np.array_equal(mine, 1 + STEP * SCALE)


def test_a_clone_has_a_state_of_its_own(target: str) -> None:
    bound = glow.compile(model(), target).bind({"x": STEP})
    bound.run()
    clone = bound.clone()
    bound.run()
    assert np.array_equal(clone.run()["y"], -(START + 2 * STEP * SCALE))


def test_a_state_without_a_start_must_be_bound(target: str) -> None:
    net = glow.compile(model(initial=False), target)
    with pytest.raises(BindingError, match=r'state "n": not bound, expected float32'):
        net.bind({"x": STEP}).run()
    with pytest.raises(BindingError, match=r'state "n": it has no initial value'):
        net(STEP)
    bound = net.bind({"x": STEP, "n": START.copy()})
    assert np.array_equal(bound.run()["y"], -(START + STEP * SCALE))


def test_what_is_only_read_is_one_array_for_all_bindings(target: str) -> None:
    net = glow.compile(model(scale="resident"), target)
    first, second = net.bind({"x": STEP}), net.bind({"x": STEP})
    arrays = first["scale"], second["scale"]
    assert arrays[0] is not None
    assert arrays[1] is not None
    assert address_of(arrays[0]) == address_of(arrays[1])
    assert np.array_equal(first.run()["y"], -(START + STEP * SCALE))
    first["scale"] = 2 * SCALE
    assert np.array_equal(first.run()["y"], -(START + 3 * STEP * SCALE))
    assert np.array_equal(second.run()["y"], -(START + STEP * SCALE))


def test_a_saved_executable_keeps_states(tmp_path: Path) -> None:
    net = glow.compile(model(scale="resident"), "cpu")
    net.save(tmp_path / "net.glow")
    loaded = glow.load_executable(tmp_path / "net.glow")
    assert loaded.signature == net.signature
    bound = loaded.bind({"x": STEP})
    bound.run()
    assert np.array_equal(bound.run()["y"], -(START + 2 * STEP * SCALE))


@pytest.mark.parametrize("value", [0.0, -0.0, 3.5, np.nan, None])
def test_what_states_repeat_is_kept_once(tmp_path: Path, value: float | None) -> None:
    """A file, and a process, has one element of what starts as one everywhere."""
    first = np.full((2, 3), value, np.float32)
    if value is None:
        first = np.array([[0, 0, 0], [0, 0, -0.0]], np.float32)
    net = glow.compile(model(first=first), "cpu")
    net.save(tmp_path / "net.glow")
    assert isinstance(net, NativeExecutable)
    shapes = [array.shape for array in net._image.constants]
    assert shapes.count(()) == (value is not None)
    for each in (net, glow.load_executable(tmp_path / "net.glow")):
        bound = each.bind()
        found = bound["n"]
        assert found is not None
        assert found.tobytes() == first.tobytes()
        assert found.flags.carray
        found += 1
        assert each.bind()["n"] is not found
        np.testing.assert_array_equal(each(STEP), -(first + STEP * SCALE))


# In a process of its own: elsewhere the C library may clear memory that was freed.
NEW_BINDINGS = """
import sys, glow
from mmap import PAGESIZE
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * PAGESIZE
net = glow.load_executable(sys.argv[1])
before = resident()
callers = [net.bind() for _ in range(4)]
taken = resident() - before
assert taken < int(sys.argv[2]), taken
assert not any(caller["cache"][::4096].any() for caller in callers)
"""


@pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="the system does not say what is used"
)
def test_zeros_of_new_bindings_take_no_memory(tmp_path: Path) -> None:
    rows = 1 << 24
    text = f"""
graph.placeholder @x "in" : tensor<1xf32>
graph.placeholder @y "out" : tensor<{rows}xf32>
graph.placeholder @cache "in" : tensor<{rows}xf32>
func.func @main() {{
  %x = graph.load @x : tensor<1xf32>
  %cache = graph.load @cache : tensor<{rows}xf32>
  %y = graph.add %cache, %x
      : (tensor<{rows}xf32>, tensor<1xf32>) -> tensor<{rows}xf32>
  graph.save @y, %y : tensor<{rows}xf32>
  func.return
}}
"""
    source = glow.Model("net", parse_text(context(), text, "net"))
    net = glow.compile(source, states={"y": "cache"})
    net.save(tmp_path / "net.glow")
    assert (tmp_path / "net.glow").stat().st_size < 1 << 20
    assert net.constant_bytes < 1 << 10
    script = [sys.executable, "-c", NEW_BINDINGS, tmp_path / "net.glow", str(rows * 4)]
    subprocess.run(script, check=True)


@pytest.mark.slow
def test_initial_values_go_to_the_weights_file(tmp_path: Path) -> None:
    source = model(first=START + 3)
    save_weights(source.module, tmp_path / "net.weights.safetensors")
    text = str(source)
    del source
    gc.collect()
    with pytest.raises(CompilationError, match=r"the bytes of constant .* are absent"):
        glow.compile(glow.Model("net", parse_text(context(), text, "net")))
    held = load_weights(tmp_path / "net.weights.safetensors")
    net = glow.compile(glow.Model("net", parse_text(context(), text, "net")))
    del held
    assert np.array_equal(net(STEP), -(START + 3 + STEP * SCALE))


def test_an_initial_value_is_laid_out_like_its_placeholder(target: str) -> None:
    relayout = {"n": "[1, 0]", "scale": "[1, 0]"}
    disable = ("promote-placeholders",)  # which would make a constant of the scale
    net = glow.compile(model(), target, relayout=relayout, disable=disable)
    bound = net.bind({"x": STEP})
    assert np.array_equal(bound.run()["y"], -(START + STEP * SCALE))
    found = bound["n"]
    assert found is not None
    assert np.array_equal(found, (START + STEP * SCALE).T)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (STEP.astype(np.float64), "expected float32 bytes, got float64"),
        (STEP.T, r"expected bytes of shape \(2, 3\), got \(3, 2\)"),
    ],
)
def test_an_initial_value_fits_the_type(array: np.ndarray, message: str) -> None:
    (like,) = (op for op in model().module.ops if op_is(op, "n"))
    other = PlaceholderOp(
        "n", "inout", like.type, None, "resident", ResourceAttr.of(array)
    )
    with pytest.raises(VerifyException, match=message):
        other.verify()


def op_is(op: object, name: str) -> bool:
    return isinstance(op, PlaceholderOp) and op.sym_name.data == name
