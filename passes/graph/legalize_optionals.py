"""Give each op the optional operands and results that the target requires."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.presence import (
    optional_slots,
    presence_of,
    replacement,
    results_of,
    with_presence,
)
from glow.passes.graph._optionals import given, has_neutral
from glow.support.locations import name_of
from glow.support.rewriting import rewrite
from glow.support.targets import TargetQueries, resolve, takes_all

Names = tuple[str, ...]


@dataclass(frozen=True)
class _Plan:
    """Slots to do without, in this order, and then slots to add."""

    dropped: Names
    added: Names


@dataclass
class LegalizeOptionals(RewritePattern):
    """
    conv(x, w) -> conv(x, w, neutral), or conv(x, w, b) -> add(conv(x, w), b)

    as the target takes it: as it is, or else with as few operands applied around it as
    possible, and of such forms the one with fewest neutral operands more.
    """

    target: str

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, GraphOp) or not any(optional_slots(type(op))):
            return
        plan = self.plan(op)
        if plan is None:
            raise PassFailedException(_problem(op, self.target))
        if plan.dropped:  # and the rest of the plan when this is visited again
            _drop(op, plan.dropped[0], rewriter)
        elif plan.added:
            fuller = given(op, plan.added)
            rewriter.replace(op, fuller.ops, replacement(op, fuller.op))

    def plan(self, op: GraphOp) -> _Plan | None:
        """Return what makes an op of `op` that the target takes, or None."""
        queries = TargetQueries.of(self.target)
        droppable = tuple(_droppable(op))
        for count in range(len(droppable) + 1):
            dropped = droppable[:count]
            present = presence_of(op).difference(dropped)
            for added in _additions(op, present):
                if queries.takes(op, present.union(added)):
                    return _Plan(dropped, added)
        return None


def _droppable(op: GraphOp) -> Iterator[str]:
    """Yield the present slots that `op` can do without, the last one to act first."""
    neutrals, slots = type(op).neutrals(), optional_slots(type(op))
    for name in slots.results:
        if results_of(op, name) and not any(v.uses for v in results_of(op, name)):
            yield name
    for name in reversed(slots.operands):
        neutral = neutrals.get(name)
        if neutral and (neutral.outside or neutral.inside) and getattr(op, name):
            yield name


def _additions(op: GraphOp, present: frozenset[str]) -> Iterator[Names]:
    """Yield the sets of slots that `op` may be given besides, the smallest first."""
    slots = optional_slots(type(op))
    absent = [
        name
        for name in slots
        if name not in present and (name in slots.results or has_neutral(op, name))
    ]
    for count in range(len(absent) + 1):
        yield from combinations(absent, count)


def _drop(op: GraphOp, name: str, rewriter: PatternRewriter) -> None:
    """Replace `op` by one without slot `name`, and ops that do the same around it."""
    if name in optional_slots(type(op)).results:
        new = with_presence(op, {}, {name: False})
        rewriter.replace(op, new, replacement(op, new))
        return
    neutral, operand = type(op).neutrals()[name], getattr(op, name)
    if neutral.inside is not None:
        before = neutral.inside(op, operand)
        rewriter.replace(op, before)
        return
    new = with_presence(op, {name: None})
    assert neutral.outside is not None
    behind = neutral.outside(op, new.results[0], operand)
    results = [behind[-1].results[0], *replacement(op, new)[1:]]
    rewriter.replace(op, [new, *behind], results)


def _problem(op: GraphOp, target: str) -> str:
    present = presence_of(op)
    slots = [
        f"{'with' if n in present else 'no'} {n}" for n in optional_slots(type(op))
    ]
    return (
        f"{op.name} at {name_of(op)}: target {target} takes it neither as it is "
        f"({', '.join(slots)}) nor in another form"
    )


@dataclass(frozen=True)
class LegalizeOptionalsPass(ModulePass):
    """
    Write each op with the optional operands and results with which the target takes it.

    `Backend.takes` is asked per op and presence. What it does not take as it is gets
    neutral operands or unread results (as `materialize-optionals` makes them), or loses
    operands to ops around it, such as a bias to an addition; that last for operands
    whose `Neutral` has an `outside` or `inside`. Nothing to do where a target takes
    everything.

    Level: graph -> graph. Needs: `elide-optionals` before.
    Errors: an op that the target takes in no form.
    """

    name = "legalize-optionals"

    target: str = "cpu"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if resolve(self.target).takes is not takes_all:
            rewrite(op, LegalizeOptionals(self.target))
