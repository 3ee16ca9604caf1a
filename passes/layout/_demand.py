"""Demands for layouts: producers and readers of a value, and what moves between."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from xdsl.ir import Operation

Wishes = tuple[tuple[int, ...], ...]
"""For each set of candidates, one of them is wanted."""


@dataclass(frozen=True)
class Read:
    """Reads of a value by one op: the wanted layouts for each way to run the op."""

    op: Operation
    wishes: tuple[Wishes, ...]

    @property
    def is_given(self) -> bool:
        """Whether all ways to run the op want the same."""
        return len(set(self.wishes)) == 1


@dataclass(frozen=True)
class Value:
    """A value with the layouts that its owner makes and its readers want."""

    owner: Operation | None
    made: tuple[int, ...]
    """The candidate that it is made in, for each way to run its owner."""
    reads: tuple[Read, ...]
    costs: tuple[float, ...]
    """The cost of each candidate besides the one in which it is made."""

    @property
    def is_given(self) -> bool:
        return len(set(self.made)) == 1

    def moved(self, made: int, wishes: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
        """Return the cheapest candidates to add, so that all wishes are met."""
        open_ = {wish for wish in wishes if made not in wish}
        if all(len(wish) == 1 for wish in open_):
            return tuple(sorted({wish[0] for wish in open_}))
        choice = sorted({i for wish in open_ for i in wish})
        covers = (
            cover
            for count in range(1, len(open_) + 1)
            for cover in combinations(choice, count)
            if all(set(cover).intersection(wish) for wish in open_)
        )
        return min(covers, key=lambda cover: (self.cost_of(cover), cover))

    def cost(self, made: int, wishes: Iterable[tuple[int, ...]]) -> float:
        """Return the cost of the movements that meet `wishes`."""
        return self.cost_of(self.moved(made, wishes))

    def cost_of(self, candidates: Iterable[int]) -> float:
        """Return the cost of adding `candidates`."""
        return sum(self.costs[i] for i in candidates)
