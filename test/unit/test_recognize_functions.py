"""Functions that are written out become one op, and mean the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from graph_code import run
from onnx import ModelProto, TensorProto, helper
from operators.oracle import run_onnxruntime
from repository import ROOT
from small_onnx import model, node
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

import glow
from glow.graph_modules import context
from glow.model import parse_text
from glow.pass_manager import parse_passes, pipeline_text, run_passes
from glow.pipeline import stages_between
from glow.runtime.comparison import error_of
from glow.support.types import dtype_of, element_of, shape_of

FILES = {
    "recognize_functions.mlir": "recognize-functions",
    "recognize_functions_gelu.mlir": "recognize-functions",
    "recognize_functions_loss.mlir": "recognize-functions",
    "fold_bias.mlir": "fold-bias",
}


def functions_in(file: str) -> list[FuncOp]:
    text = (ROOT / "test" / "passes" / "graph" / file).read_text()
    module = parse_text(context(), text, file)
    return [op for op in module.ops if isinstance(op, FuncOp)]


@pytest.mark.parametrize("file", FILES)
def test_every_case_means_the_same_afterwards(file: str) -> None:
    rng = np.random.default_rng(0)
    for function in functions_in(file):
        name = function.sym_name.data
        clone = function.clone()
        clone.sym_name = StringAttr("main")
        module = ModuleOp([clone])
        arrays = [
            rng.uniform(0.5, 3, shape_of(value)).astype(dtype_of(element_of(value)))
            for value in function.body.block.args
        ]
        expected = run(module, arrays)
        run_passes(parse_passes(FILES[file]), context(), module)
        found = run(module, arrays)
        for one, other in zip(found, expected, strict=True):
            assert error_of(one, other) <= 2e-6, name


def ops_of(proto: ModelProto) -> list[str]:
    """Return the names of the ops that compute at the end of the graph stage."""
    module = glow.load(proto).module
    text = pipeline_text(stages_between("import", "graph"), "cpu")
    run_passes(parse_passes(text), context(), module)
    storage = ("graph.load", "graph.save", "graph.literal")
    names = [op.name for op in module.walk() if op.name.startswith("graph.")]
    return [
        name
        for name in names
        if name not in (*storage, "graph.placeholder", "graph.constant")
    ]


def scalars(**values: float) -> dict[str, Any]:
    return {name: np.array(value, np.float32) for name, value in values.items()}


def norm_nodes(axes: str = "attribute") -> list[Any]:
    """Return a layer norm as PyTorch writes it below opset 17."""
    last = {"axes": [-1]} if axes == "attribute" else {}
    given = "" if axes == "attribute" else " axes"
    return [
        node("ReduceMean", f"x{given}", "mean", **last),
        node("Sub", "x mean", "centered"),
        node("Pow", "centered two", "square"),
        node("ReduceMean", f"square{given}", "variance", **last),
        node("Add", "variance epsilon", "sum"),
        node("Sqrt", "sum", "deviation"),
        node("Div", "centered deviation", "normal"),
        node("Mul", "normal scale", "scaled"),
        node("Add", "scaled bias", "y"),
    ]


def norm_model(opset: int) -> ModelProto:
    axes = "attribute" if opset < 18 else "input"
    weights = scalars(two=2, epsilon=1e-5)
    weights |= {"axes": np.array([-1])} if opset >= 18 else {}
    weights["scale"] = np.linspace(0.5, 2, 16, dtype=np.float32)
    weights["bias"] = np.linspace(-1, 1, 16, dtype=np.float32)
    return model(norm_nodes(axes), {"x": (3, 5, 16)}, ["y"], weights, opset)


def rms_model() -> ModelProto:
    """Return a root-mean-square norm as exporters of language models write it."""
    nodes = [
        node("Pow", "x two", "square"),
        node("ReduceMean", "square", "mean", axes=[-1]),
        node("Add", "mean epsilon", "sum"),
        node("Sqrt", "sum", "root"),
        node("Div", "one root", "inverse"),
        node("Mul", "x inverse", "normal"),
        node("Mul", "scale normal", "y"),
    ]
    weights = scalars(two=2, one=1, epsilon=1e-6)
    weights["scale"] = np.linspace(0.5, 2, 16, dtype=np.float32)
    return model(nodes, {"x": (3, 5, 16)}, ["y"], weights)


def gelu_nodes() -> list[Any]:
    return [
        node("Div", "x root", "h"),
        node("Erf", "h", "e"),
        node("Add", "e one", "g"),
        node("Mul", "x g", "p"),
        node("Mul", "p half", "y"),
    ]


GELU = scalars(root=2**0.5, one=1, half=0.5)


def function_model() -> ModelProto:
    """Return a model with gelu as a function of its own, constants inside."""
    constants = [
        node(
            "Constant",
            "",
            name,
            value=helper.make_tensor(name, TensorProto.FLOAT, [], [float(value)]),
        )
        for name, value in GELU.items()
    ]
    opsets = [helper.make_opsetid("", 17)]
    body = [*constants, *gelu_nodes()]
    function = helper.make_function("own", "Gelu", ["x"], ["y"], body, opsets)
    calls = [node("Gelu", "x", "h", "a", domain="own"), node("Neg", "h", "y")]
    return model(calls, {"x": (4, 33)}, ["y"], functions=[function], domains={"own": 1})


def dense_model() -> ModelProto:
    """Return a product and a bias that the caller passes, tiled over the rows."""
    nodes = [
        node("MatMul", "x w", "h"),
        node("Tile", "b counts", "rows"),
        node("Add", "rows h", "z"),
        node("Relu", "z", "y"),
    ]
    w = np.random.default_rng(1).standard_normal((7, 33), np.float32)
    weights = {"w": w, "counts": np.array([5, 1])}
    return model(nodes, {"x": (5, 7), "b": (1, 33)}, ["y"], weights)


def loss_model() -> ModelProto:
    """Return PyTorch's BCEWithLogitsLoss(weight, pos_weight), as it exports it."""
    nodes = [
        node("Sigmoid", "x", "s"),
        node("Log", "s", "first"),
        node("Sub", "one s", "other"),
        node("Sub", "one t", "rest"),
        node("Log", "other", "second"),
        node("Mul", "t first", "h"),
        node("Mul", "h positive", "p"),
        node("Mul", "rest second", "q"),
        node("Add", "p q", "sum"),
        node("Neg", "sum", "losses"),
        node("Mul", "weight losses", "weighed"),
        node("ReduceMean", "weighed", "y", keepdims=0),
    ]
    weights = {"one": np.ones(1, np.float32)}
    weights["positive"] = np.linspace(0.5, 2, 5, dtype=np.float32)
    weights["weight"] = np.linspace(1, 3, 5, dtype=np.float32)
    return model(nodes, {"x": (4, 5), "t": (4, 5)}, ["y"], weights)


