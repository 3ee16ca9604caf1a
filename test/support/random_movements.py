"""Random programs that only move data: transforms, transposes and reshapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.dialects.builtin import (
    DictionaryAttr,
    FileLineColLoc,
    IntAttr,
    ModuleOp,
    StringAttr,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from glow.dialects.graph.movement import ReshapeOp, TransposeOp
from glow.dialects.graph.storage import ConstantOp, LoadOp, PlaceholderOp, SaveOp
from glow.dialects.layout.attribute import layout_of, with_layout
from glow.dialects.layout.transform import TransformOp
from glow.support.layout import Dim, Layout, reshaped, row_major
from glow.support.types import dtype_of, shape_of, tensor

ALIGNMENTS = (1, 1, 1, 1, 8, 64)
EXTENTS = (1, 2, 3, 4, 6, 8, 17)


@st.composite
def layouts(draw: st.DrawFn, rank: int) -> Layout:
    """Any order of axes and blocks, some of it aligned, with a halo or without."""
    dims: list[Dim] = []
    for axis in range(rank):
        stride = 1
        for extent in draw(st.lists(st.sampled_from((2, 3, 4, 8)), max_size=2)):
            dims.append(Dim(axis, extent, stride))
            stride *= extent
        dims.append(Dim(axis, None, stride))
    dims = draw(st.permutations(dims))
    aligned = [
        Dim(d.axis, d.extent, d.stride, draw(st.sampled_from(ALIGNMENTS)))
        for d in dims[:-1]
    ]
    pads = st.tuples(st.integers(0, 1), st.integers(0, 2))
    has_halo = draw(st.integers(0, 2)) == 0
    halo = [draw(pads) if has_halo else (0, 0) for _ in range(rank)]
    return Layout([*aligned, *dims[-1:]], halo)


@st.composite
def shapes(draw: st.DrawFn) -> tuple[int, ...]:
    rank = draw(st.integers(0, 4))
    return tuple(draw(st.sampled_from(EXTENTS)) for _ in range(rank))


@dataclass
class Program:
    """A module under construction: values on their way from `x` to saved results."""

    element: Attribute
    block: Block = field(default_factory=Block)
    symbols: list[Operation] = field(default_factory=lambda: [])
    results: int = 0

    def add(self, op: Operation) -> SSAValue:
        self.do(op)
        return op.results[0]

    def do(self, op: Operation) -> None:
        number = IntAttr(len(self.block.ops) + 1)
        op.location = FileLineColLoc(StringAttr("random"), number, IntAttr(1))
        self.block.add_op(op)

    def input(self, name: str, shape: Sequence[int]) -> SSAValue:
        type_ = tensor(self.element, shape)
        self.symbols.append(PlaceholderOp(name, "in", type_))
        return self.add(LoadOp(name, type_))

    def constant(self, name: str, array: NDArray[Any]) -> SSAValue:
        self.symbols.append(ConstantOp(name, array))
        return self.add(LoadOp(name, tensor(self.element, array.shape)))

    def save(self, value: SSAValue) -> None:
        """Save `value`, brought into row-major order."""
        plain = (
            value if layout_of(value) is None else self.add(TransformOp(value, None))
        )
        name = f"y{self.results}"
        self.results += 1
        type_ = tensor(self.element, shape_of(value))
        self.symbols.append(PlaceholderOp(name, "out", type_))
        self.do(SaveOp(name, plain))

    def finish(self) -> ModuleOp:
        self.block.add_op(ReturnOp())
        main = FuncOp("main", ((), ()), Region(self.block))
        # With this note, layouts and transforms are compiled as they stand.
        note: dict[str, Attribute] = {"layout.assignment": DictionaryAttr({})}
        module = ModuleOp([*self.symbols, main], note)
        module.verify()
        return module


def transposed(program: Program, value: SSAValue, order: Sequence[int]) -> SSAValue:
    """Append a transpose that keeps the bytes of `value`."""
    layout = layout_of(value) or row_major(len(order))
    op = TransposeOp(value, permutation=list(order))
    return program.add(_in(layout.transposed(order), op))


def reshape(
    program: Program, value: SSAValue, shape: tuple[int, ...]
) -> SSAValue | None:
    """Append a reshape that keeps the bytes of `value`, if there is one."""
    layout = layout_of(value) or row_major(len(shape_of(value)))
    found = reshaped(layout, shape_of(value), shape)
    if found is None:
        return None
    return program.add(_in(found, ReshapeOp(value, shape=list(shape))))


def _in(layout: Layout, op: TransposeOp | ReshapeOp) -> Operation:
    """Return `op` with its result in `layout`."""
    Rewriter.replace_value_with_new_type(op.result, with_layout(op.result, layout))
    return op


@st.composite
def programs(
    draw: st.DrawFn, element: Attribute, steps: int = 4, constants: bool = True
) -> tuple[ModuleOp, NDArray[Any]]:
    """A chain with side branches, and what to feed to it as `x`."""
    shape = draw(shapes())
    x = np.arange(1, prod(shape) + 1).reshape(shape) % (
        2 if str(element) == "i1" else 251
    )
    x = np.asarray(x, dtype_of(element))
    program = Program(element)
    known = constants and draw(st.integers(0, 3)) == 0
    value = program.input("x", shape)
    if known:
        value = program.constant("w", x if draw(st.booleans()) else np.full_like(x, 1))
    for _ in range(draw(st.integers(1, steps))):
        value = draw(_steps(program, value))
        if draw(st.integers(0, 4)) == 0:
            program.save(value)
    program.save(value)
    return program.finish(), x


@st.composite
def _steps(draw: st.DrawFn, program: Program, value: SSAValue) -> SSAValue:
    shape = shape_of(value)
    kind = draw(st.sampled_from(("transform", "transform", "transpose", "reshape")))
    if kind == "transpose":
        return transposed(program, value, draw(st.permutations(range(len(shape)))))
    if kind == "reshape":
        split = draw(st.sampled_from(_splits(shape)))
        found = reshape(program, value, split)
        if found is not None:
            return found
    op = TransformOp(value, draw(layouts(len(shape))))
    return program.add(op)


def _splits(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return shapes with two axes merged, with one split, and with an axis of 1."""
    found = [
        (*shape[:i], shape[i] * shape[i + 1], *shape[i + 2 :])
        for i in range(len(shape) - 1)
    ]
    found += [
        (*shape[:i], factor, n // factor, *shape[i + 1 :])
        for i, n in enumerate(shape)
        for factor in (2, 3)
        if n % factor == 0
    ]
    return [*found, (1, *shape)]
