"""Cost networks of several shapes, drawn at random."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from random import Random

import numpy as np
from numpy.typing import NDArray

from glow.support.cost_network import CostNetwork

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


def grid(random: Random, side: int, states: int) -> CostNetwork:
    at = [(x, y) for x in range(side) for y in range(side)]
    rows = [(x * side + y, x * side + y + 1) for x, y in at if y + 1 < side]
    columns = [(x * side + y, (x + 1) * side + y) for x, y in at if x + 1 < side]
    return network_of(random, [states] * side**2, [*rows, *columns], 0)


def random_dag(random: Random, count: int) -> CostNetwork:
    """Each variable depends on the one before it, most often, and on earlier ones."""
    edges = {(at - 1, at) for at in range(1, count) if random.random() < 0.8}
    for at in range(1, count):
        for _ in range(random.choice([0, 0, 1, 1, 2])):
            edges.add((max(0, at - 1 - int(random.expovariate(0.1))), at))
    sizes = [random.choice([2, 3, 4, 4, 6, 12]) for _ in range(count)]
    return network_of(random, sizes, sorted((a, b) for a, b in edges if a != b), 0)


def residual_chain(random: Random, count: int) -> CostNetwork:
    """A chain with a join of distance four or eight here and there."""
    sizes = [12 if at % 4 == 3 else 4 for at in range(count)]
    chain = [(at - 1, at) for at in range(1, count)]
    long = [(at - 8, at) for at in range(8, count, 8)]
    short = [(at - 4, at) for at in range(10, count, 16)]
    return network_of(random, sizes, [*chain, *long, *short], 0)


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


def add_ring(network: CostNetwork, count: int, wide: int) -> int:
    """Add variables that differ from their neighbors; one has a dear third state."""
    first = len(network)
    for at in range(count):
        network.variable([0, 0, 9] if at == wide else [0, 0])
    for at in range(count):
        ends = (at, (at + 1) % count)
        same = np.eye(*[3 if end == wide else 2 for end in ends], dtype=bool)
        table = np.where(same, inf, 0.0)
        network.factor(first + ends[0], first + ends[1], table)
    return first
