"""Networks of costs, as their users state them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

Table = NDArray[np.float64]


class InfeasibleNetworkError(ValueError):
    """No assignment of a finite cost exists, or none was found."""


class CostNetwork:
    """
    Variables with a cost per state, and tables with a cost per pair of states.

    A cost may be negative; an infinite one says that the state or pair is not allowed.
    """

    def __init__(self) -> None:
        self._costs: list[Table] = []
        self._tables: dict[tuple[int, int], Table] = {}

    def variable(self, costs: Sequence[float] | Table) -> int:
        """
        Add a variable with one state per entry of `costs`, and return its number.

        Errors: no states, or a cost that is NaN or minus infinity.
        """
        table = _checked(costs, f"variable {len(self._costs)}")
        if table.ndim != 1 or not table.size:
            raise ValueError(
                "expected a cost per state for one state or more, got costs of shape "
                f"{list(table.shape)}"
            )
        self._costs.append(table)
        return len(self._costs) - 1

    def factor(self, a: int, b: int, costs: Table) -> None:
        """
        Add `costs[state of a, state of b]` to the cost of an assignment.

        Errors: a variable that does not exist or is named twice, another shape, a cost
        that is NaN or minus infinity.
        """
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

    def __len__(self) -> int:
        """Return the number of variables."""
        return len(self._costs)

    @property
    def costs(self) -> Sequence[Table]:
        """The cost of each state, per variable."""
        return self._costs

    @property
    def tables(self) -> Mapping[tuple[int, int], Table]:
        """The one table of each pair that has any, by numbers, the lower one first."""
        return self._tables

    def cost_of(self, states: Sequence[int]) -> float:
        """
        Return the cost of the assignment of `states`, one per variable.

        Errors: too few or too many states, or one that its variable does not have.
        """
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
        total = sum(t.item(s) for s, t in zip(states, self._costs, strict=True))
        for (a, b), table in self._tables.items():
            total += table.item(states[a], states[b])
        return float(total)


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
