"""In which order to eliminate variables, found without looking at any cost."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import log2

from glow.support.cost_network.costs import Costs, Scope

# Sizes are compared by their logarithms, as integers: sums of them stay exact.
_BIT = 1 << 16


@dataclass(frozen=True)
class Step:
    """A variable to eliminate, who shares a table with it by then, and its size."""

    variable: int
    neighbours: Scope
    entries: int

    def without(self, fixed: Collection[int]) -> Step:
        """Return the step when these variables are no longer there."""
        if not any(variable in fixed for variable in self.neighbours):
            return self
        left = tuple([v for v in self.neighbours if v not in fixed])
        return Step(self.variable, left, self.entries)


class EliminationGraph:
    """
    Which variables share tables while some are eliminated.

    Eliminating a variable makes one table over all its neighbours. The variable with
    the smallest table goes first, of several the one with the lowest number.
    """

    def __init__(self, sizes: Mapping[int, int], scopes: Iterable[Scope]) -> None:
        self._sizes = sizes
        self._bits = {v: round(log2(size) * _BIT) for v, size in sizes.items()}
        self._neighbours: dict[int, set[int]] = {v: set() for v in sizes}
        for scope in scopes:
            for variable in scope:
                self._neighbours[variable].update(scope)
        for variable, found in self._neighbours.items():
            found.discard(variable)
        # The size of the table that eliminating a variable would make.
        self._table = {
            v: sum((self._bits[u] for u in found), self._bits[v])
            for v, found in self._neighbours.items()
        }
        self._heap = [(bits, v) for v, bits in self._table.items()]
        heapify(self._heap)

    @staticmethod
    def of(costs: Costs) -> EliminationGraph:
        """Return the graph of the variables of `costs`."""
        sizes = {v: len(vector) for v, vector in costs.vectors.items()}
        return EliminationGraph(sizes, [scope for scope, _ in costs.tables])

    def eliminate(self, limit: int) -> list[Step]:
        """
        Eliminate variables while the next table has at most `limit` entries.

        A variable that is alone is eliminated whatever the limit.
        """
        steps: list[Step] = []
        while (variable := self.next) is not None:
            entries = self._sizes[variable]
            for neighbour in self._neighbours[variable]:
                entries *= self._sizes[neighbour]
            if entries > limit and self._neighbours[variable]:
                break
            steps.append(Step(variable, self._eliminate(variable), entries))
        return steps

    @property
    def next(self) -> int | None:
        """The variable to eliminate next; None when all are gone."""
        while self._heap:
            bits, variable = self._heap[0]
            if self._table.get(variable) == bits:
                return variable
            heappop(self._heap)
        return None

    def cut(self, times: Mapping[int, int]) -> int:
        """
        Take out a neighbour of the next variable, the one with the most neighbours.

        `times` says how often a variable was taken before; the others come first.
        """
        assert self.next is not None
        chosen = max(
            sorted(self._neighbours[self.next]),
            key=lambda v: len(self._neighbours[v]) / (1 + times.get(v, 0)),
        )
        for neighbour in self._take(chosen):
            self._neighbours[neighbour].discard(chosen)
            self._change(neighbour, -self._bits[chosen])
        return chosen

    def _eliminate(self, variable: int) -> Scope:
        """Take out a variable and connect its neighbours; return these."""
        found = self._take(variable)
        for neighbour in found:
            known = self._neighbours[neighbour]
            bits = -self._bits[variable]
            for other in found - known:
                if other != neighbour:
                    bits += self._bits[other]
            known |= found
            known.discard(neighbour)
            known.discard(variable)
            self._change(neighbour, bits)
        return tuple(found)

    def _take(self, variable: int) -> set[int]:
        del self._table[variable]
        return self._neighbours.pop(variable)

    def _change(self, variable: int, bits: int) -> None:
        if bits:
            self._table[variable] += bits
            heappush(self._heap, (self._table[variable], variable))
