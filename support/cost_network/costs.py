"""Tables of costs over any number of variables, of a network being solved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from glow.support.cost_network.network import Table

Scope = tuple[int, ...]


@dataclass
class Costs:
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

    def given(self, fixed: Mapping[int, int]) -> Costs:
        """Return the costs of the other variables when these states are fixed."""
        left = Costs(dict(self.vectors), [], self.constant)
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

    def parts(self) -> list[Costs]:
        """Return the costs of each set of variables that tables connect."""
        part_of = _connect(self.vectors, [scope for scope, _ in self.tables])
        parts: dict[int, Costs] = {}
        for variable, vector in self.vectors.items():
            part = parts.setdefault(part_of[variable], Costs({}, []))
            part.vectors[variable] = vector
        for scope, table in self.tables:
            parts[part_of[scope[0]]].tables.append((scope, table))
        return list(parts.values())


def _slice(scope: Scope, table: Table, fixed: Mapping[int, int]) -> tuple[Scope, Table]:
    """Return the part of a table in which the fixed variables have their states."""
    index = tuple(fixed.get(variable, slice(None)) for variable in scope)
    return tuple(v for v in scope if v not in fixed), table[index]


@dataclass
class _Sets:
    """Disjoint sets of numbers; each is known by one of its members."""

    parent: dict[int, int] = field(default_factory=lambda: {})

    def find(self, number: int) -> int:
        while (above := self.parent[number]) != number:
            self.parent[number] = number = self.parent[above]
        return number


def _connect(variables: Iterable[int], scopes: Iterable[Scope]) -> dict[int, int]:
    """Map each variable to one that stands for all which it is connected with."""
    sets = _Sets({variable: variable for variable in variables})
    for scope in scopes:
        first = sets.find(scope[0])
        for variable in scope[1:]:
            sets.parent[sets.find(variable)] = first
    return {variable: sets.find(variable) for variable in sets.parent}
