"""Transformers as PyTorch exports them: what is seen in them, and that numbers hold."""

from __future__ import annotations

from collections import Counter
from typing import Any

import exported
import numpy as np
import pytest
from exported.text import parsed, written
from numpy.typing import NDArray
from onnx import ModelProto, helper
from operators.oracle import run_onnxruntime
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

import glow
from glow import DynamicExecutable
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.storage import ConstantOp, LiteralOp, LoadOp
from glow.graph_modules import context
from glow.pass_manager import parse_passes, pipeline_text, run_passes
from glow.pipeline import stages_between
from glow.runtime.comparison import error_of

Dims = dict[str, int]

# One token without a past, and several with one; the mask is for all of them.
EXTENTS: tuple[Dims, Dims] = (
    {"batch": 1, "sequence": 1, "past": 0, "target": 1, "texts": 1, "images": 2},
    {"batch": 2, "sequence": 7, "past": 5, "target": 3, "texts": 3, "images": 1},
)

# What is recognized, how often, and what else is left that computes.
SEEN = {
    "bert": "attention:2 gelu:2 layer_norm:5",
    "clip": "attention:4 layer_norm:11 swish:4",
    "deberta": "attention:2 gelu:2 layer_norm:5",
    "distilbert": "attention:2 gelu:2 layer_norm:5",
    "gemma2": "attention:2 gelu:2 rms_norm:9 rotary_embedding:4",
    "gpt2": "attention:2 gelu:2 layer_norm:5",
    "gptj": "attention:2 gelu:2 layer_norm:3 rotary_embedding:4",
    "llama": "attention:2 rms_norm:5 rotary_embedding:4 swish:2",
    "swin": "attention:4 gelu:4 layer_norm:11",
    "t5": "attention:6 rms_norm:12",
}
ALWAYS = "add cast gather matmul mul reshape save transpose where"
BESIDE = {
    "bert": "",
    "clip": "and arg_max concat conv div gather_nd pow reduce_sum slice",
    "deberta": "div gather_elements",
    "distilbert": "",
    "gemma2": "and div tanh",
    "gpt2": "and concat split",
    "gptj": "and",
    "llama": "and concat",
    "swin": "concat conv slice",
    "t5": "and relu",
}

# Machine code for these is made in every run of the tests; that of all takes long.
QUICK = ("gpt2", "llama")
BY_COST = [
    pytest.param(name, marks=pytest.mark.slow if name in QUICK else pytest.mark.full)
    for name in exported.NAMES
]


def dims_of(model: ModelProto, extents: Dims) -> Dims:
    """Return those of `extents` that `model` has."""
    every = {**extents, "total": extents["past"] + extents["sequence"]}
    names = {
        dim.dim_param
        for value in model.graph.input
        for dim in value.type.tensor_type.shape.dim
    }
    return {name: extent for name, extent in every.items() if name in names}


def feeds(model: ModelProto, dims: Dims) -> dict[str, NDArray[Any]]:
    """Return ids, a mask that hides some keys, images, and a past."""
    rng = np.random.default_rng(sum(dims.values()))
    found: dict[str, NDArray[Any]] = {}
    for value in model.graph.input:
        kind = value.type.tensor_type
        shape = [dims.get(dim.dim_param, dim.dim_value) for dim in kind.shape.dim]
        if "mask" in value.name:
            found[value.name] = rng.integers(0, 2, shape)
            found[value.name][:, 0] = 1
        elif "ids" in value.name:
            found[value.name] = rng.integers(3, exported.WORDS, shape)
        else:
            dtype = helper.tensor_dtype_to_np_dtype(kind.elem_type)
            found[value.name] = rng.standard_normal(shape).astype(dtype)
    return found


def recognized(model: ModelProto, dims: Dims) -> ModuleOp:
    """Return the graph with its shape arithmetic folded and functions recognized."""
    text = pipeline_text(stages_between("import", "graph"), "cpu")
    before, separator, _ = text.partition("decompose-rotary-embedding")
    assert separator
    module = glow.load(model, dims=dims).module
    run_passes(parse_passes(f"{before}fold-constants,cse,dce"), context(), module)
    return module


def ops_of(module: ModuleOp) -> tuple[Counter[str], Counter[str]]:
    """Count ops that depend on the run, and those that do not."""
    known = {op.sym_name.data for op in module.ops if isinstance(op, ConstantOp)}
    moving: set[SSAValue] = set()
    names: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    for op in module.walk():
        if isinstance(op, LoadOp):
            if op.symbol.string_value() not in known:
                moving |= set(op.results)
        elif isinstance(op, GraphOp) and not isinstance(op, LiteralOp):
            depends = any(operand in moving for operand in op.operands)
            names[not depends][op.name.removeprefix("graph.")] += 1
            if depends:
                moving |= set(op.results)
    return names


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_COST)
def test_machine_code_of_two_shapes_computes_what_onnx_runtime_does(name: str) -> None:
    model = exported.read(name)
    net = glow.compile(model, shapes=[dims_of(model, each) for each in EXTENTS])
    assert isinstance(net, DynamicExecutable)
    for extents in EXTENTS:
        inputs = feeds(model, dims_of(model, extents))
        found = net.run(inputs)
        for actual, wanted in zip(
            found.values(), run_onnxruntime(model, inputs), strict=True
        ):
            assert actual.shape == wanted.shape
            assert error_of(actual, wanted) <= 1e-5
    assert len(net.compiled) == len(EXTENTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", exported.NAMES)
def test_functions_are_seen_and_no_shape_arithmetic_is_left(name: str) -> None:
    model = exported.read(name)
    moving, still = ops_of(recognized(model, dims_of(model, EXTENTS[1])))
    assert not still
    counts = (pair.split(":") for pair in SEEN[name].split())
    seen = {op: int(count) for op, count in counts}
    assert {op: moving[op] for op in seen} == seen
    assert moving.keys() - seen.keys() <= {*ALWAYS.split(), *BESIDE[name].split()}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gemma2", "llama"])
def test_the_same_is_left_for_many_tokens(name: str) -> None:
    """Masks for all pairs of tokens have more elements than literals may have."""
    model = exported.read(name)
    small, large = (
        ops_of(recognized(model, dims_of(model, extents)))
        for extents in (EXTENTS[1], dict.fromkeys(EXTENTS[1], 100))
    )
    assert large == small


@pytest.mark.parametrize("name", exported.NAMES)
def test_text_is_written_as_it_was_read(name: str) -> None:
    text = (exported.FOLDER / f"{name}.txt").read_text()
    assert written(parsed(text)) == text


def test_what_does_not_fit_names_node_and_extents() -> None:
    net = glow.compile(exported.read("bert"), "reference")
    ids = np.zeros((1, exported.PLACES + 1), np.int64)
    with pytest.raises(glow.InvalidModelError) as caught:
        net(ids, ids)
    text = str(caught.value)
    assert text.startswith('for batch = 1, sequence = 129: node "')
    assert "\n" not in text


def test_lengths_that_disagree_are_reported() -> None:
    model = exported.read("gpt2")
    inputs = feeds(model, dims_of(model, EXTENTS[1]))
    inputs["past_value_1"] = inputs["past_value_1"][:, :, 1:]
    with pytest.raises(glow.BindingError) as caught:
        glow.compile(model, "reference").run(inputs)
    assert str(caught.value) == (
        'dimension "past" is 5 in input "past_key_0", 4 in input "past_value_1"'
    )
