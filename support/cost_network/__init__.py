"""Cost networks: discrete variables, costs of states and of pairs, the least sum."""

from __future__ import annotations

from dataclasses import dataclass

from glow.support.cost_network.network import CostNetwork, InfeasibleNetworkError
from glow.support.cost_network.search import (
    choose,
    greedy,
    improve,
    make_plan,
    solve_exactly,
)
from glow.support.cost_network.simplify import simplify

__all__ = ["CostNetwork", "InfeasibleNetworkError", "Solution", "greedy", "solve"]

# Smaller tables make a round of the search quick, and leave more rounds to others.
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

    Errors: no assignment has a finite cost, or none was found; a limit below one,
    fewer rounds than none.
    """
    if table_limit < 1 or rounds < 0:
        raise ValueError(
            "expected a table limit of one entry or more and no fewer rounds than 0, "
            f"got {table_limit} and {rounds}"
        )
    simplified = simplify(network)
    states: dict[int, int] = {}
    is_exact, width = True, 0
    for part in simplified.costs.parts():
        plan = make_plan(part, table_limit)
        if not plan.is_affordable(part, table_limit):
            is_exact = False
            chosen = choose(part)
            improve(part, chosen, min(table_limit, _WINDOW_LIMIT), rounds)
            states |= chosen
        else:
            states |= solve_exactly(part, plan)
        width = max(width, plan.width)
    whole = simplified.original(states)
    return Solution(whole, network.cost_of(whole), is_exact, width)
