"""The layouts of a block as a cost network, and its solution as layouts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from xdsl.ir import Block, Operation, SSAValue

from glow.analysis.traffic import movement_cost
from glow.passes.layout._candidates import Search, Way, readers_of, source_of
from glow.passes.layout._carrying import Question, whole_layout_of
from glow.support.cost_network import CostNetwork, Solution, solve

Wishes = tuple[tuple[int, ...], ...]
"""Sets of candidates; of each, a value is wanted in one."""
Ways = dict[Operation, Way]
"""The way in which each op is run."""

_TIE = 2.0**-10
"""What a later way to run an op costs more than an earlier one that costs as much."""


@dataclass(frozen=True)
class Read:
    """What an op wants of a value, for each way to run the op."""

    op: Operation
    wishes: tuple[Wishes, ...]

    @property
    def is_given(self) -> bool:
        """Whether it is the same in all ways."""
        return len(set(self.wishes)) == 1


@dataclass(frozen=True)
class Value:
    """A value: what it is made in, and who reads it in what."""

    owner: Operation | None
    made: tuple[int, ...]
    """The candidate that it is made in, for each way to run its owner."""
    reads: tuple[Read, ...]
    costs: tuple[float, ...]
    """What it costs to have each candidate besides the one that it is made in."""

    @property
    def is_given(self) -> bool:
        return len(set(self.made)) == 1

    def moved(self, made: int, wishes: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
        """Return the cheapest candidates to have besides, so that wishes are met."""
        open_ = {wish for wish in wishes if made not in wish}
        if all(len(wish) == 1 for wish in open_):
            return tuple(sorted({wish[0] for wish in open_}))
        choice = sorted({i for wish in open_ for i in wish})
        covers = (
            found
            for count in range(1, len(open_) + 1)
            for found in combinations(choice, count)
            if all(set(found).intersection(wish) for wish in open_)
        )
        return min(covers, key=lambda found: (self._sum(found), found))

    def cost(self, made: int, wishes: Iterable[tuple[int, ...]]) -> float:
        """Return what the movements cost that meet `wishes`."""
        return self._sum(self.moved(made, wishes))

    def _sum(self, candidates: Iterable[int]) -> float:
        return sum(self.costs[i] for i in candidates)


class Problem:
    """How to run the ops of a block so that they and what moves between cost least."""

    def __init__(self, block: Block, question: Question):
        self.search = Search(question)
        self.search.run(block)
        reads = {value: _reads(value, self.search) for value in self.search.values}
        self.values = {
            value: self._value(value, found) for value, found in reads.items()
        }

    def solve(self) -> tuple[Ways, Solution]:
        """Return the cheapest way to run each op, and how it was found."""
        network = _Network(self)
        solution = solve(network.state())
        return {
            op: ways[solution.states[network.numbers[op]]] if len(ways) > 1 else ways[0]
            for op, ways in self.search.ways.items()
        }, solution

    def greedy(self) -> Ways:
        """
        Return ways found op by op: each the cheapest after the ones before.

        Then op after op changes its way while that makes the whole cheaper: so
        transforms are inserted, then sunk and cancelled, without looking ahead.
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
        """Return what it costs to run the block so."""
        moves = (self._moving(value, ways) for value in self.values.values())
        return sum(moves) + sum(way.cost for way in ways.values())

    def made_in(self, value: SSAValue, ways: Ways) -> int:
        """Return the candidate that `value` is made in."""
        return self._made(self.values[value], ways)

    def moved_to(self, value: SSAValue, ways: Ways) -> tuple[int, ...]:
        """Return the candidates in which `value` is there besides."""
        found = self.values[value]
        return found.moved(self._made(found, ways), self._wishes(found, ways))

    def _value(self, value: SSAValue, reads: tuple[Read, ...]) -> Value:
        layouts = self.search.values[value].layouts
        costs = tuple(float(movement_cost(value, layout)) for layout in layouts)
        if value in self.search.fixed:
            given = self.search.values[value].add(whole_layout_of(value))
            return Value(None, (given,), reads, costs)
        owner = value.owner
        assert isinstance(owner, Operation)
        index = list(owner.results).index(value)
        made = tuple(way.results[index] for way in self.search.ways[owner])
        return Value(owner, made, reads, costs)

    def _around(self, op: Operation, way: Way, chosen: Ways) -> float:
        """Return what `way` costs with all that moves for it, as far as it is known."""
        ways = chosen | {op: way}
        values = dict.fromkeys([*map(source_of, op.operands), *op.results])
        return way.cost + sum(
            self._moving(self.values[v], ways)
            for v in values
            if (owner := self.values[v].owner) is None or owner in ways
        )

    def _moving(self, value: Value, ways: Ways) -> float:
        return value.cost(self._made(value, ways), self._wishes(value, ways))

    def _made(self, value: Value, ways: Ways) -> int:
        if value.owner is None:
            return value.made[0]
        return value.made[self._number(value.owner, ways)]

    def _wishes(self, value: Value, ways: Ways) -> list[tuple[int, ...]]:
        """Return what is wanted of `value` by those readers whose way is known."""
        return [
            wish
            for read in value.reads
            if read.is_given or read.op in ways
            for wish in read.wishes[0 if read.is_given else self._number(read.op, ways)]
        ]

    def _number(self, op: Operation, ways: Ways) -> int:
        return self.search.ways[op].index(ways[op])


