"""Removal of states that no assignment of finite cost has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glow.support.cost_network.network import (
    CostNetwork,
    CostSum,
    InfeasibleNetworkError,
    Table,
)

Pair = tuple[int, int]
Mask = NDArray[Any]


@dataclass
class Simplified:
    """A network without impossible states, which are numbered from zero again."""

    costs: CostSum
    # Of each variable that lost states: the numbers of those that it kept.
    _kept: dict[int, NDArray[np.intp]]

    def original(self, states: Mapping[int, int]) -> tuple[int, ...]:
        """Return the states, one per variable in order, by their first numbers."""
        kept = self._kept
        return tuple(
            int(kept[v][states[v]]) if v in kept else states[v]
            for v in range(len(self.costs.vectors))
        )


def simplify(network: CostNetwork) -> Simplified:
    """
    Leave out impossible states, and tables of variables with one state.

    A state goes when it costs infinitely much, alone or with every state of some other
    variable, until none of that kind is left (arc consistency).

    Errors: a variable that keeps no state.
    """
    work = _Work(dict(enumerate(network.costs)), dict(network.tables))
    for pair, scope_blocked in _blocked_lines(work.tables):
        for variable, blocked in zip(pair, scope_blocked, strict=True):
            work.block(variable, blocked)
    work.queue += _to_shrink(work.vectors)
    while work.queue:
        work.shrink(work.queue.pop())
    return Simplified(CostSum(work.vectors, list(work.tables.items())), work.kept)


def _to_shrink(vectors: Mapping[int, Table]) -> list[int]:
    """Return the variables that have one state, or a state of infinite cost."""
    if not vectors:
        return []
    sizes = np.array([len(vector) for vector in vectors.values()])
    starts = np.cumsum(sizes) - sizes
    finite = np.isfinite(np.concatenate(list(vectors.values())))
    kept = np.add.reduceat(finite, starts, dtype=np.intp)
    return np.flatnonzero((sizes == 1) | (kept < sizes)).tolist()


def _blocked_lines(
    tables: Mapping[Pair, Table],
) -> list[tuple[Pair, tuple[Mask, Mask]]]:
    """Return the pairs whose table has infinite lines: which rows, which columns."""
    by_shape: dict[tuple[int, ...], list[Pair]] = {}
    for pair, table in tables.items():
        by_shape.setdefault(table.shape, []).append(pair)
    lines: list[tuple[Pair, tuple[Mask, Mask]]] = []
    for pairs in by_shape.values():
        blocked: Mask = np.isinf(np.array([tables[pair] for pair in pairs]))
        if not blocked.any():
            continue
        rows: Mask = np.logical_and.reduce(blocked, 2)
        columns: Mask = np.logical_and.reduce(blocked, 1)
        for at in np.flatnonzero(rows.max(1) | columns.max(1)):
            lines.append((pairs[at], (rows[at], columns[at])))
    return lines


@dataclass
class _Work:
    """The network while states are removed, and the variables to look at again."""

    vectors: dict[int, Table]
    tables: dict[Pair, Table]
    queue: list[int] = field(default_factory=lambda: [])
    kept: dict[int, NDArray[np.intp]] = field(default_factory=lambda: {})

    def __post_init__(self) -> None:
        self.partners: dict[int, set[int]] = {v: set() for v in self.vectors}
        for a, b in self.tables:
            self.partners[a].add(b)
            self.partners[b].add(a)

    def block(self, variable: int, states: Mask) -> None:
        """Forbid these states of a variable, a mask."""
        if (states & np.isfinite(self.vectors[variable])).any():
            self.vectors[variable] = np.where(states, inf, self.vectors[variable])
            self.queue.append(variable)

    def shrink(self, variable: int) -> None:
        """Remove the states of infinite cost, and those of partners that need them."""
        vector = self.vectors[variable]
        keep = np.isfinite(vector)
        count = int(np.count_nonzero(keep))
        if not count:
            raise InfeasibleNetworkError(
                "no assignment has a finite cost: "
                f"the neighbors of variable {variable} leave it no state"
            )
        if count < len(vector):
            kept = self.kept.get(variable, np.arange(len(vector)))
            self.kept[variable] = kept[keep]
            self.vectors[variable] = vector[keep]
        elif count > 1:
            return
        for partner in sorted(self.partners[variable]):
            self._shrink_table(variable, partner, keep)

    def _shrink_table(self, variable: int, partner: int, keep: Mask) -> None:
        """Keep some states of `variable` in its table with `partner`."""
        pair = (min(variable, partner), max(variable, partner))
        axis = pair.index(variable)
        table = self.tables[pair].compress(keep, axis)
        self.block(partner, np.logical_and.reduce(np.isinf(table), axis))
        if table.shape[axis] > 1:
            self.tables[pair] = table
            return
        self.vectors[partner] = self.vectors[partner] + table.reshape(-1)
        del self.tables[pair]
        self.partners[variable].discard(partner)
        self.partners[partner].discard(variable)
