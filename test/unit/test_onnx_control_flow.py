"""Choices and loops in ONNX: what bodies see, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import AttributeProto, helper, parser
from operators.control_flow import body, growing, node, summing
from operators.oracle import run_onnxruntime
from small_onnx import info, model
from targets import TARGETS

import glow
from glow.formats.onnx import control_flow, import_model
from glow.support.errors import InvalidModelError, UnsupportedModelError

X = np.arange(6, dtype=np.float32).reshape(2, 3) - 2
TRUE, FALSE = np.array(True), np.array(False)
ALWAYS = growing([node("Identity", "b", "b_next")])
DOUBLING = [helper.make_node("Concat", ["f", "f"], ["f_y"], axis=0)]
CHANGING = body(DOUBLING, "i b f", "b f_y")


def nested() -> Any:
    """Return a choice in a loop, both of which read what is computed around them."""
    inner = {
        "then_branch": body([node("Mul", "f f_w", "f_y")], "", "f_y"),
        "else_branch": body([node("Sub", "f f_out", "f_y")], "", "f_y"),
    }
    nodes = [
        node("Less", "i i_one", "b_first"),
        node("If", "b_first", "f_next", **inner),
        node("Identity", "b", "b_next"),
    ]
    return model(
        [
            helper.make_node(
                "Loop",
                ["i_count", "", "f_x"],
                ["f_z"],
                body=body(nodes, "i b f", "b_next f_next"),
            ),
            node("Relu", "f_x", "f_out"),
        ],
        {"f_x": (2, 3)},
        [info("f_z", (2, 3))],
        {"i_count": np.array(3), "f_w": X, "i_one": np.array(1)},
    )


@pytest.mark.parametrize("target", TARGETS)
def test_bodies_see_what_is_around_them(target: str) -> None:
    net = glow.compile(nested(), target=target)
    expected = X * X - 2 * np.maximum(X, 0)
    np.testing.assert_array_equal(net(X), expected)


def test_onnx_runtime_agrees_once_nodes_are_in_order() -> None:
    source = nested()
    nodes = list(source.graph.node)
    del source.graph.node[:]
    source.graph.node.extend(reversed(nodes))
    (theirs,) = run_onnxruntime(source, {"f_x": X})
    np.testing.assert_array_equal(theirs, glow.compile(source)(X))


def test_attributes_of_a_function_reach_into_bodies() -> None:
    clip = node("LeakyRelu", "f_in", "f_y")
    kind = AttributeProto.FLOAT
    clip.attribute.append(
        AttributeProto(name="alpha", type=kind, ref_attr_name="slope")
    )
    branches = {
        "then_branch": body([clip], "", "f_y"),
        "else_branch": body([], "", "f_in"),
    }
    function = helper.make_function(
        "local",
        "Choose",
        ["b", "f_in"],
        ["f_out"],
        [node("If", "b", "f_out", **branches)],
        [helper.make_opsetid("", 17)],
        ["slope"],
    )
    call = helper.make_node("Choose", ["b", "x"], ["y"], domain="local", slope=0.5)
    source = model(
        [call], {"x": (2, 3)}, ["y"], {"b": TRUE}, 17, [function], {"local": 1}
    )
    expected = np.where(X < 0, X / 2, X)
    np.testing.assert_array_equal(glow.compile(source)(X), expected)


def loop(count: int | None, condition: Any, outputs: str = "z s", **rest: Any) -> Any:
    names = ["n" if count is not None else "", "c" if condition is not None else ""]
    each = helper.make_node("Loop", [*names, "x"], outputs.split(), "l", **rest)
    given = {"n": np.array(count), "c": condition}
    weights = {name: given[name] for name in names if name}
    return model([each], {"x": (2, 3)}, outputs.split(), weights)


def test_a_loop_that_does_nothing_leaves_what_it_was_given() -> None:
    for source in (
        loop(0, None, "z", body=body([], "i b f", "b f")),
        loop(None, FALSE, "z", body=body([], "i b f", "b f")),
        loop(-1, TRUE, "z", body=body([], "i b f", "b f")),
    ):
        np.testing.assert_array_equal(glow.compile(source)(X), X)


def scan(**attributes: Any) -> Any:
    given = {"num_scan_inputs": 1, "body": summing()} | attributes
    each = helper.make_node("Scan", ["f", "x"], ["z", "s"], "n", **given)
    return model([each], {"f": (3,), "x": (2, 3)}, ["z", "s"])


@pytest.mark.slow
def test_a_loop_without_an_end_is_refused() -> None:
    source = loop(None, None, body=ALWAYS)
    message = "Loop with no limit and a condition that is always true"
    with pytest.raises(UnsupportedModelError, match=message):
        import_model(source)


def test_a_loop_without_iterations_has_no_rows() -> None:
    for condition, count in ((TRUE, 0), (FALSE, 3)):
        net = glow.compile(loop(count, condition, body=ALWAYS), target="reference")
        last, rows = net(X)
        np.testing.assert_array_equal(last, X)
        assert rows.shape == (0, 2, 3)


def batched(shapes: Any, lengths: str = "") -> Any:
    """Return a Scan of version 8, whose inputs have a first axis of batches."""
    each = helper.make_node(
        *("Scan", [lengths, "f", "x"], ["z", "s"], "n"),
        num_scan_inputs=1,
        body=summing(),
    )
    return model([each], shapes, ["z", "s"], opset=8)


def test_lengths_of_batches_are_refused() -> None:
    source = batched({"f": (2, 3), "x": (2, 4, 3), "l": info("l", (2,), "i64")}, "l")
    with pytest.raises(UnsupportedModelError, match="Scan with sequence_lens"):
        import_model(source)


def loops_in(source: Any) -> int:
    return str(import_model(source)).count("graph.loop")


def test_a_loop_is_kept_unless_shapes_change(monkeypatch: pytest.MonkeyPatch) -> None:
    changing = loop(3, TRUE, "z", body=CHANGING)
    alike = loop(5, TRUE, body=ALWAYS)
    for followed in (control_flow.WRITTEN_OUT, 2):
        monkeypatch.setattr(control_flow, "WRITTEN_OUT", followed)
        assert loops_in(alike) == 1
        assert loops_in(changing) == 0
    monkeypatch.setattr(control_flow, "MAX_OPS", 2)
    message = "Loop with more than 2 iterations and ops written out, at iteration 2"
    with pytest.raises(UnsupportedModelError, match=message):
        import_model(changing)


COUNTED = """
    g (float[4] x, float[2, 6] a) => (float[4] y, float[3, 4] z, float[4] v, int64 n) {
        k = Constant <value = int64[1] {1}> ()
        limit = Constant <value = int64 {2}> ()
        y, m = Loop (limit, , x, k) <body = b (int64 i, bool c, float[4] s, int64[1] j)
            => (bool c, float[4] t, int64[1] l) {
                t = Exp (s)
                l = Add (j, k)
            }>
        four = Constant <value = int64[1] {4}> ()
        shape = Concat <axis = 0> (m, four)
        z = Reshape (a, shape)
        three = Constant <value = int64[1] {3}> ()
        is_three = Equal (m, three)
        flat = Squeeze (is_three)
        v = If (flat) <then_branch = t () => (float[4] p) { p = Neg (y) },
            else_branch = e () => (float[4] q) { q = Abs (y) }>
        n = Squeeze (m)
    }"""


def test_what_a_loop_counts_may_be_a_shape() -> None:
    """The loop and the choice stay, and what is computed of the count as well."""
    source = parser.parse_model('<ir_version: 8, opset_import: ["" : 17]>' + COUNTED)
    text = str(import_model(source))
    for op in ("graph.loop", "graph.if", "graph.equal"):
        assert op in text
    x, a = np.arange(4, dtype=np.float32) / 4, np.ones((2, 6), np.float32)
    expected = run_onnxruntime(source, {"x": x, "a": a})
    for target in TARGETS:
        found = glow.compile(source, target=target)(x, a)
        for array, wanted in zip(found, expected, strict=True):
            np.testing.assert_allclose(array, wanted, rtol=1e-5)


def test_a_loop_whose_iterations_differ_in_parameters_is_written_out() -> None:
    """A slice that ends at the number of the iteration has another shape in each."""
    nodes = [
        node("Slice", "f_w i_zero i_turn", "f_part"),
        helper.make_node("ReduceSum", ["f_part"], ["f_sum"], keepdims=0),
        node("Add", "f f_sum", "f_y"),
        helper.make_node("Reshape", ["i", "i_one"], ["i_turn"]),
    ]
    each = body([nodes[3], *nodes[:3]], "i b f", "b f_y")
    source = model(
        [helper.make_node("Loop", ["i_n", "", "x"], ["z"], "l", body=each)],
        {"x": (2, 3)},
        ["z"],
        {
            "i_n": np.array(3),
            "i_zero": np.array([0]),
            "i_one": np.array([1]),
            "f_w": np.arange(4, dtype=np.float32),
        },
    )
    assert loops_in(source) == 0
    np.testing.assert_array_equal(glow.compile(source)(X), X + 1)


BRANCHES = {
    "then_branch": body([], "", "f"),
    "else_branch": body([node("ReduceSum", "f", "f_y")], "", "f_y"),
}
RUN_DECIDES = {
    "branches": (
        helper.make_node("If", ["c"], ["z"], "n", **BRANCHES),
        "If with branches that make tensor<2x3xf32> and tensor<1x1xf32>, and a "
        'condition known only at run time (node "n" (If, opset 17))',
    ),
    "shapes": (
        helper.make_node(
            "Loop", ["n", "", "x"], ["z"], "l", body=body(DOUBLING, "i b f", "b f_y")
        ),
        "Loop with a body that makes tensor<4x3xf32> of tensor<2x3xf32>, in "
        "iterations that are counted at run time or too many to write out",
    ),
    "rows": (
        helper.make_node("Loop", ["n", "c", "x"], ["z", "s"], "l", body=ALWAYS),
        "Loop with outputs that have a row for each iteration, expected a limit of "
        "iterations that is a constant of at most 16,777,216",
    ),
}


@pytest.mark.parametrize("name", RUN_DECIDES)
def test_shapes_that_a_run_decides_are_refused(name: str) -> None:
    each, message = RUN_DECIDES[name]
    inputs = {
        "x": (2, 3),
        "f": (2, 3),
        "n": info("n", (), "i64"),
        "c": info("c", (), "i1"),
    }
    with pytest.raises(UnsupportedModelError) as caught:
        import_model(model([each], inputs, list(each.output)))
    assert message in str(caught.value)
    known = each.input[0]
    assert f'values can be given: constants={{"{known}": ...' in str(caught.value)


def test_what_a_body_lacks_is_reported_once() -> None:
    lacking = [node("StringNormalizer", "f", "f_y")]
    source = loop(3, TRUE, "z", body=body(lacking, "i b f", "b f_y"))
    with pytest.raises(UnsupportedModelError) as caught:
        import_model(source)
    assert str(caught.value).count("operator StringNormalizer-10") == 1


INVALID = {
    "outputs": (
        loop(2, TRUE, body=body([], "i b f", "b f")),
        "body has 2 outputs, expected 3",
    ),
    "inputs": (
        loop(2, TRUE, "z", body=body([], "b f", "b f")),
        "body has 2 inputs, expected 3",
    ),
    "type": (
        loop(2, TRUE, "z", body=body([], "i b f", "b i")),
        "the body makes tensor<i64> of tensor<2x3xf32>",
    ),
    "unknown name": (
        loop(2, TRUE, "z", body=body([node("Neg", "q", "f_y")], "i b f", "b f_y")),
        'reads "q", which nothing makes',
    ),
    "unknown output": (
        loop(2, TRUE, "z", body=body([], "i b f", "b f_y")),
        'reads "f_y", which nothing makes',
    ),
    "lengths": (
        scan(num_scan_inputs=2, body=body([], "f f_part", "f f_part")),
        "expected one length of all scanned inputs, got {2, 3}",
    ),
    "number": (scan(num_scan_inputs=3), "expected 3 inputs to scan, got 2"),
    "batches": (
        batched({"f": (2, 3), "x": (3, 4, 3)}),
        "expected inputs with as many batches each",
    ),
    "axes": (
        scan(scan_output_axes=[0, 1]),
        "expected an axis and a direction for 1 scanned outputs",
    ),
}


@pytest.mark.parametrize("name", INVALID)
def test_bodies_that_do_not_fit_are_invalid(name: str) -> None:
    source, message = INVALID[name]
    with pytest.raises(InvalidModelError) as caught:
        import_model(source)
    assert message in str(caught.value)