LOSS = ["graph.neg", "graph.softplus", "graph.mul", "graph.mul", "graph.sub"]
LOSS += ["graph.softplus", "graph.mul", "graph.add", "graph.mul"]
LOSS += ["graph.reduce_sum", "graph.div"]

MODELS = {
    "layer_norm": (norm_model(13), ["graph.layer_norm"]),
    "layer_norm_18": (norm_model(18), ["graph.layer_norm"]),
    "rms_norm": (rms_model(), ["graph.rms_norm"]),
    "gelu": (model(gelu_nodes(), {"x": (4, 33)}, ["y"], GELU), ["graph.gelu"]),
    "function": (function_model(), ["graph.gelu", "graph.neg"]),
    "loss": (loss_model(), LOSS),
    "dense": (dense_model(), ["graph.reshape", "graph.matmul", "graph.relu"]),
}


@pytest.mark.parametrize("name", MODELS)
def test_models_of_exporters_become_few_ops(name: str) -> None:
    proto, expected = MODELS[name]
    assert ops_of(proto) == expected


@pytest.mark.parametrize("target", ["cpu", "reference"])
@pytest.mark.parametrize("name", MODELS)
def test_models_of_exporters_are_right(name: str, target: str) -> None:
    proto, _ = MODELS[name]
    net = glow.compile(proto, target=target)
    rng = np.random.default_rng(0)
    feeds = {s.name: rng.standard_normal(s.shape).astype(s.dtype) for s in net.inputs}
    (found,) = net.run(feeds).values()
    assert error_of(found, run_onnxruntime(proto, feeds)[0]) <= 1e-5
