"""Cost networks: what is preferred, what greedy does, what is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import inf, nan

import numpy as np
import pytest
from cost_networks import add_ring

from glow.support.cost_network import (
    CostNetwork,
    InfeasibleNetworkError,
    Solution,
    solve,
)
from glow.support.cost_network.search import greedy


def test_greedy_is_beaten_where_one_cheap_state_is_dear_later() -> None:
    network = CostNetwork()
    first, second = network.variable([0, 1]), network.variable([0, 0])
    network.factor(second, first, np.array([[9.0, 0.0], [8.0, 0.0]]))
    assert greedy(network.sum()) == {0: 0, 1: 1}
    assert solve(network) == Solution((1, 0), 1, True, 1)


def test_search_mends_what_greedy_cannot_end() -> None:
    """Two colors do not close an odd ring: far from the end, a third must go in."""
    network = CostNetwork()
    add_ring(network, 41, 20)
    assert solve(network).cost == 9 == solve(network, table_limit=4).cost


def test_equal_costs_prefer_lower_states() -> None:
    network = CostNetwork()
    for at in range(4):
        network.variable([1, 1, 1])
        if at:
            network.factor(at - 1, at, np.zeros((3, 3)))
    assert solve(network).states == (0, 0, 0, 0)


def test_factors_of_a_pair_add_up_in_either_order() -> None:
    network = CostNetwork()
    a, b = network.variable([0, 0]), network.variable([0, 0, 0])
    table = np.arange(6.0).reshape(2, 3)
    network.factor(a, b, table)
    network.factor(b, a, 10 * table.T)
    table[:] = -1
    assert network.cost_of((1, 2)) == 55
    assert network.cost_of((0, 1)) == 11


def test_no_variables_cost_nothing() -> None:
    assert solve(CostNetwork()) == Solution((), 0, True, 0)


def two_variables() -> CostNetwork:
    network = CostNetwork()
    network.variable([0, 1])
    network.variable([0, 1, 2])
    return network


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda n: n.variable([]), "one state or more, got costs of shape [0]"),
        (lambda n: n.variable([[1]]), "one state or more, got costs of shape [1, 1]"),
        (
            lambda n: n.variable([0, nan]),
            "expected costs that are numbers or plus infinity for variable 2, "
            "got [0.0, nan]",
        ),
        (lambda n: n.variable([0, -inf]), "for variable 2, got [0.0, -inf]"),
        (
            lambda n: n.factor(0, 1, [[nan] * 3] * 2),
            "plus infinity for variables 0 and 1, got [[nan, nan, nan]",
        ),
        (
            lambda n: n.factor(1, 0, np.zeros((2, 3))),
            "expected a table of shape [3, 2] for variables 1 and 0, got [2, 3]",
        ),
        (lambda n: n.factor(1, 1, np.zeros((3, 3))), "expected two variables, got 1"),
        (
            lambda n: n.factor(0, 2, np.zeros((2, 2))),
            "expected two of 2 variables, got 0 and 2",
        ),
        (lambda n: n.factor(-1, 0, np.zeros((3, 2))), "of 2 variables, got -1 and 0"),
        (lambda n: n.add(1, [0, 0, nan]), "for variable 1, got [0.0, 0.0, nan]"),
        (lambda n: n.add(1, [0, 1]), "expected 3 costs for variable 1, got 2"),
        (lambda n: n.cost_of([0]), "expected 2 states, got 1"),
        (
            lambda n: n.cost_of([0, 3]),
            "expected a state below 3 for variable 1, got 3",
        ),
        (lambda n: n.cost_of([-1, 0]), "below 2 for variable 0, got -1"),
        (lambda n: solve(n, table_limit=0), "got 0 and 32"),
        (lambda n: solve(n, rounds=-1), "got 262144 and -1"),
    ],
)
def test_wrong_arguments_are_refused(
    call: Callable[[CostNetwork], object], message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        call(two_variables())


def test_costs_of_states_are_added() -> None:
    network = two_variables()
    network.add(1, [5, 0, 9])
    assert solve(network) == Solution((0, 1), 1, True, 0)


def test_network_without_a_solution_is_refused() -> None:
    network = two_variables()
    network.factor(0, 1, np.full((2, 3), inf))
    with pytest.raises(InfeasibleNetworkError, match="no assignment has a finite cost"):
        solve(network)


@pytest.mark.parametrize(
    ("variables", "states", "message"),
    [(3, 2, "no assignment has"), (12, 11, "found no assignment of")],
)
def test_variables_that_must_differ_need_as_many_states(
    variables: int, states: int, message: str
) -> None:
    """Twelve pigeons and eleven holes are too many to try all."""
    network = CostNetwork()
    for at in range(variables):
        network.variable([0] * states)
        for other in range(at):
            network.factor(other, at, np.where(np.eye(states), inf, 0))
    with pytest.raises(InfeasibleNetworkError, match=f"{message} a finite cost"):
        solve(network)
