"""Candidate layouts of values, ways to run ops, and what moves between them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

from xdsl.ir import Operation, SSAValue, Use

from glow.dialects.layout.transform import TransformOp
from glow.support.layout import Layout, address_map, size_of
from glow.support.types import itemsize_of, shape_of

# A value with more candidates than this gets no new ones from its neighbors. Real
# networks have up to four.
MOST = 8


@lru_cache(1 << 14)
def _bytes_key(layout: Layout, shape: tuple[int, ...], itemsize: int) -> Any:
    """Return a key that layouts with the same bytes for a tensor share."""
    return (
        layout.halo,
        address_map(layout, shape, itemsize),
        size_of(layout, shape, itemsize),
    )


class LayoutCandidates:
    """The layouts that one value may have, each once; no two have the same bytes."""

    def __init__(self, value: SSAValue):
        self.layouts: list[Layout] = []
        self._shape = shape_of(value)
        self._itemsize = itemsize_of(value)
        self._index: dict[Any, int] = {}

    def find(self, layout: Layout) -> int | None:
        """Return the index of the candidate with these bytes."""
        return self._index.get(_bytes_key(layout, self._shape, self._itemsize))

    def add(self, layout: Layout) -> int:
        """Return the index of `layout`, which may be new."""
        key = _bytes_key(layout, self._shape, self._itemsize)
        if key not in self._index:
            self._index[key] = len(self.layouts)
            self.layouts.append(layout)
        return self._index[key]

    def has_room_for(self, layout: Layout) -> bool:
        return len(self.layouts) < MOST or self.find(layout) is not None


@dataclass(frozen=True)
class Way:
    """
    One way to run an op: candidates of its operands and results, by index.

    An operand may have any of several, a result has one.
    """

    operands: tuple[tuple[int, ...], ...]
    results: tuple[int, ...]
    cost: float = 0.0


Wishes = tuple[tuple[int, ...], ...]
"""Sets of candidates: of each set, one candidate is wanted."""


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
class LayoutDemand:
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


def source_of(value: SSAValue) -> SSAValue:
    """Return the value that `value` was before all of its transforms."""
    owner = value.owner
    while type(owner) is TransformOp:
        value = owner.input
        owner = value.owner
    return value


def readers_of(value: SSAValue) -> Iterator[Use]:
    """Yield the uses of `value` and of its transforms, except by transforms."""
    for use in value.uses:
        if isinstance(use.operation, TransformOp):
            yield from readers_of(use.operation.result)
        else:
            yield use
