"""States and layouts of callers where dimensions are symbolic."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from grids import examples
from hypothesis import assume, given
from hypothesis import strategies as st
from layout_strategies import laid_out
from models.decoder import STATES, decoder_cached
from numpy.typing import NDArray
from onnx import ModelProto
from operators.oracle import run_onnxruntime
from small_onnx import info, model, node

import glow
from glow import BindingError, CompilationError, DynamicExecutable
from glow.runtime.symbolic import SymbolicSignature
from glow.runtime.tensor_spec import symbolic_spec
from glow.support.layout import (
    Layout,
    LayoutError,
    print_layout,
    requested_layouts,
)

f32 = np.float32
Array = NDArray[Any]
TARGETS = ("cpu", "reference")
SMALL: dict[str, Any] = {
    "width": 32,
    "heads": 4,
    "kv_heads": 2,
    "wide": 48,
    "positions": 16,
}


def counter() -> ModelProto:
    """Return y = x + n[-1] for a batch of rows, and what n becomes: twice n plus x."""
    nodes = [
        node("Gather", "n last", "row", axis=0),
        node("Add", "x row", "y"),
        node("Add", "n n", "twice"),
        node("Add", "twice x", "n2"),
    ]
    inputs = {"x": ("batch", 3), "n": ("room", "batch", 3)}
    outputs = [info("y", ("batch", 3)), info("n2", ("room", "batch", 3))]
    return model(nodes, inputs, outputs, {"last": np.array(-1)})


def image() -> ModelProto:
    """Return relu of an image of any size and batch, and its channels added up."""
    nodes = [
        node("Relu", "image", "y"),
        node("ReduceSum", "image axes", "sum", keepdims=0),
    ]
    inputs = {"image": ("batch", 8, "height", 6)}
    outputs = [info("y", ("batch", 8, "height", 6)), "sum"]
    return model(nodes, inputs, outputs, {"axes": np.array([1])})


def compiled(source: ModelProto, target: str = "cpu", **options: Any) -> Any:
    net = glow.compile(source, target=target, **options)
    assert isinstance(net, DynamicExecutable)
    return net


def refusal(error: type[Exception], call: Any) -> str:
    with pytest.raises(error) as caught:
        call()
    text = str(caught.value)
    assert "\n" not in text
    return text


def draw(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape, f32)


@pytest.mark.parametrize("target", TARGETS)
def test_states_belong_to_bindings_of_their_extents(target: str) -> None:
    net = compiled(counter(), target, states={"n2": "n"})
    assert net.dims == ("batch", "room")
    assert str(net.signature) == (
        "(x: float32[batch, 3]) -> (y: float32[batch, 3]) "
        "with (n: float32[room, batch, 3])"
    )
    callers = []
    for batch, room in ((2, 1), (3, 2), (2, 4)):
        x, n = draw(batch, 3), draw(room, batch, 3)
        bound = net.bind({"x": x, "n": n.copy()})
        callers.append((bound, x, n))
    fixed = net.specialize({"batch": 5, "room": 2})
    callers.append((fixed.bind({"x": draw(5, 3)}), draw(5, 3), np.zeros((2, 5, 3))))
    for bound, x, n in callers * 2:
        is_first = np.array_equal(bound["n"], n)
        expected = n if is_first else 2 * n + x
        np.testing.assert_allclose(bound.run()["y"], x + expected[-1], atol=1e-5)
        np.testing.assert_allclose(bound["n"], 2 * expected + x, atol=1e-5)
    assert len(net.compiled) == 4
    assert net.compiled[0] == {"batch": 2, "room": 1}
    assert list(net.compiled[0]) == ["batch", "room"]


def test_a_state_goes_on_with_other_extents_where_the_caller_says_so() -> None:
    net = compiled(counter(), states={"n2": "n"}, shapes={"batch": 1, "room": [1, 2]})
    assert len(net.compiled) == 2
    x = draw(1, 3)
    bound = net.bind({"x": x, "n": np.ones((1, 1, 3), f32)})
    bound.run()
    grown = np.concatenate([np.zeros((1, 1, 3), f32), bound["n"]])
    found = net.bind({"x": x, "n": grown}).run()["y"]
    np.testing.assert_allclose(found, 2 + 2 * x, atol=1e-5)
    assert len(net.compiled) == 2
    with pytest.raises(BindingError, match=r"float32\[1, 1, 3\], got float32\[2, 1, 3"):
        bound["n"] = grown


def test_what_no_array_says_about_states_is_reported() -> None:
    net = compiled(counter(), states={"n2": "n"})
    x = draw(2, 3)
    wanted = (
        'no array says what dimension "room" is; give bindings a state that has it, '
        'or its extent: specialize({"batch": 2, "room": ...}) or --dim "room=..."'
    )
    for call in (lambda: net(x), lambda: net.run({"x": x}), lambda: net.bind({"x": x})):
        assert refusal(BindingError, call) == wanted
    assert refusal(BindingError, lambda: net.bind({"x": x, "n": draw(1, 3, 3)})) == (
        'dimension "batch" is 2 in input "x", 3 in state "n"'
    )
    assert refusal(BindingError, lambda: net.bind({"x": x, "n": "s"})) == (
        'state "n": expected float32[room, batch, 3], got a str'
    )
    assert refusal(BindingError, lambda: net.run({"x": x, "n": draw(1, 2, 3)})) == (
        'no input is called "n", expected x'
    )
    fixed = net.specialize({"batch": 2, "room": 3})
    np.testing.assert_array_equal(fixed(x), x)  # a call begins with zeros
    np.testing.assert_array_equal(fixed.run({"x": x})["y"], x)


def test_inputs_that_have_all_dimensions_are_enough() -> None:
    nodes = [node("Add", "x n", "y"), node("Mul", "y two", "n2")]
    shapes = {"x": ("batch", 3), "n": ("batch", 3)}
    outputs = [info("y", ("batch", 3)), info("n2", None)]
    source = model(nodes, shapes, outputs, {"two": np.array([2], f32)})
    net = compiled(source, states={"n2": "n"})
    for batch in (1, 4):
        x = draw(batch, 3)
        np.testing.assert_array_equal(net(x), x)
        bound = net.bind({"x": x})
        bound.run()
        np.testing.assert_allclose(bound.run()["y"], 3 * x, atol=1e-5)
        received: list[str] = []
        net.run({"x": x}, on_output=lambda name, _: received.append(name))  # noqa: B023
        assert received == ["y"]


@pytest.mark.slow
def test_decoders_with_caches_of_any_room_are_those_of_onnx_runtime() -> None:
    source = decoder_cached("room", **SMALL)
    net = compiled(source, states=STATES)
    for room in (4, 16):
        past = {name: np.zeros((1, 2, room, 8), f32) for name in STATES.values()}
        x, length = np.empty((1, 1, 32), f32), np.zeros(1, np.int64)
        arrays = {name: array.copy() for name, array in past.items()}
        bound = net.bind({"input": x, "length": length, **arrays})
        for step in range(3):
            x[...] = np.random.default_rng(step).standard_normal(x.shape)
            feeds = {"input": x, "length": length, **past}
            expected, *made = run_onnxruntime(source, feeds)
            np.testing.assert_allclose(bound.run()["output"], expected, atol=2e-5)
            past = dict(zip(past, made, strict=True))
            length += 1
    assert [dims["room"] for dims in net.compiled] == [4, 16]


def test_states_that_cannot_be_are_all_named() -> None:
    def of(states: dict[str, str]) -> str:
        return refusal(CompilationError, lambda: compiled(counter(), states=states))

    assert of({"n2": "m", "z": "x"}) == (
        'states: expected an output out of "y", "n2", got "z"; '
        'states: expected an input out of "x", "n", got "m"'
    )
    assert of({"n2": "x", "y": "x"}) == (
        'states: expected each input once, got "x" 2 times; '
        'states: expected output "n2" of the type of input "x", float32[batch, 3], '
        "got float32[room, batch, 3]"
    )
    source = model(
        [node("Cast", "x", "y", to=7)], {"x": ("n",)}, [info("y", ("n",), "i64")]
    )
    text = refusal(CompilationError, lambda: compiled(source, states={"y": "x"}))
    assert text.endswith("float32[n], got int64[n]")
    # What an extent is that no name of an input says shows when it is compiled.
    source = model(
        [node("Concat", "x x", "y", axis=0)], {"x": ("n",)}, [info("y", ("m",))]
    )
    net = compiled(source, states={"y": "x"})
    text = refusal(CompilationError, lambda: net.specialize({"n": 2}))
    assert text.startswith('for n = 2: states: expected output "y" of the type of')


@pytest.mark.parametrize("target", TARGETS)
def test_callers_pass_and_take_other_orders(target: str) -> None:
    net = compiled(image(), target, relayout={"image": "NHWC", "y": "NCHW4c"})
    assert str(net.inputs[0]) == (
        "image: float32[batch, height, 6, 8] (NHWC of [batch, 8, height, 6])"
    )
    assert str(net.outputs[0]) == (
        "y: float32[batch, 2, height, 6, 4] (NCHW4c of [batch, 8, height, 6])"
    )
    for batch, height in ((2, 5), (1, 0), (2, 5)):
        tensor = draw(batch, 8, height, 6)
        packed = net.inputs[0].pack(tensor)
        assert packed.shape == (batch, height, 6, 8)
        np.testing.assert_array_equal(net.inputs[0].unpack(packed), tensor)
        y, total = net(packed)
        found = net.outputs[0].unpack(y)
        np.testing.assert_array_equal(found, np.maximum(tensor, 0))
        np.testing.assert_allclose(total, tensor.sum(1), atol=1e-5)
        bound = net.bind({"image": packed})
        np.testing.assert_array_equal(bound.run()["y"], y)
    assert net.compiled == ({"batch": 1, "height": 0}, {"batch": 2, "height": 5})
    assert net.dims_of({"image": np.zeros((3, 4, 6, 8), f32)}) == {
        "batch": 3,
        "height": 4,
    }
    with pytest.raises(BindingError, match=r"\[batch, height, 6, 8\] .* got float32"):
        net(draw(2, 8, 5, 6))


def test_one_order_is_for_all_of_its_rank_and_blocks_may_split_a_symbol() -> None:
    net = compiled(image(), relayout="NHWC")
    assert [spec.layout for spec in net.outputs] == ["NHWC", ""]
    net = compiled(image(), relayout={"image": "NCHW2n"})
    assert str(net.inputs[0]).startswith("image: float32[batch/2, 8, height, 6, 2] (")
    x = draw(4, 8, 1, 6)
    found = net(net.inputs[0].pack(x))[0]
    np.testing.assert_array_equal(found, np.maximum(x, 0))
    assert net.compiled == ({"batch": 4, "height": 1},)
    text = refusal(BindingError, lambda: net.specialize({"batch": 3, "height": 1}))
    assert text == (
        'expected blocks that divide the axes of "image", which is [3, 8, 1, 6], '
        "got OIHW2o"
    )


@examples(30)
@given(laid_out(), st.data())
def test_arrays_in_any_order_say_what_extents_are(
    case: tuple[Layout, tuple[int, ...]], data: st.DataObject
) -> None:
    layout, shape = case
    if layout.is_aligned or layout.has_halo:
        layout = Layout([replace(dim, alignment=1) for dim in layout.dims])
    open_axes = data.draw(st.lists(st.booleans(), min_size=len(shape)))
    extents = tuple(
        f"n{axis}" if is_open else extent
        for axis, (extent, is_open) in enumerate(zip(shape, open_axes, strict=False))
    )
    plain = symbolic_spec("x", extents, np.dtype(f32))
    try:
        requested_layouts(("x",), (print_layout(layout),), {"x": shape})
    except LayoutError:
        assume(False)
    spec = plain.relaid(layout)
    dims = {f"n{axis}": extent for axis, extent in enumerate(shape)}
    assert spec.problem_for(dims) is None
    found = spec.shape_for(dims)
    assert spec.tensor_shape_of(found) == shape
    array = spec.pack(np.zeros(shape, f32))
    assert array.shape == found
    assert spec.problem_with(array) is None
    assert spec.unpack(array).shape == shape
    signature = SymbolicSignature((spec,), ())
    assert signature.dims_of({"x": array}) == {n: dims[n] for n in signature.dims}
    assert signature.shapes_of(dims) == (found,)


@pytest.mark.parametrize("target", TARGETS)
def test_states_have_orders_too(target: str) -> None:
    wish = {"n": "[2, 0, 1]", "x": "[1, 0]"}
    net = compiled(counter(), target, states={"n2": "n"}, relayout=wish)
    state = net.signature.states[0].spec
    assert state.description.startswith("float32[3, room, batch] ")
    x, n = draw(2, 3), draw(4, 2, 3)
    bound = net.bind({"x": x.T.copy(), "n": state.pack(n)})
    np.testing.assert_allclose(bound.run()["y"], x + n[-1], atol=1e-5)
    np.testing.assert_allclose(state.unpack(bound["n"]), 2 * n + x, atol=1e-5)


def test_orders_that_cannot_be_are_all_named() -> None:
    def of(relayout: Any) -> str:
        return refusal(CompilationError, lambda: compiled(image(), relayout=relayout))

    assert of({"image": "NC", "q": "NHWC", "y": "NCHW3c", "sum": "N?"}) == (
        'layout "N?", column 2: expected the end, got "?"; '
        'expected the name of an input or output out of "image", "y", "sum", got "q"; '
        'expected a layout of rank 4 for "image", got NC of rank 2; '
        'expected blocks that divide the axes of "y", which is [batch, 8, height, 6], '
        "got NCHW3c"
    )
    assert of("NC") == "expected an input or output of rank 2 for layout NC, got none"
    assert of({"image": "NHWC, halo = [0, 0, 1, 1]"}).startswith(
        'expected a layout without alignment and halo for "image", got'
    )
    assert 'out of "x", "y", "n", got "n2"' in refusal(
        CompilationError,
        lambda: compiled(counter(), states={"n2": "n"}, relayout={"n2": "[2, 0, 1]"}),
    )
