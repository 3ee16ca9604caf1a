"""Bounded search, where tables get too wide: fix some variables, eliminate others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import inf, prod

from glow.support.cost_network.elimination import (
    EliminationGraph,
    FillGraph,
    Step,
    eliminate,
)
from glow.support.cost_network.network import Costs, InfeasibleNetworkError

# A step costs at least as much time as so many entries of a table.
_STEP_ENTRIES = 4096
# An exact solution may take so many entries, or this many of the largest tables.
_ALL_ENTRIES = 1 << 27
_ALL_TABLES = 256


@dataclass(frozen=True)
class Plan:
    """Variables to eliminate first, to fix, and to eliminate then."""

    outer: tuple[Step, ...]
    cutset: tuple[int, ...]
    inner: tuple[Step, ...]

    @property
    def width(self) -> int:
        """The most neighbors that an eliminated variable has."""
        return max((len(s.neighbors) for s in self.outer + self.inner), default=0)

    def entries(self, costs: Costs) -> int:
        """Return how many entries it takes to try all states of the cutset."""
        first = sum(step.entries for step in self.outer)
        once = sum(step.entries + _STEP_ENTRIES for step in self.inner)
        return first + once * prod(len(costs.vectors[v]) for v in self.cutset)

    def is_affordable(self, costs: Costs, limit: int) -> bool:
        """Return whether trying all states of the cutset takes a second or two."""
        return self.entries(costs) <= max(_ALL_ENTRIES, _ALL_TABLES * limit)


def make_plan(costs: Costs, limit: int) -> Plan:
    """Plan an elimination in which no table has more than `limit` entries."""
    # A better order is searched only where the simple one is not good enough.
    plan = _plan(EliminationGraph(costs, limit))
    if not plan.cutset and plan.is_affordable(costs, limit):
        return plan
    return min(plan, _plan(FillGraph(costs, limit)), key=lambda p: p.entries(costs))


def _plan(graph: EliminationGraph) -> Plan:
    outer = graph.eliminate()
    return Plan(tuple(outer), *_cut(graph, {}))


def _cut(
    graph: EliminationGraph, times: Mapping[int, int]
) -> tuple[tuple[int, ...], tuple[Step, ...]]:
    """Return the variables to fix, `times` as in `cut`, and how others go then."""
    cutset: list[int] = []
    steps = graph.eliminate()
    while graph.next is not None:
        cutset.append(graph.cut(times))
        steps += graph.eliminate()
    # A variable that was eliminated before its neighbor was fixed had it in its table.
    return tuple(cutset), tuple(step.without(cutset) for step in steps)


def solve_exactly(costs: Costs, plan: Plan) -> dict[int, int]:
    """Return the best states, trying all of the cutset; an error if all cost inf."""
    outer = eliminate(costs, plan.outer)
    cost, states = outer.left.constant, dict[int, int]()
    if plan.cutset:
        cost, states = _try_all(outer.left, plan)
    if cost == inf:
        raise InfeasibleNetworkError(
            "no assignment has a finite cost: there is none for "
            f"variable {min(costs.vectors)} and those that depend on it"
        )
    outer.complete(states)
    return states


def _try_all(core: Costs, plan: Plan) -> tuple[float, dict[int, int]]:
    """
    Return the least cost over all states of the cutset, and the states that reach it.

    Source: R. Dechter, "Enhancement schemes for constraint processing: backjumping,
    learning, and cutset decomposition", Artificial Intelligence 41 (1990).
    """
    least, best = inf, dict[int, int]()
    for chosen in product(*[range(len(core.vectors[v])) for v in plan.cutset]):
        fixed = dict(zip(plan.cutset, chosen, strict=True))
        outcome = eliminate(core.given(fixed), plan.inner)
        if outcome.left.constant < least:
            least, best = outcome.left.constant, fixed
            outcome.complete(best)
    return least, best


def improve(costs: Costs, states: dict[int, int], limit: int, rounds: int) -> None:
    """
    Improve `states` where a cheaper assignment is found.

    Each round fixes a cutset at its states and minimizes over all others together
    (large neighborhood search); the next round prefers another cutset.
    """
    plan = make_plan(costs, limit)
    outer = eliminate(costs, plan.outer)
    core, times = outer.left, dict[int, int]()
    best = {variable: states[variable] for variable in core.vectors}
    cutset, steps = plan.cutset, plan.inner
    for _ in range(rounds if cutset else 0):
        best = {variable: best[variable] for variable in cutset}
        eliminate(core.given(best), steps).complete(best)
        for variable in cutset:
            times[variable] = times.get(variable, 0) + 1
        cutset, steps = _cut(EliminationGraph(core, limit), times)
    outer.complete(best)
    # Each step minimizes, but the same sum in another order may be rounded up.
    if costs.at(best) <= costs.at(states):
        states.update(best)
