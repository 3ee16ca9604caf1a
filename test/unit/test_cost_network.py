"""Cost networks: the least cost by brute force, bounds, order, and refusals."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from math import inf
from pathlib import Path
from random import Random

import numpy as np
import pytest
from cost_networks import (
    Edges,
    any_edges,
    complete,
    cycle,
    dense_block,
    grid,
    network_of,
    random_dag,
    residual_chain,
    tree,
)
from grids import slow_but
from hypothesis import given, settings
from hypothesis import strategies as st

from glow.support.cost_network import (
    CostNetwork,
    InfeasibleNetworkError,
    Solution,
    search,
    solve,
)


def greedy_cost(network: CostNetwork) -> float:
    costs = network.sum()
    return costs.at(search.greedy(costs))


def brute_force(network: CostNetwork) -> float:
    every = product(*[range(len(costs)) for costs in network.costs])
    return min(map(network.cost_of, every))


def check(network: CostNetwork, found: Solution) -> None:
    assert found.cost == network.cost_of(found.states)
    assert all(type(state) is int for state in found.states)


@pytest.mark.slow
@pytest.mark.parametrize("edges", [any_edges, tree, cycle, complete])
@pytest.mark.parametrize("infinite", [0.0, 0.15, 0.4])
@pytest.mark.parametrize("table_limit", slow_but([1 << 18, 9, 1], 9))
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
            with pytest.raises(InfeasibleNetworkError, match="no assignment has"):
                solve(network)
            continue
        found = solve(network, table_limit=table_limit)
        check(network, found)
        assert found.is_exact
        assert found.cost == least
        assert least <= greedy_cost(network)


@st.composite
def wide_networks(draw: st.DrawFn) -> CostNetwork:
    """Draw networks with too many states to try all of, and often no solution."""
    random = Random(draw(st.integers(0, 1 << 30)))
    count = draw(st.integers(10, 13))
    sizes = [random.randint(2, 3) for _ in range(count)]
    pairs = [(a, b) for a in range(count) for b in range(a)]
    edges = random.sample(pairs, draw(st.integers(count, len(pairs))))
    return network_of(random, sizes, edges, draw(st.sampled_from([0, 0.1, 0.3, 0.5])))


@pytest.mark.slow
@settings(max_examples=60)
@given(wide_networks(), st.sampled_from([1, 5, 40]), st.integers(0, 8))
def test_bounded_search_is_no_worse_than_greedy(
    network: CostNetwork, table_limit: int, rounds: int
) -> None:
    try:
        best = solve(network)
    except InfeasibleNetworkError:
        with pytest.raises(InfeasibleNetworkError):
            solve(network, table_limit=table_limit, rounds=rounds)
        return
    assert best.is_exact
    try:
        found = solve(network, table_limit=table_limit, rounds=rounds)
    except InfeasibleNetworkError:
        assert greedy_cost(network) == inf
        return
    check(network, found)
    assert best.cost <= found.cost <= greedy_cost(network)
    assert found.cost == best.cost or not found.is_exact


def test_rounds_of_the_search_help() -> None:
    network = grid(Random(0), 8, 3)
    best = solve(network)
    assert best.is_exact
    found = [solve(network, table_limit=30, rounds=rounds) for rounds in (0, 1, 32)]
    assert not any(solution.is_exact for solution in found)
    costs = [solution.cost for solution in found]
    assert greedy_cost(network) >= costs[0] > costs[1] > costs[2]
    assert best.cost <= costs[2] <= best.cost + 1


@pytest.mark.slow
def test_wide_grid_is_solved_better_than_greedily() -> None:
    network = grid(Random(1), 20, 4)
    found = solve(network)
    assert not found.is_exact
    assert found.cost < 0.8 * greedy_cost(network)


def test_graph_without_a_structure_is_solved_better_than_greedily() -> None:
    network = random_dag(Random(8), 150)
    assert solve(network).cost < greedy_cost(network)


def test_dense_block_is_solved_exactly_or_better_than_greedily() -> None:
    found = solve(dense_block(Random(2), 8))
    assert found.is_exact
    network = dense_block(Random(2), 40)
    found = solve(network)
    assert found.cost < greedy_cost(network)


def test_long_chain_takes_no_recursion() -> None:
    """Equal states are free: all take the one that is cheapest in sum."""
    network = CostNetwork()
    for at in range(4000):
        network.variable([2, 1, 1 + at % 2])
        if at:
            network.factor(at - 1, at, 3 * (1 - np.eye(3)))
    found = solve(network)
    assert found == Solution((1,) * 4000, 4000, True, 1)


@pytest.mark.slow
def test_residual_blocks_are_narrow() -> None:
    network = residual_chain(Random(3), 4000)
    found = solve(network)
    assert found.is_exact
    assert found.width == 2
    assert found.cost < greedy_cost(network)


def test_many_large_tables_are_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    network = grid(Random(4), 5, 3)
    best = solve(network)
    monkeypatch.setattr(search, "_ALL_ENTRIES", 20)
    assert solve(network) == best
    monkeypatch.setattr(search, "_ALL_TABLES", 0)
    found = solve(network, rounds=0)
    assert best.is_exact
    assert not found.is_exact
    assert found.cost >= best.cost


def test_variables_with_one_state_add_no_width() -> None:
    network = CostNetwork()
    for at in range(40):
        network.variable([1, 2] if at % 20 == 0 else [1])
        for other in range(at):
            sizes = [2 if end % 20 == 0 else 1 for end in (other, at)]
            network.factor(other, at, np.full(sizes, 1.0))
    found = solve(network)
    assert found == Solution((0,) * 40, 40 + 40 * 39 / 2, True, 1)


def test_variable_may_have_many_states() -> None:
    network = CostNetwork()
    network.variable(abs(np.arange(700.0) - 600))
    network.variable([0, 0, 1])
    network.factor(0, 1, abs(np.arange(700.0) - 600)[:, None] * [2, 1, 0])
    assert solve(network) == Solution((600, 0), 0, True, 1)
    network.factor(0, 1, 5 * (np.arange(700)[:, None] + np.array([0, 0, 2]) != 699))
    assert solve(network).states == (600, 0)


SUPPORT = Path(__file__).parents[1] / "support"
SCRIPT = """
import sys; sys.path.insert(0, sys.argv[1])
from random import Random
from cost_networks import grid
from glow.support.cost_network import solve
print(solve(grid(Random(7), 9, 3), table_limit=50))
"""


@pytest.mark.slow
def test_processes_agree() -> None:
    def run(seed: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", SCRIPT, str(SUPPORT)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    assert run("1") == run("2") != ""
