"""Bucket elimination of variables, in an order chosen without looking at costs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from math import log2
from typing import NamedTuple

import numpy as np

from glow.support.cost_network.network import CostSum, Scope, Table

# Sizes are compared by their logarithms, as integers: sums of them stay exact.
_BIT = 1 << 16


class EliminationStep(NamedTuple):
    """A variable to eliminate, its neighbors then, and the size of its table."""

    variable: int
    neighbors: Scope
    entries: int

    def without(self, fixed: Collection[int]) -> EliminationStep:
        """Return the step when these variables are no longer there."""
        if not any(variable in fixed for variable in self.neighbors):
            return self
        left = tuple([v for v in self.neighbors if v not in fixed])
        return EliminationStep(self.variable, left, self.entries)


class EliminationGraph:
    """
    The graph of variables that share tables, while some are eliminated.

    Eliminating a variable makes a table over it and its neighbors, of at most `limit`
    entries. The variable with the smallest one goes first, of several the lowest.
    """

    def __init__(self, costs: CostSum, limit: int) -> None:
        self._limit = limit
        self._sizes = {v: len(vector) for v, vector in costs.vectors.items()}
        self._bits = {v: round(log2(size) * _BIT) for v, size in self._sizes.items()}
        self._neighbors: dict[int, set[int]] = {v: set() for v in self._sizes}
        for scope, _ in costs.tables:
            for variable in scope:
                self._neighbors[variable].update(scope)
        for variable, near in self._neighbors.items():
            near.discard(variable)
        # The size of the table that eliminating a variable would make.
        self._table = {
            v: sum((self._bits[u] for u in near), self._bits[v])
            for v, near in self._neighbors.items()
        }
        self._keys = {v: (table, v) for v, table in self._table.items()}
        # Holds outdated keys too: one that `_keys` no longer has is passed over.
        self._heap = list(self._keys.values())
        heapify(self._heap)

    @property
    def next(self) -> int | None:
        """The variable to eliminate next; None when all are gone."""
        while self._heap:
            key = self._heap[0]
            if self._keys.get(key[-1]) is key:
                return key[-1]
            heappop(self._heap)
        return None

    def eliminate(self) -> list[EliminationStep]:
        """Eliminate variables while the next table is within the limit."""
        steps: list[EliminationStep] = []
        while (variable := self.next) is not None:
            entries = self._sizes[variable]
            for neighbor in self._neighbors[variable]:
                entries *= self._sizes[neighbor]
            if entries > self._limit and self._neighbors[variable]:
                break
            steps.append(EliminationStep(variable, self._eliminate(variable), entries))
        return steps

    def cut(self, times: Mapping[int, int]) -> int:
        """
        Take out that neighbor of the next variable which has most neighbors itself.

        `times` says how often a variable was taken before, which counts against it.
        """
        assert self.next is not None
        chosen = max(
            sorted(self._neighbors[self.next]),
            key=lambda v: len(self._neighbors[v]) / (1 + times.get(v, 0)),
        )
        scopes = self._take(chosen)
        for neighbor in scopes:
            self._neighbors[neighbor].discard(chosen)
            self._table[neighbor] -= self._bits[chosen]
        self._reconsider(scopes)
        return chosen

    def _reconsider(self, variables: Iterable[int]) -> None:
        for variable in variables:
            key = self._keys[variable] = self._table[variable], variable
            heappush(self._heap, key)

    def _eliminate(self, variable: int) -> Scope:
        """Take out a variable and connect its neighbors; return these."""
        near = self._take(variable)
        for neighbor in near:
            known = self._neighbors[neighbor]
            bits = -self._bits[variable]
            for other in near - known:
                if other != neighbor:
                    bits += self._bits[other]
            known |= near
            known.discard(neighbor)
            known.discard(variable)
            self._table[neighbor] += bits
        self._reconsider(near)
        return tuple(near)

    def _take(self, variable: int) -> set[int]:
        del self._keys[variable]
        return self._neighbors.pop(variable)


Tables = list[tuple[Scope, Table]]


@dataclass
class Elimination:
    """The network left by eliminating variables; its states give their best ones."""

    left: CostSum
    # Each variable, its costs, and the tables that it was the first axis of: its best
    # state follows from these.
    steps: list[tuple[int, Table, Tables]] = field(default_factory=lambda: [])

    def complete(self, states: dict[int, int]) -> None:
        """Add the best states of what was eliminated; of equal ones the lowest."""
        for variable, total, tables in reversed(self.steps):
            for scope, table in tables:
                total = total + table[:, *[states[other] for other in scope[1:]]]
            states[variable] = int(total.argmin())


def eliminate(costs: CostSum, steps: Sequence[EliminationStep]) -> Elimination:
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
    elimination = Elimination(CostSum(vectors, [], costs.constant))
    for step in steps:
        variable = step.variable
        scope = step.neighbors
        if len(scope) > 1:
            scope = tuple(sorted(scope, key=order))
        vector, tables = vectors.pop(variable), buckets.pop(variable)
        message = np.minimum.reduce(_sum(vector, scope, tables))
        elimination.steps.append((variable, vector, tables))
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
