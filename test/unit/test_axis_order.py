"""A network is the same graph whatever order of axes its author wrote."""

from collections import Counter
from functools import cache

import models
import pytest
from onnx import ModelProto
from xdsl.dialects.builtin import ModuleOp

import glow
from glow.dialects.graph.movement import TransposeOp
from glow.dialects.graph.storage import LoadOp, SaveOp
from glow.graph_modules import context
from glow.pass_manager import parse_passes, pipeline_text, run_passes
from glow.pipeline import STAGES

SMALL = {
    "mobilenet_v2": {"width": 0.25, "size": 64},
    "resnet50": {"width": 8, "size": 64},
}


def at_graph_level(model: ModelProto) -> ModuleOp:
    """Return `model` as the graph stage leaves it."""
    module = glow.load(model).module
    run_passes(parse_passes(pipeline_text(STAGES[:1], "cpu")), context(), module)
    return module


def ops_of(module: ModuleOp) -> Counter[str]:
    """Count the ops but for transposes; a pool over all of space is a mean."""
    names = Counter(op.name for op in module.walk())
    names["graph.reduce_mean"] += names.pop("graph.global_avg_pool", 0)
    names.pop("graph.transpose", None)
    return names


def check_transposes(module: ModuleOp) -> None:
    """Raise unless transposes stand beside inputs and outputs, at most one each."""
    transposes = [op for op in module.walk() if isinstance(op, TransposeOp)]
    for op in transposes:
        readers = [use.operation for use in op.result.uses]
        at_end = len(readers) == 1 and isinstance(readers[0], SaveOp)
        assert isinstance(op.input.owner, LoadOp) or at_end
    assert len(transposes) <= 2


@cache
def small(name: str) -> ModelProto:
    return models.TWINS[name](**SMALL[name])


@pytest.mark.slow
@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("name", SMALL)
def test_channels_last_is_the_same_graph(name: str, affine: bool) -> None:
    first = at_graph_level(small(name))
    last = at_graph_level(models.channels_last(small(name), affine))
    assert ops_of(last) == ops_of(first)
    check_transposes(first)
    check_transposes(last)
    assert all(not isinstance(op, TransposeOp) for op in first.walk())
