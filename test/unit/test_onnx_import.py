"""What a model becomes: symbols, types, order, places, folded shapes, functions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from small_onnx import info, model, node, relu_model
from xdsl.dialects.builtin import ModuleOp, NameLoc, NoneAttr
from xdsl.printer import Printer

import glow
from glow.analysis.validity import verify_module
from glow.dialects.graph.storage import ConstantOp, PlaceholderOp
from glow.formats.onnx import import_model
from glow.support.errors import InvalidModelError


def placeholders(module: ModuleOp) -> dict[str, str]:
    """Return the direction and type of each placeholder."""
    return {
        op.sym_name.data: f"{op.direction.data} {op.type}"
        for op in module.body.ops
        if isinstance(op, PlaceholderOp)
    }


def op_names(module: ModuleOp) -> list[str]:
    """Return the names of the ops in the function that are about values."""
    names = [op.name for op in module.walk() if op.name.startswith("graph.")]
    return [name.removeprefix("graph.") for name in names]


def run(source: Any, **inputs: np.ndarray) -> Any:
    """Return what a model computes by the meaning of its ops."""
    return glow.compile(source, target="reference").run(inputs)


def test_model_becomes_placeholders_constants_and_located_ops() -> None:
    module = import_model(relu_model())
    verify_module(module)
    assert placeholders(module) == {
        "x": "in tensor<2x3xf32>",
        "y": "out tensor<2x4xf32>",
    }
    assert [n for n in op_names(module) if n not in ("placeholder", "constant")] == [
        "load",
        "load",
        "matmul",
        "relu",
        "save",
    ]
    places = {
        op.name: op.location.desc.data
        for op in module.walk()
        if isinstance(op.location, NameLoc)
    }
    assert places["graph.matmul"] == "product"
    assert places["graph.relu"] == "relu"
    assert places["graph.constant"] == "w"


def test_path_bytes_and_proto_give_one_module(tmp_path: Path) -> None:
    source = relu_model()
    path = tmp_path / "model.onnx"
    onnx.save(source, path)
    texts = {
        str(import_model(given))
        for given in (source, source.SerializeToString(), path, str(path))
    }
    assert len(texts) == 1


def test_node_without_name_is_located_by_operator_and_output() -> None:
    source = model([node("Relu", "x", "y")], {"x": (2,)}, ["y"])
    text = _with_locations(import_model(source))
    assert 'graph.relu %x : (tensor<2xf32>) -> tensor<2xf32> loc("Relu:y")' in text


def _with_locations(module: ModuleOp) -> str:
    from io import StringIO

    stream = StringIO()
    Printer(stream, print_debuginfo=True).print_op(module)
    return stream.getvalue()


def test_names_of_the_model_are_kept_whatever_they_contain() -> None:
    source = model(
        [node("Relu", "gpu_0/data:0", "a.b/c")], {"gpu_0/data:0": (2,)}, ["a.b/c"]
    )
    module = import_model(source)
    verify_module(module)
    assert list(placeholders(module)) == ["gpu_0/data:0", "a.b/c"]
    assert '@"gpu_0/data:0"' in str(module)


def test_weight_listed_as_input_is_a_constant() -> None:
    source = relu_model()
    source.graph.input.append(info("w", (3, 4)))
    assert list(placeholders(import_model(source))) == ["x", "y"]


def test_unread_weight_is_left_out_and_unread_input_kept() -> None:
    source = relu_model()
    source.graph.initializer.append(
        numpy_helper.from_array(np.zeros(100, np.float32), "unread")
    )
    source.graph.input.append(info("ignored", (1,)))
    module = import_model(source)
    constants = [op for op in module.body.ops if isinstance(op, ConstantOp)]
    assert [op.sym_name.data for op in constants] == ["w"]
    assert "ignored" in placeholders(module)


def test_nodes_in_any_order_are_sorted() -> None:
    source = relu_model()
    source.graph.node.reverse()
    assert str(import_model(source)) == str(import_model(relu_model()))


def test_output_may_be_an_input_or_a_weight() -> None:
    weight = np.arange(20, dtype=np.float32)
    source = model(
        [node("Relu", "x", "y")], {"x": (2,)}, ["y", "x", "w"], {"w": weight}
    )
    module = import_model(source)
    verify_module(module)
    assert placeholders(module)["x"] == "inout tensor<2xf32>"
    found = run(source, x=np.array([-1, 2], np.float32))
    np.testing.assert_array_equal(found["x"], [-1, 2])
    np.testing.assert_array_equal(found["w"], weight)


def test_symbolic_dimensions_are_given_by_name_or_place() -> None:
    source = model([node("Relu", "x", "y")], {"x": ("n", None, 3)}, ["y"])
    module = import_model(source, {"n": 2, "x[1]": 5})
    assert placeholders(module)["y"] == "out tensor<2x5x3xf32>"


@pytest.mark.parametrize(
    ("dims", "message"),
    [
        ({}, 'input "x" has the symbolic dimension "n"; give its extent: dims='),
        ({"n": 1, "m": 2}, 'no symbolic dimension "m" (it has "n")'),
        ({"n": -1}, 'dimension "n" is given as -1, expected an integer from 0 on'),
    ],
)
def test_dimensions_must_be_given_exactly(dims: dict[str, int], message: str) -> None:
    source = model([node("Relu", "x", "y")], {"x": ("n",)}, ["y"])
    with pytest.raises(InvalidModelError) as caught:
        import_model(source, dims)
    assert message in str(caught.value)


def test_shape_arithmetic_folds_away() -> None:
    nodes = [
        node("Shape", "x", "shape"),
        node("Gather", "shape zero", "rows"),
        node("Unsqueeze", "rows axes", "list"),
        node("Concat", "list rest", "wanted", axis=0),
        node("Reshape", "x wanted", "y"),
    ]
    weights = {
        "zero": np.array(0, np.int64),
        "axes": np.array([0], np.int64),
        "rest": np.array([-1], np.int64),
    }
    module = import_model(model(nodes, {"x": (2, 3, 4)}, ["y"], weights))
    assert [n for n in op_names(module) if n != "placeholder"] == [
        "load",
        "reshape",
        "save",
    ]
    assert placeholders(module)["y"] == "out tensor<2x12xf32>"


def test_fault_in_folding_is_left_to_the_run() -> None:
    weights = {"w": np.zeros((3, 4), np.float32), "i": np.array([7], np.int64)}
    module = import_model(model([node("Gather", "w i", "y")], {}, ["y"], weights))
    assert "gather" in op_names(module)


def test_large_constants_of_one_value_take_no_memory() -> None:
    shape = {"shape": np.array([1 << 16, 1 << 14], np.int64)}
    source = model(
        [node("ConstantOfShape", "shape", "c"), node("Add", "x c", "y")],
        {"x": (1,)},
        ["y"],
        shape,
    )
    assert "graph.literal dense<0.000000e+00>" in str(import_model(source))


def test_typed_and_raw_data_are_read_alike() -> None:
    cases = {
        TensorProto.FLOAT: [1.5, -2.0],
        TensorProto.DOUBLE: [1.5, -2.0],
        TensorProto.INT8: [1, -128],
        TensorProto.INT16: [1, -(2**15)],
        TensorProto.INT32: [1, -2],
        TensorProto.INT64: [1, -(2**40)],
        TensorProto.UINT8: [1, 255],
        TensorProto.UINT16: [1, 2**16 - 1],
        TensorProto.UINT32: [1, 2**32 - 1],
        TensorProto.UINT64: [1, 2**64 - 1],
        TensorProto.BOOL: [True, False],
    }
    for kind, values in cases.items():
        typed = helper.make_tensor("w", kind, [2], values)
        array = numpy_helper.to_array(typed)
        raw = numpy_helper.from_array(array, "w")
        for tensor in (typed, raw):
            source = model([node("Identity", "w", "y")], {}, ["y"])
            source.graph.initializer.append(tensor)
            np.testing.assert_array_equal(run(source)["y"], array)


def test_functions_of_the_model_are_inlined() -> None:
    body = [
        node("Mul", "a a", "square"),
        helper.make_node("LeakyRelu", ["square"], ["b"]),
    ]
    reference = onnx.AttributeProto(
        name="alpha", ref_attr_name="slope", type=onnx.AttributeProto.FLOAT
    )
    body[1].attribute.append(reference)
    opsets = [helper.make_opsetid("", 17)]
    function = helper.make_function("mine", "F", ["a"], ["b"], body, opsets, ["slope"])
    call = node("F", "x", "y", "call", domain="mine", slope=0.5)
    inner = node("F", "y", "z", "again", domain="mine")
    source = model(
        [call, inner], {"x": (3,)}, ["z"], functions=[function], domains={"mine": 1}
    )
    module = import_model(source)
    assert [n for n in op_names(module) if n in ("mul", "leaky_relu")] == [
        "mul",
        "leaky_relu",
        "mul",
        "leaky_relu",
    ]
    assert 'loc("call")' in _with_locations(module)
    value = np.array([1, -2, 3], np.float32)
    np.testing.assert_allclose(run(source, x=value)["z"], value**4, rtol=1e-6)


def test_operator_that_onnx_defines_by_others_is_imported_so() -> None:
    size = {"n": np.array(5)}
    source = model([node("HannWindow", "n", "y", output_datatype=1)], {}, ["y"], size)
    expected = np.sin(np.pi * np.arange(5) / 5) ** 2
    np.testing.assert_allclose(run(source)["y"], expected, atol=1e-6)


def test_scale_of_rms_norm_may_have_another_type() -> None:
    inputs = {"x": info("x", (2, 4)), "s": info("s", (4,), "f64")}
    source = model([node("RMSNormalization", "x s", "y")], inputs, ["y"], opset=23)
    x = np.arange(8, dtype=np.float32).reshape(2, 4) - 3
    scale = np.array([0.5, 1, 2, -1])
    expected = x / np.sqrt((x * x).mean(1, keepdims=True) + np.float32(1e-5)) * scale
    found = run(source, x=x, s=scale)["y"]
    np.testing.assert_allclose(found, expected, rtol=1e-6, strict=True)


def test_groups_that_onnx_refuses() -> None:
    inputs = {"x": (1, 4, 3), "s": (2,), "b": (2,)}
    group = [node("GroupNormalization", "x s b", "y", "n", num_groups=3)]
    with pytest.raises(InvalidModelError, match="num_groups to divide 4 channels"):
        import_model(model(group, inputs, ["y"], opset=18))
    group[0].attribute[0].i = 4
    with pytest.raises(InvalidModelError, match=r"a scale of shape .4. per group, got"):
        import_model(model(group, inputs, ["y"], opset=18))
    group[0].attribute[0].i = 2
    with pytest.raises(InvalidModelError, match=r"scale of shape .4., one per channel"):
        import_model(model(group, inputs, ["y"], opset=21))


def named(*texts: str) -> onnx.ValueInfoProto:
    """Return an input or output of 2 x 3 whose axes mean `texts`."""
    found = info("", [2, 3])
    for dim, text in zip(found.type.tensor_type.shape.dim, texts, strict=False):
        dim.denotation = text
    return found


def axes_after(source: onnx.ValueInfoProto, result: onnx.ValueInfoProto) -> list[Any]:
    source.name, result.name = "x", "y"
    module = import_model(model([node("Relu", "x", "y")], {"x": source}, [result]))
    found = [op.axes for op in module.body.ops if isinstance(op, PlaceholderOp)]
    return [axes and [axis.data for axis in axes] for axes in found]


def test_what_axes_mean_is_kept_where_the_model_says_so() -> None:
    image = named("DATA_BATCH", "DATA_CHANNEL")
    assert axes_after(image, named()) == [["DATA_BATCH", "DATA_CHANNEL"], None]
    assert axes_after(named("", "own"), named("a")) == [["", "own"], ["a", ""]]
    assert axes_after(named(), named()) == [None, None]


def test_meanings_of_another_rank_are_left_out() -> None:
    result = info("y", ["n"])
    result.type.tensor_type.shape.dim[0].denotation = "DATA_BATCH"
    assert axes_after(named(), result) == [None, None]


def test_what_axes_of_weights_mean_is_kept() -> None:
    weights = {name: np.ones((4, 3), np.float32) for name in ("w", "v", "u")}
    meant, other = named("OUT", "IN"), named("OUT")
    meant.name = "w"
    other.CopyFrom(helper.make_tensor_value_info("v", onnx.TensorProto.FLOAT, [4]))
    other.type.tensor_type.shape.dim[0].denotation = "OUT"
    source = model([node("Sum", "x w v u", "y")], {"x": [4, 3]}, ["y"], weights)
    source.graph.value_info.extend([meant, other])
    module = import_model(source)
    axes = {
        op.sym_name.data: op.axes and [axis.data for axis in op.axes]
        for op in module.body.ops
        if isinstance(op, ConstantOp)
    }
    assert axes == {"w": ["OUT", "IN"], "v": None, "u": None}


def test_no_axis_is_moved_at_import() -> None:
    nodes = [node("Conv", "x w", "c"), node("MaxPool", "c", "y", kernel_shape=[2, 2])]
    weights = {"w": np.ones((4, 2, 3, 3), np.float32)}
    module = import_model(model(nodes, {"x": [1, 2, 5, 5]}, ["y"], weights))
    assert not {"transpose", "reshape"} & set(op_names(module))
    assert all(
        op.type.encoding == NoneAttr()
        for op in module.body.ops
        if isinstance(op, PlaceholderOp | ConstantOp)
    )
