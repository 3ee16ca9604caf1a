"""Give absent operands the values that they stand for."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.presence import replacement
from glow.passes.graph._optionals import check_slots, given, has_neutral, is_chosen
from glow.support.rewriting import rewrite


@dataclass
class MaterializeOptionals(RewritePattern):
    """op(x) -> op(x, neutral)"""

    slots: tuple[str, ...] = ()

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, GraphOp):
            return
        absent = [
            name
            for name in type(op).neutrals()
            if getattr(op, name) is None
            and is_chosen(self.slots, op, name)
            and has_neutral(op, name)
        ]
        if absent:
            fuller = given(op, absent)
            rewriter.replace(op, fuller.ops, replacement(op, fuller.op))


@dataclass(frozen=True)
class MaterializeOptionalsPass(ModulePass):
    """
    Give absent operands the value that they stand for, as a literal.

    What that is, `GraphOp.neutrals` says; its layout is the one that goes with the
    result's. Results stay as they are, bit for bit: an absent bias becomes -0.0.
    Operands that stand for nothing, and results, stay absent. `slots` are names such as
    `graph.conv` and `graph.conv.bias`; none means all. What a target needs,
    `legalize-optionals` does.

    Level: graph or layout -> the same. Needs: nothing.
    Errors: a slot that no op has.
    """

    name = "materialize-optionals"

    slots: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_slots(ctx, self.slots)
        rewrite(op, MaterializeOptionals(self.slots))
