"""Models that are wrong or need what is missing: one line, which says what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import AttributeProto, ModelProto, TensorProto, helper
from small_onnx import info, model, node, relu_model

import glow
from glow.formats.onnx import import_model
from glow.support.errors import InvalidModelError, UnsupportedModelError


def refusal(source: Any, error: type[Exception] = InvalidModelError) -> str:
    """Return the one line with which importing `source` fails."""
    with pytest.raises(error) as caught:
        import_model(source)
    assert type(caught.value) is error
    assert "\n" not in str(caught.value)
    return str(caught.value)


def relu(inputs: Any, outputs: Any = ("y",), **rest: Any) -> ModelProto:
    return model([node("Relu", "x", "y", "n")], inputs, outputs, **rest)


def with_weight(**fields: Any) -> ModelProto:
    """Return a model that reads a weight with these fields."""
    source = model([node("Abs", "w", "y", "n")], {}, ["y"])
    source.graph.initializer.append(TensorProto(name="w", **fields))
    return source


def with_attribute(op: str, attribute: AttributeProto, inputs: str = "x") -> ModelProto:
    each = node(op, inputs, "y", "n")
    each.attribute.append(attribute)
    return model([each], {"x": (2, 3)}, ["y"])


def edited(change: Callable[[ModelProto], Any]) -> ModelProto:
    source = relu_model()
    change(source)
    return source


def opset(version: int) -> ModelProto:
    return relu({"x": (2,)}, opset=version)


FLOAT, INT = AttributeProto.FLOAT, AttributeProto.INT

INVALID: dict[str, tuple[Callable[[], Any], str]] = {
    "empty": (lambda: b"", "the model is empty, expected an ONNX model"),
    "noise": (lambda: b"\x00\xff\x07 no model", "it cannot be parsed"),
    "truncated": (
        lambda: relu_model().SerializeToString()[:-9],
        "the model is not an ONNX model, or truncated: it cannot be parsed",
    ),
    "no graph": (lambda: ModelProto(ir_version=8), "the model has no graph"),
    "no outputs": (
        lambda: edited(lambda m: m.graph.output.pop()),
        "the graph has no outputs",
    ),
    "cycle": (
        lambda: model(
            [node("Relu", "b", "a", "one"), node("Relu", "a", "b", "two")], {}, ["b"]
        ),
        'the graph has a cycle: "one" -> "two" -> "one"',
    ),
    "undefined input": (
        lambda: model([node("Relu", "q", "y", "n")], {}, ["y"]),
        'node "n" (Relu, opset 17) reads "q", which nothing makes',
    ),
    "undefined output": (
        lambda: relu({"x": (2,)}, ["z"]),
        'nothing makes output "z"',
    ),
    "name made twice": (
        lambda: model(
            [node("Relu", "x", "y"), node("Abs", "x", "y")], {"x": (2,)}, "y"
        ),
        'node "Abs:y" (Abs, opset 17) makes "y" a second time',
    ),
    "input made by a node": (
        lambda: model([node("Relu", "x", "x")], {"x": (2,)}, ["x"]),
        'makes "x" a second time',
    ),
    "two inputs of a name": (
        lambda: edited(lambda m: m.graph.input.append(m.graph.input[0])),
        'the graph has two inputs named "x"',
    ),
    "two weights of a name": (
        lambda: edited(lambda m: m.graph.initializer.append(m.graph.initializer[0])),
        'the graph has two initializers named "w"',
    ),
    "two versions of a domain": (
        lambda: edited(
            lambda m: m.opset_import.append(helper.make_opsetid("ai.onnx", 9))
        ),
        'domain "ai.onnx" is imported in versions 17 and 9',
    ),
    "no domain": (
        lambda: edited(lambda m: m.ClearField("opset_import")),
        'the model does not import domain "ai.onnx"',
    ),
    "negative extent": (
        lambda: relu({"x": (2, -3)}),
        'input "x" has a negative extent: [2, -3]',
    ),
    "huge extent": (
        lambda: relu({"x": (1 << 62, 1 << 62)}),
        'input "x" is too large',
    ),
    "input without type": (
        lambda: relu({"x": onnx.ValueInfoProto(name="x")}),
        'input "x" has no type',
    ),
    "input without shape": (
        lambda: relu({"x": info("x", None)}),
        'input "x" has no shape, expected at least its rank; declare one in the model, '
        'or give it a value: constants={"x": ...}',
    ),
    "output of another type": (
        lambda: relu({"x": (2,)}, [info("y", (2,), "i64")]),
        'output "y" is declared with elements of int64, got float32',
    ),
    "missing bytes": (
        lambda: with_weight(data_type=1, dims=[3], raw_data=b"\0" * 8),
        'initializer "w" has 8 bytes of data, expected 12',
    ),
    "missing elements": (
        lambda: with_weight(data_type=1, dims=[3], float_data=[1, 2]),
        'initializer "w" has 2 elements in float_data, expected 3',
    ),
    "data in another field": (
        lambda: with_weight(data_type=1, dims=[2], int32_data=[1, 2]),
        'initializer "w" has 0 elements in float_data, expected 2',
    ),
    "element beyond its type": (
        lambda: with_weight(data_type=2, dims=[2], int32_data=[1, 256]),
        'initializer "w" has an element in int32_data that is not a uint8',
    ),
    "weight of negative extent": (
        lambda: with_weight(data_type=1, dims=[-1], raw_data=b""),
        'initializer "w" has a negative extent: [-1]',
    ),
    "weight without type": (
        lambda: with_weight(dims=[0]),
        'initializer "w" has no known element type',
    ),
    "external data without a file": (
        lambda: with_weight(data_type=1, dims=[3], data_location=1),
        "load the model from its file to find them",
    ),
    "attribute of another type": (
        lambda: with_attribute("Softmax", AttributeProto(name="axis", type=FLOAT, f=1)),
        "has attribute axis of type FLOAT, expected INT",
    ),
    "attribute with another value": (
        lambda: with_attribute("Softmax", AttributeProto(name="axis", type=INT, f=1)),
        "has attribute axis of type INT with a value in field f",
    ),
    "attribute twice": (
        lambda: _twice(),
        'node "n" (Softmax) has attribute axis twice',
    ),
    "attribute missing": (
        lambda: model([node("Concat", "x", "y", "n")], {"x": (2,)}, ["y"]),
        'node "n" (Concat, opset 17) lacks its attribute axis',
    ),
    "too many inputs": (
        lambda: model([node("Relu", "x x", "y", "n")], {"x": (2,)}, ["y"]),
        "has 2 inputs, expected 1",
    ),
    "too few inputs": (
        lambda: model([node("Add", "x", "y", "n")], {"x": (2,)}, ["y"]),
        "has 1 inputs, expected 2",
    ),
    "input left out": (
        lambda: model([node("Add", "x -", "y", "n")], {"x": (2,)}, ["y"]),
        'node "n" (Add, opset 17) lacks its input B',
    ),
    "type that the operator lacks": (
        lambda: relu({"x": info("x", (2,), "i1")}),
        "input X may not be a tensor(bool)",
    ),
    "types that differ": (
        lambda: model(
            [node("Add", "x z", "y", "n")],
            {"x": (2,), "z": info("z", (2,), "f64")},
            ["y"],
        ),
        "input B is a tensor(double), expected a tensor(float) like the others",
    ),
    "shapes that do not fit": (
        lambda: model(
            [node("MatMul", "x z", "y", "n")], {"x": (2, 3), "z": (4, 5)}, ["y"]
        ),
        'node "n" (MatMul, opset 17): lhs has 3 columns but rhs has 4 rows',
    ),
    "operator that was removed": (
        lambda: model(
            [node("Upsample", "x s", "y", "n")], {"x": (2,), "s": (1,)}, ["y"]
        ),
        "the operator is no longer in ONNX",
    ),
    "name that is not UTF-8": (
        lambda: relu_model().SerializeToString().replace(b"relu", b"re\xffu"),
        "a node name is not UTF-8",
    ),
    "functions without end": (lambda: _recursive(), "nest deeper than 32 levels"),
    "a folder": (lambda: "/", 'cannot read "/": not a file'),
    "a device": (lambda: "/dev/zero", 'cannot read "/dev/zero": not a file'),
}


def _twice() -> ModelProto:
    each = node("Softmax", "x", "y", "n")
    for _ in range(2):
        each.attribute.append(AttributeProto(name="axis", type=INT, i=1))
    return model([each], {"x": (2, 3)}, ["y"])


def _recursive() -> ModelProto:
    body = [node("F", "a", "b", domain="mine")]
    imports = [helper.make_opsetid("mine", 1)]
    function = helper.make_function("mine", "F", ["a"], ["b"], body, imports)
    call = node("F", "x", "y", domain="mine")
    return model([call], {"x": (2,)}, ["y"], functions=[function], domains={"mine": 1})


@pytest.mark.parametrize("name", INVALID)
def test_invalid_model_is_refused_in_one_line(name: str) -> None:
    make, message = INVALID[name]
    assert message in refusal(make())


UNSUPPORTED: dict[str, tuple[Callable[[], ModelProto], str]] = {
    "no opset": (lambda: opset(0), "the model has opset 0, expected 1 to "),
    "new opset": (lambda: opset(999), "the model has opset 999, expected 1 to "),
    "new IR": (
        lambda: edited(lambda m: setattr(m, "ir_version", 99)),
        "the model has IR version 99, expected 1 to ",
    ),
    "element type": (
        lambda: relu({"x": info("x", (2,), "f8")}),
        'element type FLOAT8E5M2 (input "x")',
    ),
    "sequence": (
        lambda: relu({"x": helper.make_tensor_sequence_value_info("x", 1, (2,))}),
        'values of kind sequence (input "x")',
    ),
    "attribute of no one": (
        lambda: with_attribute("Relu", AttributeProto(name="foo", type=INT, i=1)),
        'attribute foo of Relu (node "n" (Relu, opset 17))',
    ),
    "attribute value": (
        lambda: model(
            [node("Pad", "x", "y", "n", pads=[1, 1], mode="magic")],
            {"x": (2,)},
            ["y"],
            opset=9,
        ),
        "Pad with mode='magic' (node \"n\" (Pad, opset 9))",
    ),
    "shape that data decide": (
        lambda: model(
            [node("Reshape", "x s", "y", "n")],
            {"x": (2,), "s": info("s", (1,), "i64")},
            ["y"],
        ),
        'Reshape with a shape known only at run time (node "n" (Reshape, opset 17))',
    ),
    "own statistics": (
        lambda: model(
            [node("BatchNormalization", "x s s s s", "y", "n", spatial=0)],
            {"x": (2, 3), "s": (3,)},
            ["y"],
            opset=7,
        ),
        "BatchNormalization with spatial=0",
    ),
    "dropout in training": (
        lambda: model(
            [node("Dropout", "x - t", "y", "n", seed=3)],
            {"x": (2, 3)},
            ["y"],
            {"t": np.array(True)},
        ),
        "Dropout with training_mode=1",
    ),
    "dropout that may be in training": (
        lambda: model(
            [node("Dropout", "x - t", "y", "n")],
            {"x": (2, 3), "t": info("t", (), "i1")},
            ["y"],
        ),
        "Dropout with a training_mode known only at run time",
    ),
}


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_unsupported_model_is_refused_in_one_line(name: str) -> None:
    make, message = UNSUPPORTED[name]
    assert message in refusal(make(), UnsupportedModelError)


def test_all_that_is_unsupported_is_reported_at_once() -> None:
    source = model(
        [
            node("StringNormalizer", "x", "a", "first"),
            *(node("TopK", "x k", f"v{i} i{i}", f"top{i}") for i in range(6)),
            node("Abs", "a", "b", "skipped"),
            node("Softmax", "x", "c", "third", foo=1),
            node("Conv", "h h", "d", "fourth"),
            node("Gelu", "x", "e", "fifth", domain="com.microsoft"),
        ],
        {"x": (2, 3), "k": info("k", (1,), "i64"), "h": info("h", (1,), "f8")},
        ["b", "c", "d", "e"],
        domains={"com.microsoft": 1},
    )
    line = refusal(source, UnsupportedModelError)
    for part in (
        'element type FLOAT8E5M2 (input "h")',
        'operator StringNormalizer-10 (node "first" (StringNormalizer, opset 17))',
        'node "top0" (TopK, opset 17)',
        "and 2 more",
        "attribute foo of Softmax",
        'operator com.microsoft.Gelu-1 (node "fifth" (com.microsoft.Gelu, opset 1))',
    ):
        assert part in line
    assert "skipped" not in line


def test_invalid_nodes_do_not_hide_what_is_unsupported() -> None:
    nodes = [
        *(node("Relu", "x x", f"b{i}", f"two inputs {i}") for i in range(6)),
        node("Unknown", "x", "c", "first"),
        node("Abs", "b0", "d", "reads what is invalid"),
        node("Transpose", "x", "e", "bad permutation", perm=[0, 0]),
        node("Unheard", "x", "f", "second"),
        node("Sum", "c d e f", "y", "last"),
    ]
    text = refusal(model(nodes, {"x": (2, 3)}, ["y"]))
    invalid, _, lacking = text.partition("; the model needs what is not supported: ")
    assert "two inputs" in invalid
    assert invalid.endswith("; 3 more nodes are invalid")
    assert "Unknown" in lacking
    assert "Unheard" in lacking
    assert "reads what is invalid" not in text
    assert "last" not in text


def test_types_that_the_model_declares_help_to_find_more() -> None:
    source = model(
        [
            node("StringNormalizer", "x", "a", "one"),
            node("Abs", "a", "y", "two", foo=1),
        ],
        {"x": (2, 3)},
        ["y"],
    )
    source.graph.value_info.append(info("a", (2, 4), "i64"))
    assert "attribute foo of Abs" in refusal(source, UnsupportedModelError)


def test_names_with_line_breaks_leave_one_line() -> None:
    line = refusal(model([node("Relu", "q", "y", "a\nb")], {}, ["y"]))
    assert r'node "a\nb"' in line


def test_operators_are_refused_before_any_shape_is_known() -> None:
    body = helper.make_graph(
        [node("NoSuch", "x", "z")], "body", [], [info("z", ("n",))]
    )
    nodes = [
        node("Tree", "x", "b", domain="elsewhere"),
        node("If", "c", "y", then_branch=body, else_branch=body),
    ]
    inputs = {"x": ("n",), "c": ()}
    source = model(nodes, inputs, [info("y", ("n",))], domains={"elsewhere": 1})
    with pytest.raises(UnsupportedModelError) as refused:
        glow.load(source)
    assert "operator elsewhere.Tree-1 (" in str(refused.value)
    assert "operator NoSuch-" in str(refused.value)
