"""Give absent operands the values that they stand for."""

from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from glow.dialects.graph.base import GraphOp
from glow.passes.graph._optionals import (
    check_slots,
    has_neutral,
    is_chosen,
    write_given,
)
from glow.passes.patterns import Replacement, Results, rewrite


def materialize_optionals(
    op: GraphOp, new: Replacement, slots: tuple[str, ...]
) -> Results:
    """op(x) -> op(x, neutral)"""
    absent = [
        name
        for name in type(op).neutrals()
        if getattr(op, name) is None
        and is_chosen(slots, op, name)
        and has_neutral(op, name)
    ]
    return write_given(new, op, absent) if absent else None


@dataclass(frozen=True)
class MaterializeOptionalsPass(ModulePass):
    """
    Replace absent optional operands by literals of their neutral value.

    `GraphOp.neutrals` gives the value; its layout is the one that matches the result's.
    Results stay the same bit for bit: an absent bias becomes -0.0. Operands without a
    neutral value, and results, stay absent. `slots` are names such as `graph.conv` and
    `graph.conv.bias`; none means all. `legalize-optionals` does this only where the
    target needs it.

    Level: graph or layout -> the same. Needs: nothing.
    Errors: a slot that no op has.
    """

    name = "materialize-optionals"

    slots: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_slots(ctx, self.slots)
        pattern = partial(materialize_optionals, slots=self.slots)
        rewrite(op, pattern, on_layouts=True)
