"""Constants are copied when edited, in memory once, and no longer than needed."""

from __future__ import annotations

import gc
import sys
import weakref
from pathlib import Path
from typing import Any

import models
import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser

import glow
from glow.dialects.graph.storage import ConstantOp, LoadOp
from glow.graph_modules import context
from glow.pass_manager import parse_passes, pipeline_text, run_passes
from glow.pipeline import STAGES
from glow.runtime.constant_pool import CONSTANTS
from glow.runtime.native import NativeExecutable
from glow.support.arrays import address_of

Array = NDArray[Any]
RANDOM = np.random.default_rng(11)


@pytest.fixture(autouse=True)
def nothing_is_left_of_other_tests() -> None:
    gc.collect()


def floats(*shape: int) -> Array:
    return (RANDOM.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))).astype("f4")


FILTER = floats(16, 16, 3, 3)
SCALES = {name: np.abs(floats(16)) for name in ("scale", "bias", "mean", "var")}
TWO_FUNCTIONS = """
func.func @a(%x: tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> {
  %w = graph.load @w : tensor<16x16x3x3xf32>
  %mean = graph.load @mean : tensor<16xf32>
  %var = graph.load @var : tensor<16xf32>
  %scale = graph.load @scale : tensor<16xf32>
  %bias = graph.load @bias : tensor<16xf32>
  %0 = graph.conv %x, %w {pads = array<i64: 1, 1, 1, 1>}
      : (tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x8x8xf32>
  %1 = graph.batch_norm %0, %mean, %var scale %scale : tensor<16xf32>
      bias %bias : tensor<16xf32>
      : (tensor<1x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<1x16x8x8xf32>
  func.return %1 : tensor<1x16x8x8xf32>
}
func.func @b(%x: tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> {
  %w = graph.load @w : tensor<16x16x3x3xf32>
  %0 = graph.conv %x, %w {pads = array<i64: 1, 1, 1, 1>}
      : (tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x8x8xf32>
  func.return %0 : tensor<1x16x8x8xf32>
}
"""


def two_functions() -> ModuleOp:
    module = Parser(context(), TWO_FUNCTIONS).parse_module()
    constants = {"w": FILTER, **SCALES}
    for name, array in reversed(constants.items()):
        first = module.body.block.first_op
        assert first is not None
        module.body.block.insert_op_before(ConstantOp(name, array), first)
    module.verify()
    return module


def only(module: ModuleOp, name: str) -> ModuleOp:
    """Return a copy of `module` with none of its functions but `name`."""
    new = module.clone()
    for op in list(new.body.ops):
        if isinstance(op, FuncOp) and op.sym_name.data != name:
            op.detach()
            op.erase()
    return new


def convolutions(batch: int) -> ModelProto:
    """Return convolutions by each algorithm, then a product, for a batch of images."""
    ranges = np.random.default_rng(5)

    def weight(name: str, *shape: int) -> TensorProto:
        array = ranges.standard_normal(shape, np.float32) / np.prod(shape[1:]) ** 0.5
        return numpy_helper.from_array(array.astype(np.float32), name)

    weights = [
        weight("w0", 64, 64, 3, 3),  # by Winograd's algorithm
        weight("w1", 64, 1, 3, 3),  # depthwise
        weight("w2", 32, 64, 1, 1),  # direct
        weight("w3", 32 * 14 * 14, 10),
    ]
    pads = {"pads": [1, 1, 1, 1]}
    nodes = [
        helper.make_node("Conv", ["x", "w0"], ["t0"], **pads),
        helper.make_node(
            "Conv", ["t0", "w1"], ["t1"], group=64, strides=[2, 2], **pads
        ),
        helper.make_node("Conv", ["t1", "w2"], ["t2"]),
        helper.make_node("Flatten", ["t2"], ["t3"]),
        helper.make_node("MatMul", ["t3", "w3"], ["y"]),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, 64, 28, 28])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [batch, 10])
    graph = helper.make_graph(nodes, "g", [x], [y], weights)
    opset = helper.make_opsetid("", 17)
    return helper.make_model(graph, opset_imports=[opset], ir_version=8)


def constants_of(net: glow.Executable) -> dict[int, Array]:
    assert isinstance(net, NativeExecutable)
    return {address_of(array): array for array in net._image.constants}