def _reads(value: SSAValue, search: Search) -> tuple[Read, ...]:
    """Return what each reader of `value` wants of it."""
    slots: dict[Operation, list[int]] = {}
    for use in readers_of(value):
        slots.setdefault(use.operation, []).append(use.index)
    found: list[Read] = []
    for op, operands in slots.items():
        ways = search.ways.get(op)
        if ways is None:
            known = search.values[value]
            given = [(known.add(whole_layout_of(op.operands[i])),) for i in operands]
            found.append(Read(op, (_set(given),)))
        else:
            wishes = tuple(_set(way.operands[i] for i in operands) for way in ways)
            found.append(Read(op, wishes))
    return tuple(found)


def _set(wishes: Iterable[tuple[int, ...]]) -> Wishes:
    return tuple(dict.fromkeys(wishes))


class _Network:
    """
    States a problem as a cost network.

    There is a variable for each op with several ways. What one reader makes a value
    cost is a table between the ops at both ends. More readers share what is moved;
    so such a value is a variable itself: what it is made in, and what it is moved to.
    """

    def __init__(self, problem: Problem):
        self._ways = problem.search.ways
        self._values = problem.values
        self._network = CostNetwork()
        self.numbers: dict[Operation, int] = {}

    def state(self) -> CostNetwork:
        for op, ways in self._ways.items():
            if len(ways) > 1:
                costs = [way.cost + _TIE * i for i, way in enumerate(ways)]
                self.numbers[op] = self._network.variable(costs)
        for value in self._values.values():
            if any(value.costs) and len(value.costs) > 1 and value.reads:
                self._add(value)
        return self._network

    def _add(self, value: Value) -> None:
        free = [read for read in value.reads if not read.is_given]
        given = [
            wish for read in value.reads if read.is_given for wish in read.wishes[0]
        ]
        if len(free) > 1:
            self._share(value, free, given)
        elif free:
            wishes = [(*given, *found) for found in free[0].wishes]
            self._join(value, self.numbers[free[0].op], wishes)
        elif not value.is_given:
            self._join(value, None, [tuple(given)])

    def _join(self, value: Value, reader: int | None, wishes: list[Wishes]) -> None:
        """Add what `value` costs for each way to make it and each way to read it."""
        known = {
            (made, found): value.cost(made, found)
            for made in set(value.made)
            for found in set(wishes)
        }
        table = np.array([[known[made, w] for w in wishes] for made in value.made])
        if not table.any():
            return
        maker = None if value.is_given else self._maker(value)
        if maker is None and reader is not None:
            self._network.factor(self._one(), reader, table[:1])
        elif maker is not None:
            self._network.factor(
                maker, self._one() if reader is None else reader, table
            )

    def _share(
        self, value: Value, free: Sequence[Read], given: Wishes | list[tuple[int, ...]]
    ) -> None:
        """Add a variable for what `value` is made in and what it is moved to."""
        states = _states(value, free, given)
        costs = [value._sum(moved) for _, moved in states]  # pyright: ignore
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

    def _maker(self, value: Value) -> int:
        assert value.owner is not None
        return self.numbers[value.owner]

    def _one(self) -> int:
        """Return a variable of one state."""
        return self._network.variable([0.0])


def _states(
    value: Value, free: Sequence[Read], given: Iterable[tuple[int, ...]]
) -> list[tuple[int, tuple[int, ...]]]:
    """Return each candidate to make `value` in, with what it may be moved to."""
    wanted = {i for read in free for ws in read.wishes for w in ws for i in w}
    wanted |= {i for wish in given for i in wish}
    found: list[tuple[int, tuple[int, ...]]] = []
    for made in sorted(set(value.made)):
        others = sorted(wanted - {made})
        for count in range(len(others) + 1):
            for moved in combinations(others, count):
                have = {made, *moved}
                if all(have.intersection(wish) for wish in given):
                    found.append((made, moved))
    return found
