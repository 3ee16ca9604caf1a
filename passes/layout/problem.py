"""Layout assignment of a block as a cost network, and its solution as layouts."""

from collections.abc import Iterable
from dataclasses import replace

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
from glow.passes.layout._network import LayoutNetwork
from glow.passes.layout._search import Search
from glow.support.cost_network import Solution, solve
from glow.support.targets import TargetQueries

Ways = dict[Operation, Way]
"""The way in which each op is run."""


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
