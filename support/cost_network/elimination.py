"""Bucket elimination: minimization over one variable after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from glow.support.cost_network.costs import Costs, Scope
from glow.support.cost_network.network import Table
from glow.support.cost_network.order import Step

Tables = list[tuple[Scope, Table]]


@dataclass
class Elimination:
    """The network that eliminating variables leaves, and their best states by it."""

    left: Costs
    # Each variable, its costs, and the tables that it was the first axis of.
    _steps: list[tuple[int, Table, Tables]] = field(default_factory=lambda: [])

    def complete(self, states: dict[int, int]) -> None:
        """Add the best states of what was eliminated; of equal ones the lowest."""
        for variable, total, tables in reversed(self._steps):
            for scope, table in tables:
                total = total + table[:, *[states[other] for other in scope[1:]]]
            states[variable] = int(total.argmin())

    def keep(self, variable: int, vector: Table, tables: Tables) -> None:
        """Keep the tables that the best state of `variable` follows from."""
        self._steps.append((variable, vector, tables))


def eliminate(costs: Costs, steps: Sequence[Step]) -> Elimination:
    """
    Minimize over the variables of `steps`, in this order.

    Source: R. Dechter, "Bucket elimination: a unifying framework for reasoning",
    Artificial Intelligence 113 (1999).
    """
    position = {step.variable: at for at, step in enumerate(steps)}
    for variable in costs.vectors:
        position.setdefault(variable, len(steps) + variable)
    order = position.__getitem__
    vectors = dict(costs.vectors)
    # A table waits for the first of its variables; its axes are in that order too.
    buckets: dict[int, Tables] = {v: [] for v in vectors}
    for scope, table in costs.tables:
        scope, table = _sorted(scope, table, position)
        buckets[scope[0]].append((scope, table))
    elimination = Elimination(Costs(vectors, [], costs.constant))
    for step in steps:
        variable = step.variable
        scope = step.neighbors
        if len(scope) > 1:
            scope = tuple(sorted(scope, key=order))
        vector, tables = vectors.pop(variable), buckets.pop(variable)
        message = np.minimum.reduce(_sum(vector, scope, tables))
        elimination.keep(variable, vector, tables)
        match scope:
            case ():
                elimination.left.constant += float(message)
            case (other,):
                vectors[other] = vectors[other] + message
            case _:
                buckets[scope[0]].append((scope, message))
    elimination.left.tables = [entry for bucket in buckets.values() for entry in bucket]
    return elimination


def _sorted(
    scope: Scope, table: Table, position: dict[int, int]
) -> tuple[Scope, Table]:
    if len(scope) == 2:
        a, b = scope
        return (scope, table) if position[a] < position[b] else ((b, a), table.T)
    axes = sorted(range(len(scope)), key=lambda axis: position[scope[axis]])
    return tuple([scope[axis] for axis in axes]), table.transpose(axes)


def _sum(vector: Table, scope: Scope, tables: Tables) -> Table:
    """Return the sum of a vector and of tables, over its variable and `scope`."""
    ones = [1] * len(scope)
    total = vector.reshape(-1, *ones)
    if len(tables) > 1:
        tables.sort(key=_size)
    for known, table in tables:
        if len(known) <= len(scope):
            shape = [len(vector), *ones]
            for other, extent in zip(known[1:], table.shape[1:], strict=True):
                shape[scope.index(other) + 1] = extent
            table = table.reshape(shape)
        total = total + table
    return total


def _size(entry: tuple[Scope, Table]) -> int:
    return entry[1].size
