"""Prove that every op finds its operands in a layout that it can run in."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import AnyTensorType, ModuleOp, TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException

from glow.analysis.movements import layout_after, whole_layout_of
from glow.analysis.symbols import named_in
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.movement import ReshapeOp, TransposeOp
from glow.dialects.graph.storage import ConstantOp, LoadOp, PlaceholderOp, SaveOp
from glow.dialects.layout.attribute import is_alike, layout_of, same_bytes
from glow.dialects.layout.transform import TransformOp
from glow.passes.layout.carrying import accepts, asked_layout, has_maps
from glow.support.layout import print_layout
from glow.support.locations import name_of
from glow.support.op_construction import Slot
from glow.support.targets import AnyOrder, Asked, LayoutChoice, TargetQueries
from glow.support.types import shape_of, tensor_type
from glow.support.walking import operands_of, ops_in


@dataclass(frozen=True)
class VerifyLayoutsPass(ModulePass):
    """
    Check that each op can run on `target` in the layouts of its values.

    Ops for which the target offers layouts have one of these. Ops that pass layouts on
    do so in a way that the target can run; transposes and reshapes keep bytes. All
    others are row-major. Loads and saves have the layout of their symbol.

    Level: layout -> layout. Needs: nothing; changes nothing.
    Errors: the first op that cannot run, its operand or result, expected and got.
    """

    name = "verify-layouts"

    target: str = "cpu"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        queries = TargetQueries.of(self.target)
        storage = named_in(op, PlaceholderOp, ConstantOp)
        symbols = {name: each.type for name, each in storage.items()}
        for inner in ops_in(op.body):
            for message in _problems(inner, queries, symbols):
                raise VerifyException(f"{inner.name} at {name_of(inner)}: {message}")


@dataclass(frozen=True)
class _Slot:
    """An operand or result, and the request for its layout."""

    name: str
    value: SSAValue
    asked: Asked

    @property
    def is_right(self) -> bool:
        return _is_right(self.value, self.asked)

    def problem(self) -> str:
        return f"expected {self.name} in {self._expected()}, got {self.value.type}"

    def _expected(self) -> str:
        if isinstance(self.asked, AnyOrder):
            if self.asked.innermost is None:
                return "any order of whole axes"
            axes = " or ".join(map(str, self.asked.innermost))
            return f"an order of whole axes with axis {axes} innermost"
        layout = asked_layout(self.asked, self.value)
        return "row-major" if layout.is_row_major else print_layout(layout)


def _is_right(value: SSAValue, asked: Asked) -> bool:
    return accepts(asked, whole_layout_of(value), value)


def _problems(
    op: Operation, queries: TargetQueries, symbols: dict[str, Attribute]
) -> Iterator[str]:
    yield from _ranks(op)
    if isinstance(op, LoadOp | SaveOp):
        yield from _symbol_problem(op, symbols)
    elif isinstance(op, TransformOp) or not isinstance(op, GraphOp):
        return
    elif choices := queries.layout_choices(
        op, lambda i: (whole_layout_of(op.operands[i]),)
    ):
        yield from _choice_problem(op, choices)
    elif isinstance(op, ReshapeOp | TransposeOp):
        yield from _movement_problem(op)
    elif has_maps(op):
        yield from _carrying_problem(op, queries)
    elif not all(_is_right(value, None) for value in (*op.operands, *op.results)):
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
                layout_of(cast(AnyTensorType, type_))
        except VerifyException as error:
            yield str(error)


def _symbol_problem(
    op: LoadOp | SaveOp, symbols: dict[str, Attribute]
) -> Iterator[str]:
    symbol = op.symbol.string_value()
    value = op.result if isinstance(op, LoadOp) else op.value
    expected = symbols.get(symbol, value.type)
    if not is_alike(value.type, expected):
        yield f"expected {expected} as @{symbol} has, got {value.type}"


def _choice_problem(op: GraphOp, choices: Sequence[LayoutChoice]) -> Iterator[str]:
    """Yield the problems of the choice that has fewest."""
    operands, results = operands_of(op), op.results
    if any(
        all(map(_is_right, operands, choice.operands))
        and all(map(_is_right, results, choice.results))
        for choice in choices
    ):
        return
    names, values = zip(*_values(op), strict=True)
    wrong: list[list[_Slot]] = []
    for choice in choices:
        slots = map(_Slot, names, values, (*choice.operands, *choice.results))
        wrong.append([slot for slot in slots if not slot.is_right])
    yield from (slot.problem() for slot in min(wrong, key=len))


def _movement_problem(op: ReshapeOp | TransposeOp) -> Iterator[str]:
    expected = layout_after(op, whole_layout_of(op.input))
    if expected is None and 0 not in shape_of(op.result):
        yield f"expected an input whose axes merge in place, got {op.input.type}"
    elif not same_bytes(layout_of(op.result), expected, tensor_type(op.result)):
        is_plain = expected is None or expected.is_row_major
        text = "row-major" if expected is None or is_plain else print_layout(expected)
        yield f"expected result in {text}, got {op.result.type}"


def _carrying_problem(op: GraphOp, queries: TargetQueries) -> Iterator[str]:
    """Yield a problem unless all values are row-major or the target can run the op."""
    operands = [whole_layout_of(value) for value in op.operands]
    results = [whole_layout_of(value) for value in op.results]
    if all(layout.is_row_major for layout in (*operands, *results)):
        return
    if queries.carry_cost(op, operands, results) is not None:
        return
    types = ", ".join(f"{name} {value.type}" for name, value in _values(op))
    yield f"expected layouts that target {queries.target.name} can carry, got {types}"


def _values(op: GraphOp) -> list[tuple[str, SSAValue]]:
    """Return the operands and results with their names, in order."""
    values: list[tuple[str, SSAValue]] = []
    definition = op.get_irdl_definition()
    for name, _ in (*definition.operands, *definition.results):
        slot = cast(Slot, getattr(op, name))
        if isinstance(slot, SSAValue):
            values.append((name, slot))
        elif slot is not None:
            values += [(f"{name}[{i}]", value) for i, value in enumerate(slot)]
    return values
