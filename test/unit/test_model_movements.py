"""What whole networks still move when they run, and that axis order changes nothing."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import models
import pytest
from models.builder import Graph
from onnx import ModelProto
from sizes import but_for_the_largest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from glow.analysis.copies import copies_in
from glow.dialects.memory.address import find_addressing
from glow.dialects.memory.base import MemoryOp, buffer_type
from glow.dialects.memory.elementwise import CopyOp
from glow.formats.onnx import import_model
from glow.graph_modules import context
from glow.pass_manager import plan, run_part

TARGET = "cpu:avx2"

TWINS = {
    "mobilenet_v2": {"width": 0.25, "size": 96},
    "resnet50": {"width": 8, "size": 96},
}


def lowered(model: ModelProto, target: str = TARGET) -> ModuleOp:
    """Return `model` at the memory level."""
    module, ctx = import_model(model), context()
    for part in plan("import", "memory", target):
        run_part(part, ctx, module)
    return module


def places(module: ModuleOp) -> tuple[int, ...]:
    """Return how many copies there are of inputs, inside, and of outputs."""
    found = Counter(move.place for move in copies_in(module))
    return found["input"], found["inside"], found["output"]


@pytest.mark.slow
@pytest.mark.parametrize("name", models.FILES)
def test_networks_over_images_copy_their_input_only(name: str) -> None:
    assert places(lowered(models.skeleton(name))) == (1, 0, 0)


def test_images_are_resized_right_into_what_they_are_joined_to() -> None:
    assert places(lowered(models.unet(width=8, size=32))) == (1, 0, 0)


@pytest.mark.slow
def test_networks_of_products_copy_nothing() -> None:
    assert places(lowered(models.mlp())) == (0, 0, 0)
    assert places(lowered(models.encoder(layers=2))) == (0, 0, 0)


def segmentation(kernel: int) -> ModelProto:
    """Return a network of convolutions from pixels to classes of pixels."""
    graph, value, pad = Graph(0), "image", kernel // 2
    for i, (columns, rows) in enumerate(((32, 24), (32, 32), (40, 32))):
        filter = graph.normal(f"{i}.w", columns, rows, kernel, kernel, std=0.1)
        bias = graph.normal(f"{i}.b", columns, std=0.1)
        value = graph.add("Conv", str(i), value, filter, bias, pads=[pad] * 4)
        value = graph.add("Relu", str(i), value)
    return graph.model("classes", value, {"image": (1, 24, 20, 20)}, (1, 40, 20, 20))


def test_convolutions_read_and_write_channels_first() -> None:
    assert places(lowered(segmentation(1))) == (0, 0, 0)


def test_an_image_is_copied_for_its_border_alone() -> None:
    assert places(lowered(segmentation(3))) == (1, 0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["cpu:sse2", "cpu:avx512", "cpu:neon"])
def test_shuffles_are_stores_whatever_the_registers(target: str) -> None:
    assert places(lowered(models.skeleton("shufflenet"), target)) == (1, 0, 0)


def address(buffer: SSAValue) -> str:
    """Return where elements lie, however the type says it."""
    type_ = buffer_type(buffer)
    found = find_addressing(type_)
    if found is None:
        return str(type_)
    pairs = zip(found.shape, found.strides, strict=True)
    strides = [stride if extent > 1 else 0 for extent, stride in pairs]
    return f"{type_.element_type} {found.shape} {strides} {found.offset}"


def calls(module: ModuleOp) -> Counter[str]:
    """Return the ops that compute, with what they read and write and how."""
    return Counter(
        f"{what(op)} {[address(value) for value in op.operands]}"
        for op in module.walk()
        if isinstance(op, MemoryOp) and not isinstance(op, CopyOp)
    )


def what(op: MemoryOp) -> str:
    """Return what `op` computes; a pool of all of space is a mean along its axes."""
    if op.title in ("graph.global_avg_pool", "graph.reduce_mean"):
        return "mean"
    return f"{[inner.name for inner in op.walk()]} {op.properties}"


def check_twins(model: ModelProto, affine: bool) -> None:
    """Compare `model` with the same network over images with channels last."""
    first, last = lowered(model), lowered(models.channels_last(model, affine))
    for module in (first, last):
        inputs, *others = places(module)
        assert (inputs <= 1, *others) == (True, 0, 0)
    assert calls(first) == calls(last)
    for key in ("glow.arena_bytes", "glow.arena_lower_bound"):
        assert first.attributes[key] == last.attributes[key]


@lru_cache(maxsize=1)
def twin(name: str) -> ModelProto:
    return models.TWINS[name](**TWINS[name])


@pytest.mark.slow
@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("name", TWINS)
def test_axis_order_changes_nothing_behind_the_input(name: str, affine: bool) -> None:
    check_twins(twin(name), affine)


# Between them: residuals, sums of branches, shuffles, and a flattened image.
@pytest.mark.slow
@pytest.mark.parametrize(
    "name", but_for_the_largest(["densenet121", "shufflenet", "zfnet512"])
)
def test_axis_order_changes_nothing_in_large_networks(name: str) -> None:
    check_twins(models.light(name), affine=True)