@pytest.mark.parametrize("target", ["reference", "cpu"])
def test_folding_in_one_function_leaves_the_others_alone(target: str) -> None:
    module, x = two_functions(), floats(1, 16, 8, 8)
    net = glow.compile(only(module, "b"), target)
    assert net.constant_bytes >= FILTER.nbytes
    before = net(x)
    text = pipeline_text([STAGES[0]], "cpu")
    text = text.replace("arguments-to-placeholders,", "")
    run_passes(parse_passes(text), context(), module)
    loads = {
        f.sym_name.data: {
            op.symbol.string_value() for op in f.walk() if isinstance(op, LoadOp)
        }
        for f in module.body.ops
        if isinstance(f, FuncOp)
    }
    assert loads["b"] == {"w"}
    assert "w" not in loads["a"]  # it was folded, into a constant of its own
    np.testing.assert_array_equal(glow.compile(only(module, "b"), target)(x), before)


def test_folding_one_of_two_uses_leaves_the_other_alone() -> None:
    info = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 16, 8, 8])
        for name in ("x", "a", "b")
    ]
    names = ["scale", "bias", "mean", "var"]
    arrays = {"w": FILTER, **SCALES}
    graph = helper.make_graph(
        [
            helper.make_node("Conv", ["x", "w"], ["t"], pads=[1, 1, 1, 1]),
            helper.make_node("BatchNormalization", ["t", *names], ["a"]),
            helper.make_node("Conv", ["x", "w"], ["b"], pads=[1, 1, 1, 1]),
        ],
        "g",
        info[:1],
        info[1:],
        [numpy_helper.from_array(array, name) for name, array in arrays.items()],
    )
    opset = helper.make_opsetid("", 17)
    proto = helper.make_model(graph, opset_imports=[opset], ir_version=8)
    held = proto.SerializeToString()
    x = floats(1, 16, 8, 8)
    expected = glow.compile(proto, "reference").run({"x": x})
    found = glow.compile(proto).run({"x": x})
    for name, array in expected.items():
        np.testing.assert_allclose(found[name], array, rtol=1e-4, atol=1e-5)
    assert proto.SerializeToString() == held


@pytest.mark.slow
def test_batches_of_a_network_share_its_weights() -> None:
    nets = [glow.compile(convolutions(batch)) for batch in (1, 8)]
    one, eight = map(constants_of, nets)
    own = [array for place, array in one.items() if place not in eight]
    own += [array for place, array in eight.items() if place not in one]
    # Where rows begin depends on the batch, as do the numbers of `main`; what rows are
    # multiplied with does not.
    assert {array.dtype for array in own} <= {np.dtype(np.int32), np.dtype(np.int64)}
    shared = sum(array.nbytes for array in one.values() if array.dtype == np.float32)
    assert shared > 4 * (36 * 64 * 64 + 64 * 9 + 32 * 64 + 32 * 14 * 14 * 10)
    x = floats(8, 64, 28, 28)
    expected = nets[1](x)
    del nets[0], one, eight, own
    gc.collect()
    assert shared <= nets[0].constant_bytes <= CONSTANTS.nbytes
    np.testing.assert_array_equal(nets[0](x), expected)


@pytest.mark.slow
def test_what_was_packed_or_folded_is_released() -> None:
    before = CONSTANTS.nbytes
    model = glow.load(convolutions(1))
    arrays = [
        weakref.ref(op.array)
        for op in model.module.body.ops
        if isinstance(op, ConstantOp) and op.array is not None
    ]
    assert len(arrays) == 4
    net = glow.compile(model)
    del model
    gc.collect()
    assert [array() for array in arrays] == [None] * 4
    assert CONSTANTS.nbytes > before
    del net
    gc.collect()
    assert CONSTANTS.nbytes == before


def test_a_file_that_was_packed_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "mlp.onnx"
    path.write_bytes(models.mlp().SerializeToString())
    model = glow.load(path)
    assert str(path) in Path("/proc/self/maps").read_text()
    net = glow.compile(model)
    del model
    gc.collect()
    assert str(path) not in Path("/proc/self/maps").read_text()
    path.unlink()
    net.run(models.inputs_of(models.mlp()))


@pytest.mark.slow
@pytest.mark.parametrize("form", ["proto", "bytes"])
def test_nothing_of_a_model_is_held_after_compiling(form: str) -> None:
    proto = convolutions(1)
    source: Any = proto if form == "proto" else proto.SerializeToString()
    count = sys.getrefcount(source)
    model = glow.load(source)
    (main,) = (op for op in model.module.body.ops if isinstance(op, FuncOp))
    parts = [model, model.module, main, main.body.block.first_op]
    watched = [weakref.ref(part) for part in parts]
    net = glow.compile(model)
    x = floats(1, 64, 28, 28)
    expected = net(x)
    del model, main, parts
    gc.collect()
    assert [each() for each in watched] == [None] * 4
    assert sys.getrefcount(source) == count
    np.testing.assert_array_equal(net(x), expected)
