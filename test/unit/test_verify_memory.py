"""No change of a program that makes it read or write other bytes is accepted."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import ModelProto
from random_models import networks
from shadow_memory import find_fault
from small_onnx import model, node
from xdsl.dialects.builtin import (
    IntegerAttr,
    ModuleOp,
    StridedLayoutAttr,
    StringAttr,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException

import glow
from glow.analysis.validity import verify_module
from glow.dialects.memory.address import find_addressing
from glow.dialects.memory.base import Buffer, buffer_type
from glow.dialects.memory.storage import AllocOp, PlaceholderOp, ViewOp
from glow.graph_modules import context
from glow.pass_manager import parse_passes, pipeline_text, run_passes
from glow.passes.memory.verify_memory import VerifyMemoryPass
from glow.pipeline import stages_between


def at_memory(model: ModelProto) -> ModuleOp:
    module = glow.load(model).module
    text = pipeline_text(stages_between("import", "memory"), "cpu")
    run_passes(parse_passes(text), context(), module)
    return module


def ops_of(module: ModuleOp) -> list[Operation]:
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    ops = list(function.body.block.ops)
    return [op for op in ops if not op.has_trait(IsTerminator)]


def drop(module: ModuleOp, random: Random) -> None:
    unused = [op for op in ops_of(module) if not any(r.uses for r in op.results)]
    if unused:
        op = random.choice(unused)
        op.detach()
        op.erase()


def move(module: ModuleOp, random: Random) -> None:
    ops = ops_of(module)
    op, place = random.choice(ops), random.choice(ops)
    if op is not place and op.parent is not None:
        op.detach()
        block = place.parent
        assert block is not None
        block.insert_op_before(op, place)


def repeat(module: ModuleOp, random: Random) -> None:
    ops = ops_of(module)
    op, place = random.choice(ops), random.choice(ops)
    block = place.parent
    assert block is not None
    block.insert_op_before(op.clone(), place)


def use_another(module: ModuleOp, random: Random) -> None:
    ops = ops_of(module)
    op = random.choice([op for op in ops if op.operands])
    at = random.randrange(len(op.operands))
    values = [
        result
        for other in ops
        for result in other.results
        if result.type == op.operands[at].type
    ]
    op.operands[at] = random.choice(values)


def shift_buffer(module: ModuleOp, random: Random) -> None:
    allocs = [op for op in ops_of(module) if isinstance(op, AllocOp)]
    if allocs:
        op = random.choice(allocs)
        assert op.offset is not None
        by = random.choice((-1024, -64, -4, 4, 64, 1024))
        op.offset = IntegerAttr(max(0, op.offset.value.data + by), i64)


def shrink_arena(module: ModuleOp, random: Random) -> None:
    size = module.attributes["glow.arena_bytes"]
    assert isinstance(size, IntegerAttr)
    by = random.choice((1, 64, 4096))
    module.attributes["glow.arena_bytes"] = IntegerAttr(size.value.data - by, i64)


def shift_view(module: ModuleOp, random: Random) -> None:
    views = [op for op in ops_of(module) if isinstance(op, ViewOp)]
    views = [op for op in views if find_addressing(buffer_type(op.result)) is not None]
    if not views:
        return
    op = random.choice(views)
    type_ = buffer_type(op.result)
    place = find_addressing(type_)
    assert place is not None
    strides, offset = list(place.strides), place.offset
    if strides and random.random() < 0.5:
        at = random.randrange(len(strides))
        strides[at] += random.choice((-1, 1, strides[at]))
    else:
        offset += random.choice((-8, -1, 1, 8))
    if offset < 0:
        return
    layout = StridedLayoutAttr(strides, offset)
    moved = ViewOp(op.source, Buffer(type_.element_type, type_.get_shape(), layout))
    block = op.parent
    assert block is not None
    block.insert_op_before(moved, op)
    op.result.replace_all_uses_with(moved.result)
    op.detach()
    op.erase()


def turn_placeholder(module: ModuleOp, random: Random) -> None:
    op = random.choice([op for op in module.ops if isinstance(op, PlaceholderOp)])
    op.direction = StringAttr(random.choice(("in", "out", "inout")))


MUTATIONS: tuple[Callable[[ModuleOp, Random], None], ...] = (
    *(drop, move, repeat, use_another),
    *(shift_buffer, shrink_arena, shift_view, turn_placeholder),
)


def is_valid(module: ModuleOp) -> bool:
    try:
        verify_module(module)
    except VerifyException:
        return False
    return True


def is_accepted(module: ModuleOp) -> bool:
    try:
        VerifyMemoryPass().apply(context(), module)
    except VerifyException:
        return False
    return True


def check(model: ModelProto, seed: int, times: int) -> tuple[int, int, int]:
    """Return how many changes of a program are wrong, right, and right but refused."""
    module, random = at_memory(model), Random(seed)
    assert is_accepted(module)
    assert find_fault(module) is None
    wrong = right = too_strict = 0
    for _ in range(times):
        changed = module.clone()
        mutation = random.choice(MUTATIONS)
        mutation(changed, random)
        if not is_valid(changed):
            continue
        fault, accepted = find_fault(changed), is_accepted(changed)
        assert fault is None or not accepted, f"{fault}:\n{changed}"
        wrong += fault is not None
        right += fault is None
        too_strict += fault is None and not accepted
    return wrong, right, too_strict


@pytest.mark.slow
@settings(max_examples=15)
@given(networks(), st.integers(0, 2**32))
def test_no_wrong_change_is_accepted(model: ModelProto, seed: int) -> None:
    check(model, seed, 12)


@pytest.mark.full
@settings(max_examples=250)
@given(networks(), st.integers(0, 2**32))
def test_no_wrong_change_is_accepted_of_many(model: ModelProto, seed: int) -> None:
    check(model, seed, 60)


def test_parts_that_are_read_in_blocks_are_written() -> None:
    """A transposition to blocks is written part by part, then read as a whole."""
    nodes = [
        node("Conv", "x w", "c", group=5),
        node("Atan", "c", "a"),
        node("SpaceToDepth", "a", "d", blocksize=2),
        node("Reshape", "d shape", "y"),
    ]
    w = np.ones((5, 1, 2, 2), np.float32)
    weights = {"w": w, "shape": np.array([1, 80, 2], np.int64)}
    at_memory(model(nodes, {"x": (1, 5, 9, 5)}, ["y"], weights))


def test_nothing_is_written_to_an_output_without_elements() -> None:
    pads = {"pads": np.array([0, 0, 3, 0], np.int64)}
    at_memory(model([node("Pad", "x pads", "y")], {"x": (9, 0)}, ["y"], pads))
