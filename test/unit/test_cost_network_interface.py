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
    greedy,
    solve,
)


def test_greedy_is_beaten_where_one_cheap_state_is_dear_later() -> None:
    network = CostNetwork()
    first, second = network.variable([0, 1]), network.variable([0, 0])
    network.factor(second, first, np.array([[9.0, 0.0], [8.0, 0.0]]))
    assert greedy(network) == (0, 1)
    assert solve(network) == Solution((1, 0), 1, True, 1)


def test_greedy_is_repaired_where_it_is_stuck() -> None:
    """Two colours do not close an odd ring: far from the end, a third must go in."""
    network = CostNetwork()
    add_ring(network, 41, 20)
    states = greedy(network)
    assert states[20] == 2
    assert network.cost_of(states) == 9 == solve(network).cost


def test_greedy_keeps_what_is_far_from_a_repair() -> None:
    """However far the first repair reaches, the second starts from near again."""
    network = CostNetwork()
    add_ring(network, 21, 10)
    far = [network.variable([0, 1]) for _ in range(40)]
    for a, b in zip([0, *far], far, strict=False):
        network.factor(a, b, np.array([[0.0, 0.0], [0.1, 0.0]]))
    # Cheap states that greedy takes, and that cost more in the end.
    for at in (20, 30):
        network.factor(far[at], far[at + 1], np.array([[9.0, 9.0], [0.0, 0.0]]))
    last = add_ring(network, 3, 1)
    network.factor(far[-1], last, np.zeros((2, 2)))
    states = greedy(network)
    assert [states[far[at]] for at in (20, 30)] == [0, 0]
    assert states[10] == states[last + 1] == 2
    assert [solve(network).states[far[at]] for at in (20, 30)] == [1, 1]


def test_equal_costs_prefer_lower_states() -> None:
    network = CostNetwork()
    for at in range(4):
        network.variable([1, 1, 1])
        if at:
            network.factor(at - 1, at, np.zeros((3, 3)))
    assert solve(network).states == greedy(network) == (0, 0, 0, 0)


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
    assert greedy(CostNetwork()) == ()


def test_states_that_nothing_allows_take_no_room() -> None:
    """Sixty variables, each with one of all others: only one state is left to each."""
    network = CostNetwork()
    for at in range(60):
        network.variable([inf, 0, 0])
        for other in range(at):
            network.factor(other, at, np.array([[0, 0, 0], [0, 1, inf], [0, inf, inf]]))
    found = solve(network, table_limit=9, rounds=0)
    assert found == Solution((1,) * 60, 60 * 59 / 2, True, 0)


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


@pytest.mark.parametrize("solver", [solve, greedy])
def test_network_without_a_solution_is_refused(
    solver: Callable[[CostNetwork], object],
) -> None:
    network = two_variables()
    network.factor(0, 1, np.full((2, 3), inf))
    with pytest.raises(InfeasibleNetworkError, match="leave it no state"):
        solver(network)


@pytest.mark.parametrize("solver", [solve, greedy])
def test_three_variables_that_must_differ_need_three_states(
    solver: Callable[[CostNetwork], object],
) -> None:
    network = CostNetwork()
    for at in range(3):
        network.variable([0, 0])
        for other in range(at):
            network.factor(other, at, np.array([[inf, 0], [0, inf]]))
    with pytest.raises(InfeasibleNetworkError, match="no assignment has a finite cost"):
        solver(network)


@pytest.mark.parametrize("solver", [solve, greedy])
def test_what_is_too_hard_to_refute_is_refused_as_not_found(
    solver: Callable[[CostNetwork], object],
) -> None:
    """Twelve pigeons, eleven holes."""
    network = CostNetwork()
    for at in range(12):
        network.variable([0] * 11)
        for other in range(at):
            network.factor(other, at, np.where(np.eye(11), inf, 0))
    with pytest.raises(InfeasibleNetworkError, match="found no assignment of a finite"):
        solver(network)
