"""Outputs with a data-dependent number of rows are those of ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from canonical import canonical
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from onnx import parser
from operators.oracle import run_onnxruntime

import glow
from glow.support.errors import BindingError, UnsupportedModelError

HEAD = '<ir_version: 8, opset_import: ["" : 17]>\n'
BOXES = """
    most = Constant <value = int64 {3}> ()
    overlap = Constant <value = float {0.5}> ()
    least = Constant <value = float {0.3}> ()
    taken = NonMaxSuppression (b, s, most, overlap, least)"""

NETWORKS = {
    # As detectors end: the boxes that are taken, their numbers, and a box for each.
    "detector": f"""
        g (float[1, 8, 4] b, float[1, 2, 8] s)
            => (float[n, 4] y, int64[n] at, int64[n, 3] taken) {{
            {BOXES}
            two = Constant <value = int64[1] {{2}}> ()
            three = Constant <value = int64[1] {{3}}> ()
            one = Constant <value = int64[1] {{1}}> ()
            zero = Constant <value = int64[1] {{0}}> ()
            column = Slice (taken, two, three, one)
            at = Squeeze (column, one)
            flat = Squeeze (b, zero)
            parts = Gather (flat, at)
            half = Constant <value = float {{0.5}}> ()
            y = Mul (parts, half)
        }}""",
    "places": """
        g (float[3, 4] x) => (int64[2, n] y, int64[n, 2] z) {
            y = NonZero (x)
            z = Transpose <perm = [1, 0]> (y)
        }""",
    "parts": """
        g (float[3, 4] x, bool[3] c) => (float[n, 4] y, float[m] z) {
            y = Compress <axis = 0> (x, c)
            a = Relu (x)
            f = Compress (a, c)
            z = Exp (f)
        }""",
    "classified": """
        g (float[3, 4] x, bool[3] c, float[4, 2] w) => (float[n, 2] y, float[n] z) {
            kept = Compress <axis = 0> (x, c)
            product = MatMul (kept, w)
            y = Softmax (product)
            one = Constant <value = int64[1] {1}> ()
            z = ReduceSum <keepdims = 0> (y, one)
        }""",
    # Numbers that the condition leaves out may be out of range.
    "numbers": """
        g (int64[5] i, float[3] x) => (float[n] y) {
            size = Constant <value = int64 {3}> ()
            c = Less (i, size)
            taken = Compress (i, c)
            y = Gather (x, taken)
        }""",
    "turns": """
        g (float[4] x, float limit) => (float[4] y, float[n, 4] rows) {
            m = Constant <value = int64 {10}> ()
            on = Constant <value = bool {1}> ()
            y, rows = Loop (m, on, x) <body = b (int64 i, bool c, float[4] s)
                => (bool go, float[4] t, float[4] r) {
                    t = Add (s, s)
                    q = ReduceMax <keepdims = 0> (t)
                    go = Less (q, limit)
                    r = Identity (t)
                }>
        }""",
    "first": """
        g (float[6, 4] x, int64[1] end) => (float[n, 4] y) {
            start = Constant <value = int64[1] {0}> ()
            y = Slice (x, start, end)
        }""",
}


def network(text: str) -> Any:
    return parser.parse_model(HEAD + text)


def drawn(net: Any, seed: int) -> dict[str, NDArray[Any]]:
    rng = np.random.default_rng(seed)
    feeds: dict[str, NDArray[Any]] = {}
    for spec in net.inputs:
        match spec.name:
            case "b":
                corner = rng.random((1, 8, 2))
                array = np.concatenate([corner, corner + rng.random((1, 8, 2))], -1)
            case "limit":
                array = np.array(rng.integers(1, 3000))
            case "end" | "i":
                array = rng.integers(-8 if spec.name == "end" else 0, 9, spec.shape)
            case _:
                array = rng.random(spec.shape) * (rng.random(spec.shape) > 0.4)
        feeds[spec.name] = array.astype(spec.dtype)
    return feeds


@pytest.fixture(scope="module", params=NETWORKS)
def ways(request: Any, tmp_path_factory: Any) -> tuple[Any, dict[str, Any]]:
    """Return a model, and ways to run it."""
    source = network(NETWORKS[request.param])
    model = glow.load(source)
    net = glow.compile(model, threads=2)
    path = tmp_path_factory.mktemp("rows")
    net.save(path / "net.glow")
    model.export(path / "net.onnx")
    back = glow.load(path / "net.onnx")
    assert canonical(back.module) == canonical(model.module)
    names = [each.name for each in net.outputs]

    def by_position(feeds: dict[str, NDArray[Any]]) -> dict[str, Any]:
        made = net(*feeds.values())
        return dict(zip(names, made if len(names) > 1 else (made,), strict=True))

    exported = onnx.load(path / "net.onnx")
    return source, {
        "cpu": net.run,
        "reference": glow.compile(model, target="reference").run,
        "checked": glow.compile(model, check="each-pass").run,
        "by position": by_position,
        "bindings": lambda feeds: net.bind(feeds).run(),
        "saved": glow.load_executable(path / "net.glow").run,
        "read again": glow.compile(back).run,
        "exported": lambda feeds: dict(
            zip(names, run_onnxruntime(exported, feeds), strict=True)
        ),
        "": net,
    }


@pytest.mark.slow
@given(seed=st.integers(0, 1 << 30))
@settings(max_examples=8, deadline=None)
def test_outputs_have_the_rows_that_onnx_runtime_gives(ways: Any, seed: int) -> None:
    source, runs = ways
    feeds = drawn(runs[""], seed)
    expected = run_onnxruntime(source, feeds)
    for way, run in runs.items():
        if way:
            found = run(feeds)
            assert list(found) == [spec.name for spec in runs[""].outputs], way
            for array, wanted in zip(found.values(), expected, strict=True):
                assert array.shape == wanted.shape, way
                np.testing.assert_allclose(array, wanted, rtol=1e-6, err_msg=way)


def test_signatures_show_the_most_rows() -> None:
    net = glow.compile(network(NETWORKS["parts"]))
    assert str(net.signature).endswith("-> (y: float32[<=3, 4], z: float32[<=3])")


X = np.ones((3, 4), np.float32)
FLAGS = np.array([True, False, True])


def test_buffers_have_room_for_all_rows() -> None:
    """What a run returns is the part of a buffer that it has filled."""
    net = glow.compile(network(NETWORKS["parts"]))
    buffer = np.empty((3, 4), np.float32)
    made = net.run({"x": X, "c": FLAGS}, out={"y": buffer})["y"]
    assert made.shape == (2, 4)
    assert np.shares_memory(made, buffer)
    bindings = net.bind({"x": X, "c": FLAGS, "y": buffer})
    assert np.shares_memory(bindings.run()["y"], buffer)
    with pytest.raises(BindingError, match=r"expected float32\[<=3, 4\], got float32"):
        net.run({"x": X, "c": FLAGS}, out={"y": buffer[:2]})


def test_what_sees_outputs_before_the_run_ends_is_refused() -> None:
    net = glow.compile(network(NETWORKS["parts"]))
    message = 'expected outputs of known shapes, got "y", whose rows the run counts'
    with pytest.raises(BindingError, match=f"on_output: {message}"):
        net.run({"x": X, "c": FLAGS}, on_output=lambda name, array: None)
    with pytest.raises(BindingError, match=f"on_output: {message}"):
        net.bind({"x": X, "c": FLAGS}).run(on_output=lambda name, array: None)
    with pytest.raises(BindingError, match=f"views: {message}"):
        net.bind({"x": X, "c": FLAGS}).views()


REFUSED = {
    "a sum": ("y = ReduceSum <keepdims = 0> (f)", "graph.reduce_sum"),
    "a shape": ("y = Shape (f)", "Shape"),
    "an array for all rows": ("y = Mul (f, flat)", "graph.mul"),
    "a branch": (
        """y = If (on) <then_branch = t () => (int64[k, n] a) { a = NonZero (x) },
            else_branch = e () => (int64[k, n] b) { b = NonZero (x) }>""",
        "a body that returns a tensor",
    ),
    "rows of integers that might be divided by 0": (
        "i = Cast <to = 7> (f) y = Div (i, i)",
        "graph.div",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_go_row_by_row_is_refused(name: str) -> None:
    line, what = REFUSED[name]
    text = f"""
        g (float[3, 4] x, bool[12] c, bool on) => (float[n] y) {{
            size = Constant <value = int64[1] {{12}}> ()
            flat = Reshape (x, size)
            f = Compress (x, c)
            {line}
        }}"""
    with pytest.raises(UnsupportedModelError) as caught:
        glow.load(network(text))
    message = str(caught.value)
    assert f"{what} of a data-dependent number of rows, expected an operator" in message
    assert "values can be given: constants={" in message


def test_outputs_of_other_runtimes_need_no_counts() -> None:
    signature = glow.compile(network(NETWORKS["parts"])).signature
    given = {"y": X[:2], "z": X[0, :2]}
    assert signature.packed(given).keys() == given.keys()
