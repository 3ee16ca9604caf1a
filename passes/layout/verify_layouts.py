"""Prove that every op finds its operands in a layout that it can run in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import GraphOp, Slot
from glow.dialects.graph.movement import ReshapeOp, TransposeOp
from glow.dialects.graph.storage import ConstantOp, LoadOp, PlaceholderOp, SaveOp
from glow.dialects.layout.attribute import layout_of
from glow.dialects.layout.transform import TransformOp
from glow.passes.layout._carrying import (
    Ask,
    asking,
    differs,
    has_maps,
    is_strided,
    layout_in,
    whole_layout_of,
)
from glow.support.layout import Layout, print_layout, reshaped
from glow.support.locations import name_of
from glow.support.targets import LayoutChoice
from glow.support.types import Tensor, shape_of


@dataclass(frozen=True)
class VerifyLayoutsPass(ModulePass):
    """
    Raise unless each op can run on `target` in the layouts that its values have.

    Ops that the target asks something of have what it asks, or one of the choices.
    Ops that carry layouts have strides along each axis, or one layout for all;
    transposes and reshapes keep bytes. All others are row-major. Loads and saves have
    the layout of their symbol.

    Level: layout -> layout. Needs: nothing; changes nothing.
    Errors: the first op that cannot, its operand or result, what it expected and got.
    """

    name = "verify-layouts"

    target: str = "cpu"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        ask = asking(self.target)
        symbols = _symbols(op)
        for inner in op.walk():
            for message in _problems(inner, ask, symbols):
                raise VerifyException(f"{inner.name} at {name_of(inner)}: {message}")


@dataclass(frozen=True)
class _Slot:
    """An operand or result, and the layout that it should have."""

    name: str
    value: SSAValue
    layout: Layout | None

    @property
    def is_right(self) -> bool:
        return not differs(self.value, self.layout)

    def problem(self) -> str:
        layout = self.layout
        if layout is None or layout.is_row_major:
            text = "row-major"
        else:
            text = print_layout(layout)
        return f"expected {self.name} in {text}, got {self.value.type}"


def _problems(op: Operation, ask: Ask, symbols: dict[str, Attribute]) -> Iterator[str]:
    yield from _ranks(op)
    if isinstance(op, LoadOp | SaveOp):
        yield from _symbol_problem(op, symbols)
    elif isinstance(op, TransformOp) or not isinstance(op, GraphOp):
        return
    elif choices := ask(op):
        yield from _choice_problem(op, choices)
    elif isinstance(op, ReshapeOp | TransposeOp):
        yield from _movement_problem(op)
    elif has_maps(op):
        yield from _carrying_problem(op)
    else:
        slots = [_Slot(name, value, None) for name, value in _values(op)]
        yield from (slot.problem() for slot in slots if not slot.is_right)


def _ranks(op: Operation) -> Iterator[str]:
    """Yield the layouts that do not fit the rank of their type."""
    blocks: list[Block] = [block for region in op.regions for block in region.blocks]
    types = [value.type for value in (*op.operands, *op.results)]
    types += [argument.type for block in blocks for argument in block.args]
    types += [op.type] if isinstance(op, ConstantOp | PlaceholderOp) else []
    for type_ in types:
        try:
            if isinstance(type_, TensorType):
                layout_of(cast(Tensor, type_))
        except VerifyException as error:
            yield str(error)


def _symbol_problem(
    op: LoadOp | SaveOp, symbols: dict[str, Attribute]
) -> Iterator[str]:
    symbol = op.symbol.string_value()
    value = op.result if isinstance(op, LoadOp) else op.value
    if symbol in symbols and symbols[symbol] != value.type:
        yield f"expected {symbols[symbol]} as @{symbol} has, got {value.type}"


def _choice_problem(op: GraphOp, choices: Sequence[LayoutChoice]) -> Iterator[str]:
    """Yield what is wrong with the choice that least is wrong with."""
    names, values = zip(*_values(op), strict=True)
    wrong: list[list[_Slot]] = []
    for choice in choices:
        layouts = [layout_in(a) for a in (*choice.operands, *choice.results)]
        slots = map(_Slot, names, values, layouts)
        wrong.append([slot for slot in slots if not slot.is_right])
    yield from (slot.problem() for slot in min(wrong, key=len))


def _movement_problem(op: ReshapeOp | TransposeOp) -> Iterator[str]:
    layout = whole_layout_of(op.input)
    if isinstance(op, TransposeOp):
        expected = layout.transposed(op.parameters()["permutation"])
    else:
        expected = reshaped(layout, shape_of(op.input), shape_of(op.result))
        if expected is None and 0 not in shape_of(op.result):
            yield f"expected an input whose axes merge in place, got {op.input.type}"
            return
    slot = _Slot("result", op.result, expected)
    if not slot.is_right:
        yield slot.problem()


def _carrying_problem(op: GraphOp) -> Iterator[str]:
    values = _values(op)
    if len({(shape_of(value), layout_of(value)) for _, value in values}) == 1:
        return
    for name, value in values:
        if not is_strided(layout_of(value), value):
            yield f"expected {name} in an unblocked layout, got {value.type}"


def _values(op: GraphOp) -> list[tuple[str, SSAValue]]:
    """Return the operands and results with their names, in order."""
    found: list[tuple[str, SSAValue]] = []
    definition = op.get_irdl_definition()
    for name, _ in (*definition.operands, *definition.results):
        slot = cast(Slot, getattr(op, name))
        if isinstance(slot, SSAValue):
            found.append((name, slot))
        elif slot is not None:
            found += [(f"{name}[{i}]", value) for i, value in enumerate(slot)]
    return found


def _symbols(module: ModuleOp) -> dict[str, Attribute]:
    """Return the types of placeholders and constants by name."""
    return {
        op.sym_name.data: op.type
        for op in module.body.ops
        if isinstance(op, PlaceholderOp | ConstantOp)
    }
