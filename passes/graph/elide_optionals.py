"""Leave out neutral optional operands and unread results."""

from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from glow.analysis.constants import uniform_element
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.presence import optional_slots, presence_of, results_of
from glow.passes.graph._optionals import check_slots, is_chosen, write_with
from glow.passes.patterns import Replacement, Results, rewrite
from glow.support.types import shape_of


def elide_neutral_operands(
    op: GraphOp, new: Replacement, slots: tuple[str, ...], signed_zeros: bool
) -> Results:
    """op(x, neutral) -> op(x), where the operand is neutral bit for bit"""
    absent = dict[str, None]()
    for name, neutral in type(op).neutrals().items():
        operand = getattr(op, name)
        if operand is None or not is_chosen(slots, op, name):
            continue
        if neutral.shape(op) is None:  # no operand does what its absence does
            continue
        number = uniform_element(operand)
        if 0 in shape_of(operand):
            absent[name] = None
        elif number is not None:
            other = neutral.element_for(op).astype(number.dtype)
            is_same = number.tobytes() == other.tobytes()
            if is_same or not (signed_zeros or number != other):
                absent[name] = None
    return write_with(new, op, absent) if absent else None


def drop_unread_results(
    op: GraphOp, new: Replacement, slots: tuple[str, ...]
) -> Results:
    """a, b = op(x) -> a = op(x), where nothing reads b"""
    if len(op.results) < 2:
        return None
    present = presence_of(op)
    unread = {
        name: False
        for name in optional_slots(type(op)).results
        if name in present
        and is_chosen(slots, op, name)
        and not any(value.uses for value in results_of(op, name))
    }
    return write_with(new, op, {}, unread) if unread else None


@dataclass(frozen=True)
class ElideOptionalsPass(ModulePass):
    """
    Leave out optional operands that are neutral and results that nothing reads.

    An operand is neutral if every element is the value that `GraphOp.neutrals` gives,
    as a literal or a constant, also through reshapes, expansions, transposes and layout
    transforms. Bits are compared, so results stay the same bit for bit: a bias of -0.0
    is removed and one of 0.0 is kept, since it turns -0.0 into 0.0. With
    `signed-zeros=false` it is removed, too. `slots` are names such as `graph.conv` and
    `graph.conv.bias`; none means all.

    Level: graph or layout -> the same. Needs: nothing; `remove-dead-constants`
        afterwards.
    Errors: a slot that no op has.
    """

    name = "elide-optionals"

    slots: tuple[str, ...] = ()
    signed_zeros: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_slots(ctx, self.slots)
        patterns = (
            partial(
                elide_neutral_operands, slots=self.slots, signed_zeros=self.signed_zeros
            ),
            partial(drop_unread_results, slots=self.slots),
        )
        rewrite(op, *patterns, on_layouts=True)
