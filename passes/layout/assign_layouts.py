"""Give every value the physical order in which the target works best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from glow.analysis.constants import constant_behind
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.movement import ReshapeOp
from glow.dialects.layout.attribute import layout_of, same_bytes, with_layout
from glow.dialects.layout.transform import TransformOp
from glow.passes.layout._carrying import (
    Ask,
    asking,
    carried,
    differs,
    has_maps,
    layout_in,
    leads,
    reshaping,
    wanted,
    whole_layout_of,
    wish_for,
)
from glow.support.layout import Layout, row_major
from glow.support.targets import LayoutChoice
from glow.support.types import shape_of, size_bytes


@dataclass(frozen=True)
class AssignLayoutsPass(ModulePass):
    """
    Lay values out as `target` asks, and insert transforms where two layouts meet.

    Ops that the target asks nothing of pass on what they get: a transposed or reshaped
    value keeps its bytes. A value is transformed once per layout. Arguments,
    placeholders and what leaves a function keep the layouts that they have.

    Level: graph -> layout. Needs: nothing. Then: fold-layout-transforms.
    """

    name = "assign-layouts"

    target: str = "cpu"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        ask = asking(self.target)
        for function in op.walk():
            if isinstance(function, FuncOp):
                for block in function.body.blocks:
                    _Assignment(ask).run(block)


@dataclass
class _Assignment:
    """The layouts of the values of one block, op after op."""

    ask: Ask
    given: dict[SSAValue, Layout | None] = field(default_factory=lambda: {})
    """The layout that a value had, where it has another."""
    made: dict[tuple[SSAValue, Layout | None], SSAValue] = field(
        default_factory=lambda: {}
    )
    """What a value was transformed to, by layout; None is row-major."""

    def run(self, block: Block) -> None:
        for op in list(block.ops):
            self._visit(op)

    def _visit(self, op: Operation) -> None:
        if isinstance(op, TransformOp):
            return
        choices = self.ask(op)
        if choices:
            self._choose(op, choices)
        elif isinstance(op, ReshapeOp):
            self._reshape(op)
        elif isinstance(op, GraphOp) and has_maps(op):
            self._carry(op)
        elif isinstance(op, GraphOp):
            self._set(op, [None] * len(op.operands), [None] * len(op.results))
        else:
            for index, value in enumerate(op.operands):
                if value in self.given:
                    self._lay_out(op, index, self.given[value])

    def _choose(self, op: Operation, choices: Sequence[LayoutChoice]) -> None:
        """Run `op` in the choice that costs least, moved bytes included."""
        wishes = [wish_for(result) for result in op.results]

        def cost(choice: LayoutChoice) -> float:
            pairs = zip(op.operands, choice.operands, strict=True)
            before = sum(_moved(v, layout_in(a)) for v, a in pairs)
            made = zip(op.results, wishes, choice.results, strict=True)
            after = sum(
                size_bytes(result)
                for result, wish, a in made
                if wish is not None and not same_bytes(wish, layout_in(a), result.type)
            )
            return choice.cost + before + after

        best = min(choices, key=cost)
        operands = [layout_in(a) for a in best.operands]
        self._set(op, operands, [layout_in(a) for a in best.results])

    def _reshape(self, op: ReshapeOp) -> None:
        found = reshaping(
            whole_layout_of(op.input), shape_of(op.input), shape_of(op.result)
        )
        self._set(op, [found.operand], [found.result])

    def _carry(self, op: GraphOp) -> None:
        """Let the results follow the operand that moves the fewest bytes of others."""
        candidates = {
            carried(op, i, 0, whole_layout_of(op.operands[i])): i
            for i in reversed(range(len(op.operands)))
            if leads(op, i)
        }
        plain = row_major(len(shape_of(op.results[0])))
        if not candidates:
            candidates = {plain: 0}

        def cost(layout: Layout) -> tuple[int, bool, int]:
            moved = sum(
                _moved(value, wanted(op, i, layout))
                for i, value in enumerate(op.operands)
            )
            return moved, layout == plain, candidates[layout]

        best = (
            min(candidates, key=cost) if len(candidates) > 1 else next(iter(candidates))
        )
        leader = candidates[best]
        operands = [wanted(op, i, best) for i in range(len(op.operands))]
        others = [
            carried(op, leader, r, operands[leader]) for r in range(1, len(op.results))
        ]
        self._set(op, operands, [best, *others])

    def _set(
        self,
        op: Operation,
        operands: Sequence[Layout | None],
        results: Sequence[Layout | None],
    ) -> None:
        for index, layout in enumerate(operands):
            self._lay_out(op, index, layout)
        for result, layout in zip(tuple(op.results), results, strict=True):
            type_ = with_layout(result, layout)
            if type_ != result.type:
                given = layout_of(result)
                new = Rewriter.replace_value_with_new_type(result, type_)
                self.given[new] = given

    def _lay_out(self, op: Operation, index: int, layout: Layout | None) -> None:
        """Make operand `index` of `op` have `layout`, by a transform if it must be."""
        value = op.operands[index]
        if differs(value, layout):
            op.operands[index] = self._transformed(value, layout, op)

    def _transformed(
        self, value: SSAValue, layout: Layout | None, user: Operation
    ) -> SSAValue:
        source = value
        while isinstance(source.owner, TransformOp):
            source = source.owner.input
        if not differs(source, layout):
            return source
        key = (source, layout_of(with_layout(source, layout)))
        if key not in self.made:
            op = TransformOp(source, layout)
            op.location = user.location
            op.result.name_hint = source.name_hint
            Rewriter.insert_op(op, InsertPoint.before(user))
            self.made[key] = op.result
        return self.made[key]


def _moved(value: SSAValue, layout: Layout | None) -> int:
    """Return how many bytes a run moves to have `value` in `layout`."""
    if not differs(value, layout) or constant_behind(value):
        return 0
    return size_bytes(value)
