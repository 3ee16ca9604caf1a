"""Cost networks: the least cost by brute force, bounds, order, and refusals."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import product
from math import inf, nan
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from glow.support.cost_network import (
    CostNetwork,
    InfeasibleNetworkError,
    Solution,
    greedy,
    solve,
)

Edges = Sequence[tuple[int, int]]


def network_of(
    random: Random, sizes: Sequence[int], edges: Edges, infinite: float
) -> CostNetwork:
    """Return a network of small whole costs, of which a share is infinite."""

    def costs(*shape: int) -> NDArray[np.float64]:
        draw = [
            inf if random.random() < infinite else float(random.randint(-3, 9))
            for _ in range(int(np.prod(shape)))
        ]
        return np.array(draw).reshape(shape)

    network = CostNetwork()
    for size in sizes:
        network.variable(costs(size).tolist())
    for a, b in edges:
        network.factor(a, b, costs(sizes[a], sizes[b]))
    return network


def any_edges(random: Random, count: int) -> Edges:
    """Return pairs at random; some twice, some in both orders, often in parts."""
    if count < 2:
        return []
    pairs = [
        tuple(random.sample(range(count), 2)) for _ in range(random.randint(0, 14))
    ]
    return [(a, b) for a, b in pairs]


def tree(random: Random, count: int) -> Edges:
    return [(random.randrange(at), at) for at in range(1, count)]


def cycle(random: Random, count: int) -> Edges:
    numbers = random.sample(range(count), count)
    return [
        (a, b)
        for a, b in zip(numbers, numbers[1:] + numbers[:1], strict=True)
        if a != b
    ]


def complete(random: Random, count: int) -> Edges:
    return [(a, b) for a in range(count) for b in range(a)]


def brute_force(network: CostNetwork) -> float:
    every = product(*[range(len(costs)) for costs in network.costs])
    return min(map(network.cost_of, every))


def check(network: CostNetwork, found: Solution) -> None:
    assert found.cost == network.cost_of(found.states)
    assert all(type(state) is int for state in found.states)


@pytest.mark.parametrize("edges", [any_edges, tree, cycle, complete])
@pytest.mark.parametrize("infinite", [0.0, 0.15, 0.4])
@pytest.mark.parametrize("table_limit", [1 << 18, 9, 1])
def test_solution_has_the_least_cost(
    edges: Callable[[Random, int], Edges], infinite: float, table_limit: int
) -> None:
    """Small limits try all states of a cutset; that is exact too."""
    random = Random(f"{edges.__name__} {infinite}")
    for _ in range(100):
        count = random.randint(1, 6 if random.random() < 0.8 else 9)
        sizes = [random.randint(1, 3) for _ in range(count)]
        network = network_of(random, sizes, edges(random, count), infinite)
        least = brute_force(network)
        if least == inf:
            for solver in (solve, greedy):
                with pytest.raises(InfeasibleNetworkError, match="no assignment has"):
                    solver(network)
            continue
        found = solve(network, table_limit=table_limit)
        check(network, found)
        assert found.is_exact
        assert found.cost == least
        assert least <= network.cost_of(greedy(network)) < inf


@st.composite
def wide_networks(draw: st.DrawFn) -> CostNetwork:
    """Draw networks with too many states to try all of, and often no solution."""
    random = Random(draw(st.integers(0, 1 << 30)))
    count = draw(st.integers(10, 13))
    sizes = [random.randint(2, 3) for _ in range(count)]
    pairs = [(a, b) for a in range(count) for b in range(a)]
    edges = random.sample(pairs, draw(st.integers(count, len(pairs))))
    return network_of(random, sizes, edges, draw(st.sampled_from([0, 0.1, 0.3, 0.5])))


@settings(max_examples=120)
@given(wide_networks(), st.sampled_from([1, 5, 40]), st.integers(0, 8))
def test_bounded_search_is_feasible_and_no_worse_than_greedy(
    network: CostNetwork, table_limit: int, rounds: int
) -> None:
    try:
        best = solve(network)
    except InfeasibleNetworkError:
        with pytest.raises(InfeasibleNetworkError):
            greedy(network)
        with pytest.raises(InfeasibleNetworkError):
            solve(network, table_limit=table_limit, rounds=rounds)
        return
    assert best.is_exact
    found = solve(network, table_limit=table_limit, rounds=rounds)
    check(network, found)
    assert best.cost <= found.cost <= network.cost_of(greedy(network)) < inf
    assert found.cost == best.cost or not found.is_exact


def test_rounds_of_the_search_help() -> None:
    network = grid(Random(0), 12, 3)
    costs = [
        solve(network, table_limit=100, rounds=rounds).cost for rounds in (0, 1, 32)
    ]
    assert network.cost_of(greedy(network)) >= costs[0] > costs[1] > costs[2]
    assert costs[2] <= 1.01 * solve(network, table_limit=1 << 22).cost


def grid(random: Random, side: int, states: int) -> CostNetwork:
    at = [(x, y) for x in range(side) for y in range(side)]
    rows = [(x * side + y, x * side + y + 1) for x, y in at if y + 1 < side]
    columns = [(x * side + y, (x + 1) * side + y) for x, y in at if x + 1 < side]
    return network_of(random, [states] * side**2, [*rows, *columns], 0)


def test_grid_is_solved_exactly_as_far_as_its_width_allows() -> None:
    assert solve(grid(Random(1), 8, 3)).is_exact
    network = grid(Random(1), 20, 4)
    found = solve(network)
    assert not found.is_exact
    assert found.cost < 0.8 * network.cost_of(greedy(network))


def dense_block(random: Random, layers: int) -> CostNetwork:
    """Each layer reads all before it, through one join a layer."""
    network = CostNetwork()
    images: list[int] = []
    for _ in range(layers):
        join = network.variable([random.randint(0, 9) for _ in range(3)])
        for image in images:
            table = [[random.randint(0, 9) for _ in range(3)] for _ in range(3)]
            network.factor(image, join, np.array(table, np.float64))
        image = network.variable([random.randint(0, 9) for _ in range(3)])
        network.factor(join, image, 5 * (1 - np.eye(3)))
        images.append(image)
    return network


def test_dense_block_is_solved_exactly_or_better_than_greedily() -> None:
    found = solve(dense_block(Random(2), 8))
    assert found.is_exact
    network = dense_block(Random(2), 40)
    found = solve(network)
    assert found.cost < network.cost_of(greedy(network))


def test_long_chain_takes_no_recursion() -> None:
    """Equal states are free: all take the one that is cheapest in sum."""
    network = CostNetwork()
    for at in range(4000):
        network.variable([2, 1, 1 + at % 2])
        if at:
            network.factor(at - 1, at, 3 * (1 - np.eye(3)))
    found = solve(network)
    assert found == Solution((1,) * 4000, 4000, True, 1)
    assert greedy(network) == (1,) * 4000


def test_greedy_is_beaten_where_one_cheap_state_is_dear_later() -> None:
    network = CostNetwork()
    first, second = network.variable([0, 1]), network.variable([0, 0])
    network.factor(second, first, np.array([[9.0, 0.0], [8.0, 0.0]]))
    assert greedy(network) == (0, 1)
    assert solve(network) == Solution((1, 0), 1, True, 1)


def test_greedy_is_repaired_where_it_is_stuck() -> None:
    """Two ends of a chain may not differ, and each is tempted to."""
    network = CostNetwork()
    for costs in ([0, 1], [0, 0], [0, 0], [1, 0]):
        network.variable(costs)
    same = np.array([[0, inf], [inf, 0]])
    network.factor(0, 1, np.array([[0.0, 1.0], [1.0, 0.0]]))
    network.factor(1, 2, same)
    network.factor(2, 3, np.array([[5.0, 0.0], [5.0, 0.0]]))
    network.factor(0, 3, np.array([[0.0, inf], [inf, 0.0]]))
    assert network.cost_of(greedy(network)) < inf


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


SCRIPT = """
import sys; sys.path.insert(0, sys.argv[1])
from random import Random
from test_cost_network import grid
from glow.support.cost_network import solve
print(solve(grid(Random(7), 9, 3), table_limit=50))
"""


def test_processes_agree() -> None:
    def run(seed: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", SCRIPT, str(Path(__file__).parent)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    assert run("1") == run("2") != ""


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
