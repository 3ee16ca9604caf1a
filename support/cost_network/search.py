"""Bounded search, where tables get too wide: fix some variables, eliminate others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from math import inf, prod

import numpy as np

from glow.support.cost_network.elimination import (
    EliminationGraph,
    FillGraph,
    Step,
    eliminate,
)
from glow.support.cost_network.network import (
    CostNetwork,
    CostSum,
    InfeasibleNetworkError,
    Scope,
    Table,
)
from glow.support.cost_network.simplify import simplify

# A step costs at least as much time as so many entries of a table.
_STEP_ENTRIES = 4096
# An exact solution may take so many entries, or this many of the largest tables.
_ALL_ENTRIES = 1 << 27
_ALL_TABLES = 256
_REPAIR_LIMIT = 1 << 14
_REPAIR_ROUNDS = 16


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

    def entries(self, costs: CostSum) -> int:
        """Return how many entries it takes to try all states of the cutset."""
        first = sum(step.entries for step in self.outer)
        once = sum(step.entries + _STEP_ENTRIES for step in self.inner)
        return first + once * prod(len(costs.vectors[v]) for v in self.cutset)

    def is_affordable(self, costs: CostSum, limit: int) -> bool:
        """Return whether trying all states of the cutset takes a second or two."""
        return self.entries(costs) <= max(_ALL_ENTRIES, _ALL_TABLES * limit)


def make_plan(costs: CostSum, limit: int) -> Plan:
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


def solve_exactly(costs: CostSum, plan: Plan) -> dict[int, int]:
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


def _try_all(core: CostSum, plan: Plan) -> tuple[float, dict[int, int]]:
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


def improve(costs: CostSum, states: dict[int, int], limit: int, rounds: int) -> None:
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


def greedy(network: CostNetwork) -> tuple[int, ...]:
    """
    Return an assignment of finite cost: each state the cheapest given those before it.

    Variables choose in order, of equal states the lowest. Where one finds none of
    finite cost, it and the variables around it choose again together.

    Errors: no assignment has a finite cost, or none was found.
    """
    simplified = simplify(network)
    return simplified.original(choose(simplified.costs))


def choose(costs: CostSum) -> dict[int, int]:
    """Return what `greedy` returns, for tables of two variables each."""
    states = _in_order(costs)
    if costs.at(states) == inf:
        penalized = _penalized(costs)
        states = _in_order(penalized)
        _repair(costs, penalized, states)
    return states


def _in_order(costs: CostSum) -> dict[int, int]:
    before: dict[int, list[tuple[int, Table]]] = {v: [] for v in costs.vectors}
    for (a, b), table in costs.tables:
        first, table = (a, table) if a < b else (b, table.T)
        before[max(a, b)].append((first, table))
    states: dict[int, int] = {}
    for variable in sorted(costs.vectors):
        total = costs.vectors[variable]
        for other, table in before[variable]:
            total = total + table[states[other]]
        states[variable] = int(total.argmin())
    return states


def _penalized(costs: CostSum) -> CostSum:
    """Return costs that are finite: one penalty exceeds what all else may cost."""
    every = [*costs.vectors.values(), *[table for _, table in costs.tables]]
    penalty = 1 + 2 * sum(
        float(np.abs(table).max(initial=0, where=np.isfinite(table))) for table in every
    )
    tables = [
        (s, np.where(np.isinf(table), penalty, table)) for s, table in costs.tables
    ]
    return CostSum(costs.vectors, tables, costs.constant)


def _repair(costs: CostSum, penalized: CostSum, states: dict[int, int]) -> None:
    """
    Change states until their cost is finite.

    The variables next to a pair that does not go together choose again and, while that
    does not help, those twice as far away.
    """
    tables: dict[int, list[tuple[Scope, Table]]] = {v: [] for v in costs.vectors}
    for scope, table in penalized.tables:
        for variable in scope:
            tables[variable].append((scope, table))
    broken, radius = _broken(costs, states), 1
    while broken:
        window = _ball(broken[0], radius, tables)
        is_best = _choose_again(window, penalized, tables, states)
        left = _broken(costs, states)
        if len(left) < len(broken):
            radius = 1
        elif len(_ball(window, 1, tables)) > len(window):
            radius *= 2
        else:
            raise InfeasibleNetworkError(
                f"{'no assignment has' if is_best else 'found no assignment of'} a "
                f"finite cost: states of variables {broken[0][0]} and {broken[0][1]} "
                "do not go together"
            )
        broken = left


def _broken(costs: CostSum, states: dict[int, int]) -> list[Scope]:
    """Return the pairs of variables whose states do not go together."""
    return [
        scope
        for scope, table in costs.tables
        if table.item(*[states[variable] for variable in scope]) == inf
    ]


def _ball(
    center: Iterable[int],
    radius: int,
    tables: dict[int, list[tuple[Scope, Table]]],
) -> list[int]:
    """Return the variables that are at most `radius` tables away."""
    ball = dict.fromkeys(center)
    edge = list(ball)
    for _ in range(radius):
        nearby = [v for at in edge for scope, _ in tables[at] for v in scope]
        edge = [v for v in dict.fromkeys(nearby) if v not in ball]
        ball.update(dict.fromkeys(edge))
    return list(ball)


def _choose_again(
    window: list[int],
    penalized: CostSum,
    tables: dict[int, list[tuple[Scope, Table]]],
    states: dict[int, int],
) -> bool:
    """Improve the states in `window`; return whether they are the best possible."""
    near = {scope: table for variable in window for scope, table in tables[variable]}
    inside = dict.fromkeys(window)
    around = {v: states[v] for scope in near for v in scope if v not in inside}
    vectors = {v: penalized.vectors[v] for v in [*window, *around]}
    part = CostSum(vectors, list(near.items())).given(around)
    chosen = {variable: states[variable] for variable in window}
    plan = make_plan(part, _REPAIR_LIMIT)
    if is_best := plan.is_affordable(part, _REPAIR_LIMIT):
        chosen = solve_exactly(part, plan)
    else:
        improve(part, chosen, _REPAIR_LIMIT, _REPAIR_ROUNDS)
    states.update(chosen)
    return is_best
