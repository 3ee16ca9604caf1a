"""Greedy assignment: variable by variable the cheapest state that is left."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

import numpy as np

from glow.support.cost_network.network import (
    CostNetwork,
    Costs,
    InfeasibleNetworkError,
    Scope,
    Table,
)
from glow.support.cost_network.search import improve, make_plan, solve_exactly
from glow.support.cost_network.simplify import simplify

_REPAIR_LIMIT = 1 << 14
_REPAIR_ROUNDS = 16


def greedy(network: CostNetwork) -> tuple[int, ...]:
    """
    Return an assignment of finite cost: each state the cheapest given those before it.

    Variables choose in order, of equal states the lowest. Where one finds none of
    finite cost, it and the variables around it choose again together.

    Errors: no assignment has a finite cost, or none was found.
    """
    simplified = simplify(network)
    return simplified.original(choose(simplified.costs))


def choose(costs: Costs) -> dict[int, int]:
    """Return what `greedy` returns, for tables of two variables each."""
    states = _in_order(costs)
    if costs.at(states) == inf:
        penalized = _penalized(costs)
        states = _in_order(penalized)
        _repair(costs, penalized, states)
    return states


def _in_order(costs: Costs) -> dict[int, int]:
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


def _penalized(costs: Costs) -> Costs:
    """Return costs that are finite: one penalty exceeds what all else may cost."""
    every = [*costs.vectors.values(), *[table for _, table in costs.tables]]
    penalty = 1 + 2 * sum(
        float(np.abs(table).max(initial=0, where=np.isfinite(table))) for table in every
    )
    tables = [
        (s, np.where(np.isinf(table), penalty, table)) for s, table in costs.tables
    ]
    return Costs(costs.vectors, tables, costs.constant)


def _repair(costs: Costs, penalized: Costs, states: dict[int, int]) -> None:
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


def _broken(costs: Costs, states: dict[int, int]) -> list[Scope]:
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
    penalized: Costs,
    tables: dict[int, list[tuple[Scope, Table]]],
    states: dict[int, int],
) -> bool:
    """Improve the states in `window`; return whether they are the best possible."""
    near = {scope: table for variable in window for scope, table in tables[variable]}
    inside = dict.fromkeys(window)
    around = {v: states[v] for scope in near for v in scope if v not in inside}
    vectors = {v: penalized.vectors[v] for v in [*window, *around]}
    part = Costs(vectors, list(near.items())).given(around)
    chosen = {variable: states[variable] for variable in window}
    plan = make_plan(part, _REPAIR_LIMIT)
    if is_best := plan.is_affordable(part, _REPAIR_LIMIT):
        chosen = solve_exactly(part, plan)
    else:
        improve(part, chosen, _REPAIR_LIMIT, _REPAIR_ROUNDS)
    states.update(chosen)
    return is_best
