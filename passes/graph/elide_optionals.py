"""Leave out neutral optional operands and unread results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from glow.analysis.uniform import uniform_element
from glow.dialects.graph.base import Array, GraphOp
from glow.dialects.graph.presence import (
    optional_slots,
    presence_of,
    replacement,
    results_of,
    with_presence,
)
from glow.passes.graph._optionals import check_slots, is_chosen
from glow.support.rewriting import rewrite
from glow.support.types import shape_of


@dataclass
class ElideNeutralOperand(RewritePattern):
    """op(x, neutral) -> op(x), where the operand is neutral bit for bit"""

    slots: tuple[str, ...] = ()
    signed_zeros: bool = True
    """Whether 0.0 and -0.0 are two numbers."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, GraphOp):
            return
        absent = dict.fromkeys(self.neutral(op))
        if absent:
            new = with_presence(op, absent)
            rewriter.replace(op, new, replacement(op, new))

    def neutral(self, op: GraphOp) -> Iterator[str]:
        """Yield the slots whose operands may be left out."""
        for name, neutral in type(op).neutrals().items():
            operand = getattr(op, name)
            if operand is None or not is_chosen(self.slots, op, name):
                continue
            number = uniform_element(operand)
            if 0 in shape_of(operand) or (
                number is not None
                and self.are_same(number, neutral.element_for(op).astype(number.dtype))
            ):
                yield name

    def are_same(self, one: Array, other: Array) -> bool:
        if self.signed_zeros:
            return one.tobytes() == other.tobytes()
        return bool(np.equal(one, other))


@dataclass
class DropUnreadResult(RewritePattern):
    """a, b = op(x) -> a = op(x), where nothing reads b"""

    slots: tuple[str, ...] = ()

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, GraphOp) or len(op.results) < 2:
            return
        present = presence_of(op)
        unread = {
            name: False
            for name in optional_slots(type(op)).results
            if name in present
            and is_chosen(self.slots, op, name)
            and not any(value.uses for value in results_of(op, name))
        }
        if unread:
            new = with_presence(op, {}, unread)
            rewriter.replace(op, new, replacement(op, new))


@dataclass(frozen=True)
class ElideOptionalsPass(ModulePass):
    """
    Leave out optional operands that are neutral and results that nothing reads.

    Neutral is what `GraphOp.neutrals` says, in every element: as a literal, as a
    constant, behind reshapes, expansions, transposes and layout transforms. Bits are
    compared, so results stay as they are, bit for bit: a bias of -0.0 goes and one of
    0.0 stays, since it makes 0.0 of -0.0. With `signed-zeros=false` it goes, too.
    `slots` are names such as `graph.conv` and `graph.conv.bias`; none means all.

    Level: graph or layout -> the same. Needs: nothing; `remove-dead-constants`
        afterwards.
    Errors: a slot that no op has.
    """

    name = "elide-optionals"

    slots: tuple[str, ...] = ()
    signed_zeros: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_slots(ctx, self.slots)
        rewrite(
            op,
            ElideNeutralOperand(self.slots, self.signed_zeros),
            DropUnreadResult(self.slots),
        )
