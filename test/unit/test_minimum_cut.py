"""The minimum cut of small networks against all that there are."""

from itertools import combinations
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glow.support.minimum_cut import Network

NODES = range(5)
EDGES = st.dictionaries(
    st.tuples(st.sampled_from(["s", *NODES]), st.sampled_from([*NODES, "t"])),
    st.integers(0, 4),
    max_size=14,
)


def cost(edges: dict[tuple[object, object], int], beside: frozenset[object]) -> int:
    return sum(
        value
        for (tail, head), value in edges.items()
        if tail in beside and head not in beside
    )


@given(EDGES)
def test_sides_are_the_fewest_and_most_of_the_cheapest(
    edges: dict[tuple[object, object], int],
) -> None:
    network = Network("s", "t")
    for node in NODES:
        network.add("s", node, 0)
    for (tail, head), value in edges.items():
        if tail != head:
            network.add(tail, head, value)
    fewest, most = network.source_sides()
    sides = [
        frozenset({"s", *chosen})
        for count in range(len(NODES) + 1)
        for chosen in combinations(NODES, count)
    ]
    least = min(cost(edges, side) for side in sides)
    cheapest = [side for side in sides if cost(edges, side) == least]
    assert fewest == frozenset.intersection(*cheapest)
    assert most == frozenset.union(*cheapest)


def test_infinite_costs_are_never_paid() -> None:
    network = Network("s", "t")
    network.add("s", "a", 5)
    network.add("a", "b", inf)
    network.add("b", "t", 3)
    assert network.source_sides()[0] == {"s", "a", "b"}


def test_a_cut_that_nothing_allows_is_refused() -> None:
    network = Network("s", "t")
    network.add("s", "t", inf)
    with pytest.raises(AssertionError, match="expected a cut of finite cost"):
        network.source_sides()


def test_a_negative_cost_is_refused() -> None:
    with pytest.raises(AssertionError, match="expected a cost of at least 0, got -1"):
        Network("s", "t").add("s", "t", -1)
