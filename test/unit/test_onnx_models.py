"""Whole networks: imported, and checked against ONNX's shapes."""

from __future__ import annotations

import models
import numpy as np
import onnx
import pytest
from onnx import ModelProto, helper
from operators.oracle import run_onnxruntime
from sizes import but_for_the_largest
from xdsl.dialects.builtin import UNKNOWN_LOC, ModuleOp, NameLoc

import glow
from glow.analysis.validity import verify_module
from glow.dialects.graph.base import GraphOp
from glow.formats.onnx import import_model
from glow.support.types import shape_of

pytestmark = pytest.mark.slow


def shapes_by_onnx(model: ModelProto) -> dict[str, tuple[int, ...]]:
    """Return the shape of each value by ONNX's own inference."""
    weights = [t for t in model.graph.initializer if len(t.raw_data) > 1 << 10]
    small = [t for t in model.graph.initializer if len(t.raw_data) <= 1 << 10]
    large = [
        helper.make_tensor_value_info(t.name, t.data_type, t.dims) for t in weights
    ]
    bare = helper.make_model(
        helper.make_graph(
            model.graph.node,
            "bare",
            [*model.graph.input, *large],
            model.graph.output,
            small,
        ),
        opset_imports=model.opset_import,
    )
    inferred = onnx.shape_inference.infer_shapes(bare)
    return {
        info.name: tuple(d.dim_value for d in info.type.tensor_type.shape.dim)
        for info in (*inferred.graph.value_info, *inferred.graph.output)
    }


def shapes_by_node(module: ModuleOp) -> dict[str, list[tuple[int, ...]]]:
    """Return the shapes of what the ops of each ONNX node make, by its name."""
    found: dict[str, list[tuple[int, ...]]] = {}
    for op in module.walk():
        if isinstance(op, GraphOp) and isinstance(op.location, NameLoc):
            shapes = [shape_of(result) for result in op.results]
            found.setdefault(op.location.desc.data, []).extend(shapes)
    return found


def check_shapes(model: ModelProto, module: ModuleOp) -> None:
    """Compare the shapes of what nodes make with those that ONNX infers."""
    expected, own = shapes_by_onnx(model), shapes_by_node(module)
    compared = 0
    for node in model.graph.node:
        source = node.name or f"{node.op_type}:{node.output[0]}"
        if source in own and node.output[0] in expected:
            assert expected[node.output[0]] in own[source], source
            compared += 1
    assert compared > len(model.graph.node) // 4


@pytest.mark.parametrize("name", but_for_the_largest(models.MODELS))
def test_network_is_valid_and_has_the_shapes_that_onnx_infers(name: str) -> None:
    """What it computes is compared in `test_models.py`."""
    model = models.build(name)
    module = import_model(model)
    verify_module(module)
    assert not [op.name for op in module.walk() if op.location == UNKNOWN_LOC]
    check_shapes(model, module)


@pytest.mark.parametrize("name", ["squeezenet"])
def test_network_tells_inputs_apart(name: str) -> None:
    model = models.build(name)
    outputs = [
        run_onnxruntime(model, models.inputs_of(model, seed))[0] for seed in (1, 2)
    ]
    assert np.abs(outputs[0] - outputs[1]).max() > 0.1 * np.abs(outputs[0]).max()
    assert 1.5 / 1000 < outputs[0].max() < 0.9  # neither even nor saturated


def test_file_as_it_is_lists_weights_as_inputs_and_makes_them_by_node() -> None:
    model = models.skeleton("shufflenet")
    module = import_model(model)
    verify_module(module)
    net = glow.compile(module, target="reference")
    assert len(net.signature.inputs) == 1
    inputs = models.inputs_of(model)
    (expected,) = run_onnxruntime(model, inputs)
    np.testing.assert_allclose(net(*inputs.values()), expected, rtol=1e-4, atol=1e-7)


def test_symbolic_batch_is_resolved_and_its_arithmetic_folded() -> None:
    model = models.encoder(layers=1, width=32, heads=2, length=8, symbolic=True)
    module = import_model(model, {"batch": 3})
    names = {op.name for op in module.walk()}
    assert not names & {"graph.gather", "graph.concat"}
    net = glow.compile(module, target="reference")
    value = np.random.default_rng(0).standard_normal((3, 8, 32), np.float32)
    (expected,) = run_onnxruntime(model, {"input": value})
    np.testing.assert_allclose(net(value), expected, atol=1e-5)
