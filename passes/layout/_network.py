"""The layouts of a block as a cost network."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np
from xdsl.ir import Operation

from glow.passes.layout._candidates import LayoutDemand, Read, Way, Wishes
from glow.support.cost_network import CostNetwork

_TIE = 2.0**-10
"""The cost of a later way to run an op over an earlier one that costs as much."""


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
