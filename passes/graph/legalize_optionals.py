"""Give each op the optional operands and results that the target requires."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.presence import (
    optional_slots,
    presence_of,
    replacement,
    results_of,
    with_presence,
)
from glow.passes.graph._optionals import has_neutral, write_given, write_with
from glow.passes.patterns import Replacement, Results, rewrite
from glow.support.locations import name_of
from glow.support.targets import TargetQueries, resolve


def legalize_optionals(op: GraphOp, new: Replacement, target: str) -> Results:
    """
    conv(x, w) -> conv(x, w, neutral), or conv(x, w, b) -> add(conv(x, w), b)

    in a form that the target takes: as it is, or else with as few operands applied
    around it as possible, and of such forms the one that adds fewest neutral operands.
    """
    if not any(optional_slots(type(op))):
        return None
    dropped, added = _plan(op, target)
    if dropped:  # and the rest of the plan when this is visited again
        return _without(op, dropped[0], new)
    return write_given(new, op, added) if added else None


def _plan(op: GraphOp, target: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """
    Return the slots to drop, in order, and to add, for a form that the target takes.

    Errors: PassFailedException where it takes no form of `op`.
    """
    queries = TargetQueries.of(target)
    droppable = tuple(_droppable(op))
    for count in range(len(droppable) + 1):
        dropped = droppable[:count]
        present = presence_of(op).difference(dropped)
        for added in _additions(op, present):
            if queries.takes(op, present.union(added)):
                return dropped, added
    present = presence_of(op)
    slots = [
        f"{'with' if n in present else 'no'} {n}" for n in optional_slots(type(op))
    ]
    raise PassFailedException(
        f"{op.name} at {name_of(op)}: target {target} supports it neither as it is "
        f"({', '.join(slots)}) nor in another form"
    )


def _droppable(op: GraphOp) -> Iterator[str]:
    """Yield the present slots that `op` can do without, last effect first."""
    neutrals, slots = type(op).neutrals(), optional_slots(type(op))
    for name in slots.results:
        if results_of(op, name) and not any(v.uses for v in results_of(op, name)):
            yield name
    for name in reversed(slots.operands):
        neutral = neutrals.get(name)
        if neutral and (neutral.outside or neutral.inside) and getattr(op, name):
            yield name


def _additions(op: GraphOp, present: frozenset[str]) -> Iterator[tuple[str, ...]]:
    """Yield the sets of slots that `op` may be given besides, the smallest first."""
    slots = optional_slots(type(op))
    absent = [
        name
        for name in slots
        if name not in present and (name in slots.results or has_neutral(op, name))
    ]
    for count in range(len(absent) + 1):
        yield from combinations(absent, count)


def _without(op: GraphOp, name: str, new: Replacement) -> Results:
    """Write `op` without slot `name`, and ops that do the same around it."""
    if name in optional_slots(type(op)).results:
        return write_with(new, op, {}, {name: False})
    neutral, operand = type(op).neutrals()[name], getattr(op, name)
    if neutral.inside is not None:
        return [new.insert(each) for each in neutral.inside(op, operand)][-1]
    shorter = with_presence(op, {name: None})
    assert neutral.outside is not None
    behind = neutral.outside(op, new.insert(shorter)[0], operand)
    results = [new.insert(each)[0] for each in behind]
    return [results[-1], *replacement(op, shorter)[1:]]


@dataclass(frozen=True)
class LegalizeOptionalsPass(ModulePass):
    """
    Give each op the optional operands and results that the target supports.

    `Backend.takes` tells for each op and presence whether it is supported. An op that
    is not gets neutral operands or unread results (as `materialize-optionals` makes
    them), or loses operands to ops around it, such as a bias to an addition, if their
    `Neutral` has an `outside` or `inside`. A target that supports every form needs no
    rewrite.

    Level: graph -> graph. Needs: `elide-optionals` before.
    Errors: an op that the target takes in no form.
    """

    name = "legalize-optionals"

    target: str = "cpu"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if resolve(self.target).takes is not None:
            pattern = partial(legalize_optionals, target=self.target)
            rewrite(op, pattern, on_layouts=True)
