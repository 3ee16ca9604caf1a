"""Networks of costs, as their users state them and as they are solved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

Table = NDArray[np.float64]
Scope = tuple[int, ...]


class InfeasibleNetworkError(ValueError):
    """No assignment of a finite cost exists, or none was found."""


class CostNetwork:
    """
    Variables with a cost per state, and tables with a cost per pair of states.

    A cost may be negative; an infinite one says that the state or pair is not allowed.
    Errors: ValueError for costs of another shape, NaN, minus infinity, or variables and
    states that do not exist.
    """

    def __init__(self) -> None:
        self._costs: list[Table] = []
        self._tables: dict[tuple[int, int], Table] = {}

    def variable(self, costs: Sequence[float] | Table) -> int:
        """Add a variable with one state per entry of `costs`, and return its number."""
        table = _checked(costs, f"variable {len(self._costs)}")
        if table.ndim != 1 or not table.size:
            raise ValueError(
                "expected a cost per state for one state or more, got costs of shape "
                f"{list(table.shape)}"
            )
        self._costs.append(table)
        return len(self._costs) - 1

    def factor(self, a: int, b: int, costs: Table) -> None:
        """Add `costs[state of a, state of b]` to the cost of an assignment."""
        if not (0 <= a < len(self._costs) and 0 <= b < len(self._costs)):
            raise ValueError(
                f"expected two of {len(self._costs)} variables, got {a} and {b}"
            )
        if a == b:
            raise ValueError(f"expected two variables, got {a} twice")
        table = _checked(costs, f"variables {a} and {b}")
        shape = (len(self._costs[a]), len(self._costs[b]))
        if table.shape != shape:
            raise ValueError(
                f"expected a table of shape {list(shape)} for variables {a} and {b}, "
                f"got {list(table.shape)}"
            )
        key, table = ((a, b), table) if a < b else ((b, a), table.T)
        known = self._tables.get(key)
        self._tables[key] = table if known is None else known + table

    def add(self, variable: int, costs: Sequence[float] | Table) -> None:
        """Add `costs[state]` to the cost of an assignment."""
        table, known = _checked(costs, f"variable {variable}"), self._costs[variable]
        if table.shape != known.shape:
            raise ValueError(
                f"expected {len(known)} costs for variable {variable}, got {table.size}"
            )
        self._costs[variable] = known + table

    def __len__(self) -> int:
        return len(self._costs)

    @property
    def costs(self) -> Sequence[Table]:
        """The cost of each state, per variable."""
        return self._costs

    def cost_of(self, states: Sequence[int]) -> float:
        """Return the cost of the assignment of `states`, one per variable."""
        if len(states) != len(self._costs):
            raise ValueError(
                f"expected {len(self._costs)} states, got {len(states)} of them"
            )
        for number, (state, costs) in enumerate(zip(states, self._costs, strict=True)):
            if not 0 <= state < len(costs):
                raise ValueError(
                    f"expected a state below {len(costs)} for variable {number}, "
                    f"got {state}"
                )
        return float(self.sum().at(dict(enumerate(states))))

    def sum(self) -> CostSum:
        """Return all costs, to be minimized."""
        return CostSum(dict(enumerate(self._costs)), list(self._tables.items()))


def _checked(costs: ArrayLike, whose: str) -> Table:
    """Return a copy of `costs`, if it can be minimized."""
    table = np.array(costs, np.float64)
    # One comparison finds minus infinity and, as it is never true, no number.
    if table.size and not np.minimum.reduce(table, axis=None) > -inf:
        raise ValueError(
            f"expected costs that are numbers or plus infinity for {whose}, "
            f"got {table.tolist()}"
        )
    return table


@dataclass
class CostSum:
    """
    The sum of one vector per variable, of tables over several, and of a constant.

    The axes of a table are the variables of its scope, two or more, in that order.
    """

    vectors: dict[int, Table]
    tables: list[tuple[Scope, Table]]
    constant: float = 0.0

    def at(self, states: Mapping[int, int]) -> float:
        """Return the cost of an assignment."""
        total = self.constant
        for variable, vector in self.vectors.items():
            total += vector.item(states[variable])
        for scope, table in self.tables:
            total += table.item(*[states[variable] for variable in scope])
        return total

    def given(self, fixed: Mapping[int, int]) -> CostSum:
        """Return the costs of the other variables when these states are fixed."""
        left = CostSum(dict(self.vectors), [], self.constant)
        for variable, state in fixed.items():
            left.constant += left.vectors.pop(variable).item(state)
        for scope, table in self.tables:
            if fixed.keys().isdisjoint(scope):
                left.tables.append((scope, table))
            else:
                left.add(*_slice(scope, table, fixed))
        return left

    def add(self, scope: Scope, table: Table) -> None:
        """Add a table over any number of variables."""
        match scope:
            case ():
                self.constant += table.item()
            case (variable,):
                self.vectors[variable] = self.vectors[variable] + table
            case _:
                self.tables.append((scope, table))


def _slice(scope: Scope, table: Table, fixed: Mapping[int, int]) -> tuple[Scope, Table]:
    """Return the part of a table in which the fixed variables have their states."""
    index = tuple(fixed.get(variable, slice(None)) for variable in scope)
    return tuple(v for v in scope if v not in fixed), table[index]
