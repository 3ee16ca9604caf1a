"""Folding of transforms: same results, never more movements, no place forgotten."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_movements import Program, programs, reshape, transposed
from xdsl.dialects.builtin import ModuleOp, UnknownLoc, f32, i1, i64
from xdsl.ir import Attribute

import glow
from glow.dialects.graph.storage import (
    ConstantOp,
    LiteralOp,
    LoadOp,
    PlaceholderOp,
    SaveOp,
)
from glow.dialects.layout.transform import TransformOp
from glow.graph_modules import context
from glow.passes.layout.fold_layout_transforms import FoldLayoutTransformsPass
from glow.passes.layout.verify_layouts import VerifyLayoutsPass
from glow.support.layout import parse_layout
from glow.support.locations import fuse
from glow.support.types import dtype_of, size_bytes, tensor_type

Array = np.ndarray[Any, Any]


def folded(module: ModuleOp) -> ModuleOp:
    new = module.clone()
    FoldLayoutTransformsPass().apply(context(), new)
    new.verify()
    VerifyLayoutsPass(target="reference-checked").apply(context(), new)
    return new


def movements(module: ModuleOp) -> list[TransformOp]:
    return [op for op in module.walk() if isinstance(op, TransformOp)]


@pytest.mark.slow
@settings(max_examples=60)
@given(st.data())
@pytest.mark.parametrize("element", [f32, i64, i1], ids=str)
def test_random_programs_compute_the_same_with_no_more_movements(
    element: Attribute, data: st.DataObject
) -> None:
    module, x = data.draw(programs(element, steps=6))
    new = folded(module)
    assert len(movements(new)) <= len(movements(module))
    assert sum(size_bytes(op.result) for op in movements(new)) <= sum(
        size_bytes(op.result) for op in movements(module)
    )
    (main,) = (op for op in new.body.ops if op.name == "func.func")
    inner = main.regions[0].block.ops
    assert not any(isinstance(op.location, UnknownLoc) for op in list(inner)[:-1])
    want = glow.compile(module, "reference-checked").run({"x": x})
    found = glow.compile(new, "reference-checked").run({"x": x})
    for name, array in want.items():
        np.testing.assert_array_equal(found[name], array)


@pytest.mark.slow
@settings(max_examples=20)
@given(programs(f32, steps=4))
def test_folded_programs_run_on_the_cpu(case: tuple[ModuleOp, Array]) -> None:
    module, x = case
    want = glow.compile(module, "reference").run({"x": x})
    found = glow.compile(folded(module), "cpu").run({"x": x})
    for name, array in want.items():
        np.testing.assert_array_equal(found[name], array)


def test_a_merged_transpose_is_turned_again() -> None:
    program = Program(f32)
    columns = transposed(program, program.input("x", (2, 2)), (1, 0))
    merged = reshape(program, columns, (4,))
    assert merged is not None
    program.save(transposed(program, merged, (0,)))
    x = np.arange(4, dtype=np.float32).reshape(2, 2)
    found = glow.compile(program.finish(), "cpu").run({"x": x})
    np.testing.assert_array_equal(found["y0"], x.T.reshape(4))


def constant_in(array: Array, layout: str) -> ModuleOp:
    """Return a module that transforms constant `w` to `layout` and saves it."""
    element = {4: f32, 1: i1}[array.itemsize]
    assert dtype_of(element) == array.dtype
    program = Program(element)
    value = program.constant("w", array)
    laid = program.add(TransformOp(value, parse_layout(layout)))
    program.save(laid)
    return program.finish()


def bits(*patterns: int) -> Array:
    return np.array(patterns, np.uint32).view(np.float32).reshape(1, -1)


@pytest.mark.parametrize(
    "array",
    [
        bits(0x7FC00001, 0x7FC00001),
        bits(0x80000000, 0x80000000),
        np.ones((3, 5), np.bool_),
        np.full((2, 3, 4, 5), 7, np.float32)[0, 0],
    ],
)
def test_what_repeats_its_bits_becomes_one_element(array: Array) -> None:
    module = constant_in(array, "[1:?:4, 0, 1:4]")
    new = folded(module)
    assert not any(isinstance(op, ConstantOp | LoadOp) for op in new.walk())
    (literal,) = (op for op in new.walk() if isinstance(op, LiteralOp))
    assert len(literal.value.data.data) == array.itemsize
    assert literal.array.tobytes() == array.tobytes()


@pytest.mark.parametrize("target", ["reference-checked", "cpu"])
def test_a_splat_in_a_layout_is_read_back(target: str) -> None:
    """Also where the layout has room that the splat must not fill."""
    program = Program(f32)
    value = program.constant("w", np.full((3, 19, 2, 2), -2.5, np.float32))
    program.input("x", ())
    for text in ("NCHW8c", "NHWC, halo = [0, 0, 1, 1]", "NCHW"):
        value = program.add(TransformOp(value, parse_layout(text)))
        program.save(value)
    new = folded(program.finish())
    assert not movements(new)
    found = glow.compile(new, target).run({"x": np.float32([0]).reshape(())})
    for array in found.values():
        np.testing.assert_array_equal(array, np.full((3, 19, 2, 2), -2.5))


@pytest.mark.parametrize(
    "array",
    [
        bits(0x7FC00001, 0x7FC00002),
        bits(0, 0x80000000),
        bits(0, 0x80000000, 0),
        np.zeros((0, 3), np.float32),
    ],
)
def test_what_differs_in_a_bit_is_packed(array: Array) -> None:
    new = folded(constant_in(array, "[1:?:4, 0, 1:4]"))
    (constant,) = (op for op in new.walk() if isinstance(op, ConstantOp))
    assert constant.array is not None
    kept = constant.array.tobytes()
    assert all(bytes(element) in kept for element in array.reshape(-1))


def test_a_constant_that_others_read_stays() -> None:
    program = Program(f32)
    value = program.constant("w", np.arange(6, dtype=np.float32).reshape(2, 3))
    program.save(program.add(TransformOp(value, parse_layout("[1, 0]"))))
    program.save(value)
    new = folded(program.finish())
    names = {op.sym_name.data for op in new.walk() if isinstance(op, ConstantOp)}
    assert names == {"w"}


@pytest.mark.parametrize("between", [False, True])
def test_what_is_made_of_two_is_where_both_were(between: bool) -> None:
    program = Program(f32)
    value = program.input("x", (2, 3))
    value = program.add(TransformOp(value, parse_layout("[0:?:2, 1, 0:2]")))
    if between:
        value = transposed(program, value, (1, 0))
    value = program.add(TransformOp(value, parse_layout("[1:?:4, 0, 1:4]")))
    program.symbols.append(PlaceholderOp("y", "out", tensor_type(value)))
    program.do(SaveOp("y", value))
    module = program.finish()
    first, second = movements(module)
    (only,) = movements(folded(module))
    assert only.location == fuse(first.location, second.location)
