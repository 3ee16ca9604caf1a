"""Solution by elimination and, where tables get too wide, by fixing some variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import inf, prod

import numpy as np

from glow.support.cost_network.elimination import (
    EliminationGraph,
    EliminationStep,
    eliminate,
)
from glow.support.cost_network.network import (
    CostNetwork,
    CostSum,
    InfeasibleNetworkError,
    Table,
)

# A step costs at least as much time as so many entries of a table.
_STEP_ENTRIES = 4096
# An exact solution may take so many entries, or this many of the largest tables.
_ALL_ENTRIES = 1 << 27
_ALL_TABLES = 256
# With smaller tables, rounds of the search are quick, and more of them fit.
_WINDOW_LIMIT = 1 << 14


@dataclass(frozen=True)
class Solution:
    """
    An assignment with its cost, and whether it is the best.

    `width` is the induced width: the most neighbors that an eliminated variable had.
    """

    states: tuple[int, ...]
    cost: float
    is_exact: bool
    width: int


def solve(
    network: CostNetwork, *, table_limit: int = 1 << 18, rounds: int = 32
) -> Solution:
    """
    Return an assignment of the least cost, or a good one where that is too hard.

    It is exact where variables can be eliminated with tables of at most `table_limit`
    entries, and a few hundred that large, after trying all states of some if need be.
    Otherwise `rounds` of a search start from what `greedy` finds. Of equal states the
    lower is preferred; the same network always has the same solution.

    Errors: no assignment has a finite cost, or none was found; a limit below one, or
    a negative number of rounds.
    """
    if table_limit < 1 or rounds < 0:
        raise ValueError(
            "expected a table limit of one entry or more and no fewer rounds than 0, "
            f"got {table_limit} and {rounds}"
        )
    costs = network.sum()
    states = {v: 0 for v, vector in costs.vectors.items() if len(vector) == 1}
    costs = costs.given(states)
    plan = make_plan(costs, table_limit)
    if is_exact := plan.is_affordable(costs, table_limit):
        states |= _solve_exactly(costs, plan)
    else:
        states |= _search(costs, min(table_limit, _WINDOW_LIMIT), rounds)
    whole = tuple([states[variable] for variable in range(len(network))])
    cost = network.cost_of(whole)
    if cost == inf:
        outcome = "no assignment has" if is_exact else "found no assignment of"
        raise InfeasibleNetworkError(f"{outcome} a finite cost")
    return Solution(whole, cost, is_exact, plan.width)


@dataclass(frozen=True)
class Plan:
    """Variables to eliminate first, to fix, and to eliminate then."""

    outer: tuple[EliminationStep, ...]
    cutset: tuple[int, ...]
    inner: tuple[EliminationStep, ...]

    @property
    def width(self) -> int:
        """The most neighbors that an eliminated variable has."""
        return max((len(s.neighbors) for s in self.outer + self.inner), default=0)

    def is_affordable(self, costs: CostSum, limit: int) -> bool:
        """Return whether trying all states of the cutset takes a second or two."""
        first = sum(step.entries for step in self.outer)
        once = sum(step.entries + _STEP_ENTRIES for step in self.inner)
        entries = first + once * prod(len(costs.vectors[v]) for v in self.cutset)
        return entries <= max(_ALL_ENTRIES, _ALL_TABLES * limit)


def make_plan(costs: CostSum, limit: int) -> Plan:
    """Plan an elimination in which no table has more than `limit` entries."""
    graph = EliminationGraph(costs, limit)
    outer = graph.eliminate()
    return Plan(tuple(outer), *_cut(graph, {}))


def _cut(
    graph: EliminationGraph, times: Mapping[int, int]
) -> tuple[tuple[int, ...], tuple[EliminationStep, ...]]:
    """Return the variables to fix, `times` as in `cut`, and steps for the others."""
    cutset: list[int] = []
    steps = graph.eliminate()
    while graph.next is not None:
        cutset.append(graph.cut(times))
        steps += graph.eliminate()
    # A variable that was eliminated before its neighbor was fixed had it in its table.
    return tuple(cutset), tuple(step.without(cutset) for step in steps)


def _solve_exactly(costs: CostSum, plan: Plan) -> dict[int, int]:
    """
    Return the best states, trying all of the cutset.

    Source: R. Dechter, "Enhancement schemes for constraint processing: backjumping,
    learning, and cutset decomposition", Artificial Intelligence 41 (1990).
    """
    outer = eliminate(costs, plan.outer)
    least, best = inf, dict[int, int]()
    cutset = [range(len(costs.vectors[v])) for v in plan.cutset]
    for chosen in product(*cutset):
        fixed = dict(zip(plan.cutset, chosen, strict=True))
        outcome = eliminate(outer.left.given(fixed), plan.inner)
        if outcome.left.constant < least or not best:
            least, best = outcome.left.constant, fixed
            outcome.complete(best)
    outer.complete(best)
    return best


def _search(costs: CostSum, limit: int, rounds: int) -> dict[int, int]:
    """
    Return states that each round makes cheaper, if it can.

    A round fixes a cutset at its states and minimizes over all others together (large
    neighborhood search); the next one prefers another cutset.
    """
    costs = _penalized(costs)
    states = greedy(costs)
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
    return best if costs.at(best) <= costs.at(states) else states


def greedy(costs: CostSum) -> dict[int, int]:
    """Return the cheapest state of each variable, in order, given those before it."""
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
    """Return finite costs: the penalty for infinite ones exceeds all other costs."""
    every = [*costs.vectors.values(), *[table for _, table in costs.tables]]
    penalty = 1 + 2 * sum(
        float(np.abs(table).max(initial=0, where=np.isfinite(table))) for table in every
    )

    def finite(table: Table) -> Table:
        return np.where(np.isinf(table), penalty, table)

    vectors = {v: finite(vector) for v, vector in costs.vectors.items()}
    tables = [(scope, finite(table)) for scope, table in costs.tables]
    return CostSum(vectors, tables, costs.constant)
