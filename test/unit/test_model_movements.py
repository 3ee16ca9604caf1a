"""What whole networks still move when they run, and that axis order changes nothing."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import models
import pytest
from onnx import ModelProto
from xdsl.dialects.builtin import ModuleOp

from glow.analysis.copies import copies_in
from glow.dialects.memory.base import MemoryOp
from glow.dialects.memory.elementwise import CopyOp
from glow.importers.onnx import import_model
from glow.model import context
from glow.pipeline import STAGES, parse_passes, pipeline_text, run_stage

TARGET = "cpu:avx2"

SMALL = {"alexnet", "shufflenet", "squeezenet"}
NAMES = [
    pytest.param(name, marks=[pytest.mark.slow] * (name not in SMALL))
    for name in models.FILES
]
TWINS = {
    "mobilenet_v2": {"width": 0.25, "size": 96},
    "resnet50": {"width": 8, "size": 96},
}


def lowered(model: ModelProto) -> ModuleOp:
    """Return `model` at the memory level."""
    module, ctx = import_model(model), context()
    for stage in STAGES[:3]:
        passes = parse_passes(pipeline_text([stage], TARGET))
        run_stage(stage, passes, ctx, module)
    return module


def places(module: ModuleOp) -> tuple[int, ...]:
    """Return how many copies there are of inputs, inside, and of outputs."""
    found = Counter(move.place for move in copies_in(module))
    return found["input"], found["inside"], found["output"]


@pytest.mark.parametrize("name", NAMES)
def test_networks_over_images_copy_their_input_only(name: str) -> None:
    assert places(lowered(models.skeleton(name))) == (1, 0, 0)


def test_networks_of_products_copy_nothing() -> None:
    assert places(lowered(models.mlp())) == (0, 0, 0)
    assert places(lowered(models.encoder(layers=2))) == (0, 0, 0)


@lru_cache(maxsize=1)
def first(name: str) -> ModelProto:
    return models.TWINS[name](**TWINS[name])


def calls(module: ModuleOp) -> Counter[str]:
    """Return the ops that compute, with the types and properties that they have."""
    return Counter(
        f"{op.name} {[str(value.type) for value in op.operands]} {op.properties}"
        for op in module.walk()
        if isinstance(op, MemoryOp) and not isinstance(op, CopyOp)
    )


@pytest.mark.xfail(strict=True, reason="no pass moves transposes out of a network")
@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("name", TWINS)
def test_axis_order_changes_nothing_behind_the_input(name: str, affine: bool) -> None:
    channels_first = lowered(first(name))
    channels_last = lowered(models.channels_last(first(name), affine))
    assert places(channels_first) == places(channels_last) == (1, 0, 0)
    assert calls(channels_first) == calls(channels_last)
    for key in ("glow.arena_bytes", "glow.arena_lower_bound"):
        assert channels_first.attributes[key] == channels_last.attributes[key]
