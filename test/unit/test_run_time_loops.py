"""Data-dependent choices and loops compute what ONNX Runtime does, everywhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from grids import slow_but
from numpy.typing import NDArray
from onnx import parser
from operators.oracle import run_onnxruntime

import glow
from glow.analysis.directions import functions_of
from glow.dialects.memory.elementwise import CopyOp
from glow.graph_modules import context
from glow.model import parse_text
from glow.pass_manager import parse_passes, pipeline_text, run_passes
from glow.pipeline import stages_between
from glow.support.errors import ExecutionError

HEAD = '<ir_version: 8, opset_import: ["" : 17]>\n'

NETWORKS = {
    # Steps of Newton's method until they are small, then a choice of two branches.
    "root": """
        g (float[3] x, bool up) => (float[3] y, float[3] z) {
            limit = Constant <value = int64 {50}> ()
            yes = Constant <value = bool {1}> ()
            start = Relu (x)
            y = Loop (limit, yes, start) <body = b (int64 i, bool c, float[3] s)
                => (bool again, float[3] t) {
                    q = Div (x, s)
                    sum = Add (s, q)
                    half = Constant <value = float {0.5}> ()
                    t = Mul (sum, half)
                    change = Sub (t, s)
                    size = Abs (change)
                    most = ReduceMax <keepdims = 0> (size)
                    small = Constant <value = float {0.00001}> ()
                    again = Greater (most, small)
                }>
            z = If (up) <then_branch = t () => (float[3] a) { a = Ceil (y) },
                else_branch = e () => (float[3] b) { b = Add (y, x) }>
        }""",
    # What is carried is swapped, and what an iteration makes is the same for both.
    "swap": """
        g (int64 n, float[2, 3] x, float[2, 3] w) => (float[2, 3] y, float[2, 3] z) {
            y, z = Loop (n, , x, w) <body = b (int64 i, bool c, float[2, 3] p,
                float[2, 3] q) => (bool c, float[2, 3] q, float[2, 3] p) {}>
        }""",
    "nested": """
        g (int64 n, float[4, 4] x) => (float[4, 4] y) {
            w = Constant <value = float[4, 1] {0.5, -0.25, 0.125, 1.0}> ()
            y = Loop (n, , x) <body = outer (int64 i, bool c, float[4, 4] s)
                => (bool c, float[4, 4] t) {
                    scaled = Mul (s, w)
                    t = Loop (i, , scaled) <body = inner (int64 j, bool d,
                        float[4, 4] u) => (bool d, float[4, 4] v) {
                            one = Constant <value = int64 {1}> ()
                            odd = Mod (j, one)
                            is_odd = Cast <to = 9> (odd)
                            m = MatMul (u, x)
                            v = If (is_odd) <
                                then_branch = t () => (float[4, 4] a) { a = Neg (m) },
                                else_branch = e () => (float[4, 4] b) {
                                    r = Tanh (m)
                                    b = Add (r, s)
                                }>
                        }>
                }>
        }""",
    # Convolutions in blocked layouts, a product and a norm in the body.
    "layers": """
        g (int64 n, float[1, 16, 6, 6] x, float[16, 16, 3, 3] w, float[5, 7] m)
            => (float[1, 16, 6, 6] y, float[5, 7] z) {
            y, z = Loop (n, , x, m) <body = b (int64 i, bool c, float[1, 16, 6, 6] s,
                float[5, 7] p) => (bool c, float[1, 16, 6, 6] t, float[5, 7] o) {
                    k = Constant <value = float {0.1}> ()
                    f = Mul (w, k)
                    conv = Conv <pads = [1, 1, 1, 1]> (s, f)
                    r = Relu (conv)
                    t = Add (r, x)
                    transposed = Transpose (p)
                    square = MatMul (transposed, p)
                    soft = Softmax (square)
                    o = MatMul (p, soft)
                }>
        }""",
    "recurrent": """
        g (int64 n, float[3, 2, 4] x, float[1, 16, 4] w, float[1, 16, 4] r)
            => (float[3, 2, 4] y) {
            y = Loop (n, , x) <body = b (int64 i, bool c, float[3, 2, 4] s)
                => (bool c, float[3, 2, 4] t) {
                    all = LSTM <hidden_size = 4> (s, w, r)
                    axis = Constant <value = int64[1] {1}> ()
                    flat = Squeeze (all, axis)
                    t = Add (flat, s)
                }>
        }""",
}


def parsed(text: str) -> Any:
    return parse_text(context(), text, "text")


def network(name: str) -> Any:
    return parser.parse_model(HEAD + NETWORKS[name])


def inputs_of(source: Any, **given: Any) -> dict[str, NDArray[Any]]:
    rng = np.random.default_rng(0)
    arrays: dict[str, NDArray[Any]] = {}
    for info in source.graph.input:
        shape = [d.dim_value for d in info.type.tensor_type.shape.dim]
        drawn = rng.uniform(0.5, 2, shape).astype(np.float32)
        arrays[info.name] = np.asarray(given.get(info.name, drawn))
    return arrays


def check(source: Any, feeds: dict[str, NDArray[Any]], *nets: Any) -> None:
    expected = run_onnxruntime(source, feeds)
    for net in nets:
        for array, wanted in zip(net.run(feeds).values(), expected, strict=True):
            np.testing.assert_allclose(array, wanted, rtol=2e-5, atol=2e-5)


def everywhere(source: Any) -> list[Any]:
    """Return `source` for each target, each pass checked, and for threads."""
    return [
        glow.compile(source, target="reference"),
        glow.compile(source, target="reference-checked"),
        glow.compile(source, target="cpu", check="each-pass"),
        glow.compile(source, target="cpu", threads=2),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", slow_but(["swap", "nested", "layers", "recurrent"], "recurrent")
)
def test_loops_with_a_data_dependent_number_of_iterations(name: str) -> None:
    source = network(name)
    nets = everywhere(source)
    for iterations in (0, 1, 2, 5, -1):
        check(source, inputs_of(source, n=iterations), *nets)


@pytest.mark.slow
def test_a_loop_ends_when_its_condition_does() -> None:
    source = network("root")
    nets = everywhere(source)
    for up in (True, False):
        check(source, inputs_of(source, up=up), *nets)


AROUND = """
    g (int64 n, bool p, float[1, 16, 5, 5] x, float[16, 16, 3, 3] w, float[0, 3] e)
        => (float[1, 16, 5, 5] y, float[1, 32, 5, 5] z, float[0, 3] f) {
        before = Conv <pads = [1, 1, 1, 1]> (x, w)
        start = Tanh (before)
        b, f = Loop (n, , start, e) <body = b (int64 i, bool c, float[1, 16, 5, 5] s,
            float[0, 3] q) => (bool c, float[1, 16, 5, 5] t, float[0, 3] q) {
                t = If (p) <
                    then_branch = t () => (float[1, 16, 5, 5] o) { o = Neg (s) },
                    else_branch = e () => (float[1, 16, 5, 5] o) {
                        conv = Conv <pads = [1, 1, 1, 1]> (s, w)
                        o = Tanh (conv)
                    }>
            }>
        y = Conv <pads = [1, 1, 1, 1]> (b, w)
        z = Concat <axis = 1> (b, start)
    }"""


@pytest.mark.slow
def test_what_is_around_a_loop_has_layouts_and_borders() -> None:
    """States may be empty, read again, and a part of something larger."""
    source = parser.parse_model(HEAD + AROUND)
    nets = everywhere(source)
    for iterations, flag in ((0, True), (3, True), (2, False)):
        check(source, inputs_of(source, n=iterations, p=flag), *nets)


SCANS = """
    g (float[2] s, float[70, 2, 3] x) => (float[2] y, float[2, 70] z, float[70, 3] v) {
        y, z, v = Scan <num_scan_inputs = 1, scan_output_axes = [1, 0],
            scan_output_directions = [0, 1], scan_input_directions = [1],
            body = b (float[2] p, float[2, 3] part)
                => (float[2] q, float[2] row, float[3] other) {
                    axis = Constant <value = int64[1] {1}> ()
                    sum = ReduceSum <keepdims = 0> (part, axis)
                    q = Add (p, sum)
                    row = Mul (q, p)
                    first = Constant <value = int64[1] {0}> ()
                    other = ReduceSum <keepdims = 0> (part, first)
                }> (s, x)
    }"""


@pytest.mark.slow
def test_rows_are_put_out_in_place() -> None:
    source = parser.parse_model(HEAD + SCANS)
    check(source, inputs_of(source), *everywhere(source))
    module = glow.load(source).module
    passes = pipeline_text(stages_between("import", "memory"), "cpu")
    run_passes(parse_passes(passes), context(), module)
    (body,) = (f for f in functions_of(module) if f.sym_visibility is not None)
    copied = [op.source.type for op in body.walk() if isinstance(op, CopyOp)]
    assert [str(type_) for type_ in copied] == ["memref<2xf32>"]


STATE = """
graph.placeholder @n "in" : tensor<i64>
graph.placeholder @state "inout" "resident" : tensor<4xf32>
graph.placeholder @y "out" : tensor<4xf32>
func.func @main() {
  %n = graph.load @n : tensor<i64>
  %s = graph.load @state : tensor<4xf32>
  %new = graph.loop @add limit %n : tensor<i64> carries (%s : tensor<4xf32>)
    with (%n : tensor<i64>) -> tensor<4xf32>
  %y = graph.sub %new, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  graph.save @y, %y : tensor<4xf32>
  graph.save @state, %new : tensor<4xf32>
  func.return
}
func.func private @add(%i: tensor<i64>, %s: tensor<4xf32>, %n: tensor<i64>)
    -> tensor<4xf32> {
  %k = graph.add %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %f = graph.cast %k {to = f32} : (tensor<i64>) -> tensor<f32>
  %t = graph.add %s, %f : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  func.return %t : tensor<4xf32>
}
"""


@pytest.mark.parametrize("target", ["reference", "reference-checked", "cpu"])
def test_state_is_carried_from_run_to_run(target: str) -> None:
    net, state = glow.compile(parsed(STATE), target=target), np.zeros(4, np.float32)
    bindings = net.bind({"n": np.array(3), "state": state})
    for _ in range(2):
        np.testing.assert_array_equal(bindings.run()["y"], np.full(4, 12, np.float32))
    np.testing.assert_array_equal(state, np.full(4, 24, np.float32))
    bindings = net.bind({"n": np.array(0), "state": state})
    np.testing.assert_array_equal(bindings.run()["y"], np.zeros(4, np.float32))


FAULT = """
func.func @main(%n: tensor<i64>, %x: tensor<4xf32>) -> tensor<f32> {
  %z = graph.literal dense<0.0> : tensor<f32> : tensor<f32>
  %y = graph.loop @sum limit %n : tensor<i64> carries (%z : tensor<f32>)
    with (%x : tensor<4xf32>) -> tensor<f32>
  func.return %y : tensor<f32>
}
func.func private @sum(%i: tensor<i64>, %s: tensor<f32>, %x: tensor<4xf32>)
    -> tensor<f32> {
  %e = graph.gather %x, %i {axis = 0 : i64}
      : (tensor<4xf32>, tensor<i64>) -> tensor<f32> loc("pick")
  %t = graph.add %s, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
  func.return %t : tensor<f32>
}
"""


@pytest.mark.parametrize("target", ["reference", "cpu"])
def test_a_fault_in_an_iteration_names_the_op(target: str) -> None:
    net, x = glow.compile(parsed(FAULT), target=target), np.ones(4, np.float32)
    assert net(np.array(4), x) == 4
    with pytest.raises(ExecutionError, match=r"graph.gather, from .*pick"):
        net(np.array(5), x)
    assert net(np.array(3), x) == 3
