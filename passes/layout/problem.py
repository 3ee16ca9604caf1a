"""Layout assignment of a block as a cost network, and its solution as layouts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from xdsl.ir import Block, Operation, OpResult, SSAValue

from glow.analysis.movements import movement_cost, whole_layout_of
from glow.passes.layout._candidates import (
    LayoutDemand,
    Read,
    Way,
    Wishes,
    readers_of,
    source_of,
)
from glow.passes.layout._search import Search
from glow.support.cost_network import CostNetwork, Solution, solve
from glow.support.targets import TargetQueries

Ways = dict[Operation, Way]
"""The way in which each op is run."""


_TIE = 2.0**-10
"""The extra cost of a way to run an op over an earlier one of the same cost."""


class LayoutNetwork:
    """
    States layout assignment as a cost network.

    Each op with several ways is a variable. The cost of a value with one reader is a
    table between its maker and its reader. The movements of a value with several
    readers are shared, so such a value is a variable itself: its layout, and the
    layouts that it is moved to.
    """

    def __init__(
        self, ways: Mapping[Operation, Sequence[Way]], values: Iterable[LayoutDemand]
    ):
        self._ways = ways
        self._values = values
        self._network = CostNetwork()
        self.numbers: dict[Operation, int] = {}

    def state(self) -> CostNetwork:
        """Return the network; `numbers` then has the variable of each op."""
        for op, ways in self._ways.items():
            if len(ways) > 1:
                costs = [way.cost + _TIE * i for i, way in enumerate(ways)]
                self.numbers[op] = self._network.variable(costs)
        for value in self._values:
            if any(value.costs) and len(value.costs) > 1 and value.reads:
                self._add(value)
        return self._network

    def _add(self, value: LayoutDemand) -> None:
        free = [read for read in value.reads if not read.is_given]
        given = [
            wish for read in value.reads if read.is_given for wish in read.wishes[0]
        ]
        if len(free) > 1:
            self._share(value, free, given)
        elif free:
            wishes = [(*given, *wish) for wish in free[0].wishes]
            self._join(value, self.numbers[free[0].op], wishes)
        elif not value.is_given:
            self._join(value, None, [tuple(given)])

    def _join(
        self, value: LayoutDemand, reader: int | None, wishes: list[Wishes]
    ) -> None:
        """Add the cost of `value` for each way to make it and each way to read it."""
        known = {
            (made, read): value.cost(made, read)
            for made in set(value.made)
            for read in set(wishes)
        }
        table = np.array([[known[made, w] for w in wishes] for made in value.made])
        if not table.any():
            return
        maker = None if value.is_given else self._maker(value)
        if maker is None and reader is not None:
            self._network.add(reader, table[0])
        elif maker is not None and reader is None:
            self._network.add(maker, table[:, 0])
        elif maker is not None and reader is not None:
            self._network.factor(maker, reader, table)

    def _share(
        self,
        value: LayoutDemand,
        free: Sequence[Read],
        given: Wishes | list[tuple[int, ...]],
    ) -> None:
        """Add a variable for the layout of `value` and those it is moved to."""
        states = _states(value, free, given)
        costs = [value.cost_of(moved) for _, moved in states]
        variable = self._network.variable(costs)
        if not value.is_given:
            made = np.array([state[0] for state in states])
            table = np.where(np.array(value.made)[:, None] == made, 0.0, np.inf)
            self._network.factor(self._maker(value), variable, table)
        has = np.zeros((len(states), len(value.costs)), bool)
        for row, (made_in, moved) in zip(has, states, strict=True):
            row[[made_in, *moved]] = True
        for read in free:
            met = np.array(
                [
                    [all(row[list(w)].any() for w in wishes) for wishes in read.wishes]
                    for row in has
                ]
            )
            self._network.factor(
                variable, self.numbers[read.op], np.where(met, 0.0, np.inf)
            )

    def _maker(self, value: LayoutDemand) -> int:
        assert value.owner is not None
        return self.numbers[value.owner]


def _states(
    value: LayoutDemand, free: Sequence[Read], given: Sequence[tuple[int, ...]]
) -> list[tuple[int, tuple[int, ...]]]:
    """Return each candidate to make `value` in, with the candidates it is moved to."""
    wanted = {i for read in free for ws in read.wishes for w in ws for i in w}
    wanted |= {i for wish in given for i in wish}
    # Each wish is met by one movement at most.
    most = len(given) + sum(max(map(len, read.wishes)) for read in free)
    states: list[tuple[int, tuple[int, ...]]] = []
    for made in sorted(set(value.made)):
        others = sorted(wanted - {made})
        for count in range(min(len(others), most) + 1):
            for moved in combinations(others, count):
                have = {made, *moved}
                if all(have.intersection(wish) for wish in given):
                    states.append((made, moved))
    return states


class Problem:
    """The choice of a way to run each op, at the least cost of ops and movements."""

    def __init__(self, block: Block, queries: TargetQueries):
        self.search = Search(queries)
        self.search.run(block)
        reads = {value: _reads(value, self.search) for value in self.search.values}
        self.values = {
            value: self._value(value, readers) for value, readers in reads.items()
        }

    def solve(self) -> tuple[Ways, Solution]:
        """
        Return the cheapest way to run each op, and the solution of the network.

        It is exact only if the network has all ways that the search came upon.
        """
        network = LayoutNetwork(self.search.ways, self.values.values())
        solution = solve(network.state())
        is_exact = solution.is_exact and self.search.is_complete
        return {
            op: ways[solution.states[network.numbers[op]]] if len(ways) > 1 else ways[0]
            for op, ways in self.search.ways.items()
        }, replace(solution, is_exact=is_exact)

    def greedy(self) -> Ways:
        """
        Return ways chosen op by op: each the cheapest after those before.

        Then op after op changes its way while that makes the whole cheaper. This is
        like inserting transforms, then sinking and canceling them, without looking
        ahead.
        """
        chosen: Ways = {}
        for op, ways in self.search.ways.items():
            chosen[op] = min(ways, key=lambda way: self._around(op, way, chosen))
        for _ in range(len(chosen)):
            before = dict(chosen)
            for op, ways in self.search.ways.items():
                chosen[op] = min(
                    (chosen[op], *ways),
                    key=lambda way: self._around(op, way, chosen),
                )
            if chosen == before:
                break
        return chosen

    def cost(self, ways: Ways) -> float:
        """Return the cost of the block with these ways."""
        moves = (self._moving(value, ways) for value in self.values.values())
        return sum(moves) + sum(way.cost for way in ways.values())

    def made_in(self, value: SSAValue, ways: Ways) -> int:
        """Return the candidate that `value` is made in."""
        return self._made(self.values[value], ways)

    def moved_to(self, value: SSAValue, ways: Ways) -> tuple[int, ...]:
        """Return the candidates that `value` is moved to."""
        own = self.values[value]
        return own.moved(self._made(own, ways), self._wishes(own, ways))

    def _value(self, value: SSAValue, reads: tuple[Read, ...]) -> LayoutDemand:
        layouts = self.search.values[value].layouts
        costs = tuple(float(movement_cost(value, layout)) for layout in layouts)
        if value in self.search.fixed:
            given = self.search.values[value].add(whole_layout_of(value))
            return LayoutDemand(None, (given,), reads, costs)
        assert isinstance(value, OpResult)
        made = tuple(way.results[value.index] for way in self.search.ways[value.op])
        return LayoutDemand(value.op, made, reads, costs)

    def _around(self, op: Operation, way: Way, chosen: Ways) -> float:
        """Return the cost of `way` and its movements, as far as ways are chosen."""
        ways = chosen | {op: way}
        values = dict.fromkeys([*map(source_of, op.operands), *op.results])
        return way.cost + sum(
            self._moving(self.values[v], ways)
            for v in values
            if (owner := self.values[v].owner) is None or owner in ways
        )

    def _moving(self, value: LayoutDemand, ways: Ways) -> float:
        return value.cost(self._made(value, ways), self._wishes(value, ways))

    def _made(self, value: LayoutDemand, ways: Ways) -> int:
        if value.owner is None:
            return value.made[0]
        return value.made[self._number(value.owner, ways)]

    def _wishes(self, value: LayoutDemand, ways: Ways) -> list[tuple[int, ...]]:
        """Return the wishes of those readers of `value` whose way is chosen."""
        return [
            wish
            for read in value.reads
            if read.is_given or read.op in ways
            for wish in read.wishes[0 if read.is_given else self._number(read.op, ways)]
        ]

    def _number(self, op: Operation, ways: Ways) -> int:
        return self.search.ways[op].index(ways[op])


def _reads(value: SSAValue, search: Search) -> tuple[Read, ...]:
    """Return the wishes of each reader of `value`."""
    slots: dict[Operation, list[int]] = {}
    for use in readers_of(value):
        slots.setdefault(use.operation, []).append(use.index)
    reads: list[Read] = []
    for op, operands in slots.items():
        ways = search.ways.get(op)
        if ways is None:
            known = search.values[value]
            given = [(known.add(whole_layout_of(op.operands[i])),) for i in operands]
            reads.append(Read(op, (_set(given),)))
        else:
            wishes = tuple(_set(way.operands[i] for i in operands) for way in ways)
            reads.append(Read(op, wishes))
    return tuple(reads)


def _set(wishes: Iterable[tuple[int, ...]]) -> Wishes:
    return tuple(dict.fromkeys(wishes))
