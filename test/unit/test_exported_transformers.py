"""Transformers as exporters write them: no shape arithmetic is left, numbers hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import exported
import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import ModelProto
from operators.oracle import run_onnxruntime
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

import glow
from glow import DynamicExecutable
from glow.compiler import choose_passes
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.storage import ConstantOp, LiteralOp, LoadOp, PlaceholderOp
from glow.model import context
from glow.pipeline import STAGES, run_stage

# What its dimensions are called, in the order batch, new tokens, past ones.
ROLES = {
    "bert": ("batch_size", "sequence_length"),
    "gpt2": ("batch_size", "sequence_length", "past_sequence_length"),
    "llama": ("batch", "new", "past"),
    "dynamo": ("s0", "s1", "s2"),
}
GRID = ((1, 2), (1, 4), (0, 1, 5))

# What computes with data; anything else would be there for shapes.
ALWAYS = "add cast div gather matmul mul reshape save softmax transpose"
DATA_OPS = {
    "bert": "sub",
    "gpt2": "concat split sub where",
    "llama": "concat equal expand neg slice where",
    "dynamo": "and concat expand where",
}


def extents(name: str) -> list[dict[str, int]]:
    names = ROLES[name]
    every = product(*GRID[: len(names)])
    return [dict(zip(names, each, strict=True)) for each in every]


def feeds(source: ModelProto, dims: Mapping[str, int]) -> dict[str, NDArray[Any]]:
    """Return ids, a mask that hides some keys, and a past, for these extents."""
    rng = np.random.default_rng(sum(dims.values()))
    found: dict[str, NDArray[Any]] = {}
    for spec in glow.load(source, dims=dims).module.walk():
        if not isinstance(spec, PlaceholderOp) or spec.direction.data == "out":
            continue
        name, shape = spec.sym_name.data, spec.type.get_shape()
        if "mask" in name:
            found[name] = rng.integers(0, 2, shape)
            found[name][:, 0] = 1
        elif "ids" in name:
            found[name] = rng.integers(0, exported.WORDS, shape)
        else:
            found[name] = rng.standard_normal(shape).astype(np.float32)
    return found


def optimized(source: ModelProto, dims: Mapping[str, int]) -> ModuleOp:
    """Return the graph with its shape arithmetic folded, but nothing recognised."""
    stages = [stage for stage in STAGES if stage.name == "graph"]
    (passes,) = choose_passes(
        stages, "cpu", disable=["recognize-attention", "recognize-rotary-embedding"]
    )
    module = glow.load(source, dims=dims).module
    run_stage(stages[0], passes, context(), module)
    return module


def ops_of(module: ModuleOp) -> tuple[set[str], set[str]]:
    """Return the names of ops that depend on the run, and of those that do not."""
    known = {op.sym_name.data for op in module.ops if isinstance(op, ConstantOp)}
    moving: set[SSAValue] = set()
    names: tuple[set[str], set[str]] = set(), set()
    for op in module.walk():
        if isinstance(op, LoadOp):
            if op.symbol.string_value() not in known:
                moving |= set(op.results)
        elif isinstance(op, GraphOp) and not isinstance(op, LiteralOp):
            depends = any(operand in moving for operand in op.operands)
            names[not depends].add(op.name.removeprefix("graph."))
            if depends:
                moving |= set(op.results)
    return names


def some(name: str) -> list[dict[str, int]]:
    """Return the smallest extents, the largest, and some between."""
    return extents(name)[:: len(GRID)] + extents(name)[-1:]


@pytest.mark.parametrize(
    ("name", "choose"),
    [
        *((name, some) for name in exported.MODELS),
        *(
            pytest.param(name, extents, marks=pytest.mark.full)
            for name in exported.MODELS
        ),
    ],
)
def test_every_shape_computes_what_onnx_runtime_does(
    name: str, choose: Callable[[str], list[dict[str, int]]]
) -> None:
    source = exported.MODELS[name]()
    grid = choose(name)
    net = glow.compile(source, "reference", cache_size=len(grid))
    assert isinstance(net, DynamicExecutable)
    for dims in grid:
        inputs = feeds(source, dims)
        found = net.run(inputs)
        for actual, wanted in zip(
            found.values(), run_onnxruntime(source, inputs), strict=True
        ):
            assert actual.shape == wanted.shape
            np.testing.assert_allclose(actual, wanted, rtol=1e-4, atol=1e-5)
    assert {tuple(sorted(each.items())) for each in net.compiled} == {
        tuple(sorted(each.items())) for each in grid
    }


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name == "llama" else pytest.mark.full)
        for name in exported.MODELS
    ],
)
def test_machine_code_of_two_shapes_at_once(name: str) -> None:
    source = exported.MODELS[name]()
    first, *_, last = extents(name)
    net = glow.compile(source, shapes=[first, last])
    for dims in (last, first):
        inputs = feeds(source, dims)
        wanted = run_onnxruntime(source, inputs)
        for actual, each in zip(net.run(inputs).values(), wanted, strict=True):
            np.testing.assert_allclose(actual, each, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("name", exported.MODELS)
def test_no_shape_arithmetic_is_left(name: str, large: bool) -> None:
    dims = dict(zip(ROLES[name], (2, 300, 300) if large else (2, 3, 4), strict=False))
    moving, still = ops_of(optimized(exported.MODELS[name](), dims))
    assert not still
    assert moving <= {*ALWAYS.split(), *DATA_OPS[name].split()}


def test_what_does_not_fit_names_node_and_extents() -> None:
    net = glow.compile(exported.bert(), "reference")
    ids = np.zeros((1, exported.PLACES + 1), np.int64)
    with pytest.raises(glow.InvalidModelError) as caught:
        net(ids, ids)
    text = str(caught.value)
    assert text.startswith('for batch_size = 1, sequence_length = 1025: node "')
    assert "\n" not in text


def test_lengths_that_disagree_are_told() -> None:
    source = exported.gpt2()
    inputs = feeds(source, dict.fromkeys(ROLES["gpt2"], 2))
    inputs["attention_mask"] = inputs["attention_mask"][:, 1:]
    with pytest.raises(glow.BindingError) as caught:
        glow.compile(source, "reference").run(inputs)
    assert str(caught.value) == (
        'dimension "past_sequence_length + sequence_length" is 3 in input '
        '"attention_mask", expected 4 for past_sequence_length = 2, sequence_length = 2'
    )
