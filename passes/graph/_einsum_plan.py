"""Plans of Einstein sums: the order of products, and the transposes they need."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import chain, product
from math import prod

from glow.support.einsum import Labels

Size = Callable[[Labels], int]


@dataclass(frozen=True)
class MatrixProduct:
    """
    A matrix product of two operands, each transposed first where its order differs.

    Operands are [batch..., free..., summed...], with the last two groups swapped where
    that saves a transpose. `batch` may have axes that `rhs` lacks: they broadcast.
    """

    is_swapped: bool
    """Whether the second operand is the left factor."""
    batch: Labels
    left: Labels
    right: Labels
    summed: Labels

    @property
    def result(self) -> Labels:
        """The axes of the product, in order."""
        return self.batch + self.left + self.right


def order_of(labels: Labels, groups: Sequence[Labels]) -> tuple[Labels, bool]:
    """
    Return a matrix order of `labels`, and whether its last two groups are swapped.

    `groups` are the batch and the two of the matrix. Labels in a matrix order keep it.
    """
    batch, rows, columns = groups
    swapped = batch + columns + rows
    if labels == swapped != batch + rows + columns:
        return swapped, True
    return batch + rows + columns, False


def plan(one: Labels, other: Labels, kept: Labels, size: Size) -> MatrixProduct:
    """
    Return the product of two operands that moves the fewest elements before and after.

    `kept` are the axes that are not summed, in the order of the result if this is the
    last product. Each operand has a summed axis, and none that the other one lacks.
    """
    return min(
        _plans(one, other, kept),
        key=lambda p: _moved(p, (one, other), kept, size),
    )


def _plans(one: Labels, other: Labels, kept: Labels) -> Iterator[MatrixProduct]:
    for is_swapped, by_right, summed_by_right, is_spread in product(
        (False, True), repeat=4
    ):
        left, right = (other, one) if is_swapped else (one, other)
        shared = [label for label in left if label in right]
        summed = _ordered(right if summed_by_right else left, set(shared) - set(kept))
        batch = _ordered(right if by_right else left, set(shared) & set(kept))
        own = _ordered(left, set(left) - set(shared))
        if is_spread:
            last = max((left.index(label) for label in batch), default=-1)
            spread = _ordered(left[: last + 1], set(batch) | set(own))
            if set(own) <= set(spread):
                continue  # matrices would have one row each
            batch, own = spread, _ordered(own, set(own) - set(spread))
        columns = _ordered(right, set(right) - set(shared))
        yield MatrixProduct(is_swapped, batch, own, columns, summed)


def _ordered(labels: Labels, chosen: set[str]) -> Labels:
    return tuple(label for label in labels if label in chosen)


def _moved(
    plan: MatrixProduct, operands: tuple[Labels, Labels], kept: Labels, size: Size
) -> tuple[int, int]:
    """Return how many elements transposes move, and how many products there are."""
    left, right = operands[::-1] if plan.is_swapped else operands
    moved = 0
    batch = _ordered(plan.batch, set(right))
    for labels, groups in (
        (left, (plan.batch, plan.left, plan.summed)),
        (right, (batch, plan.summed, plan.right)),
    ):
        if order_of(labels, groups)[0] != labels:
            moved += size(labels)
    if set(plan.result) == set(kept) and plan.result != kept:
        moved += size(kept)
    return moved, size(plan.batch)


class PairQueue:
    """
    The pairs of operands of an Einstein sum, those that take the least work first.

    Operands are numbered in order; a product gets the next number. A queue has each
    pair once, as no cost changes: where two operands are left alone with an axis, one
    of them is a new product.
    """

    def __init__(
        self, terms: Sequence[Labels], result: Labels, extents: Mapping[str, int]
    ):
        self._result = result
        self._extents = {label: max(n, 1) for label, n in extents.items()}
        self._terms: dict[int, frozenset[str]] = {}
        self._sizes: dict[int, int] = {}
        self._counts: Counter[str] = Counter(chain.from_iterable(terms))
        self._queue: list[tuple[int, int, int, int]] = []
        for labels in terms:
            self._add(len(self._terms), labels)

    def cheapest(self) -> tuple[int, int]:
        """Return the operands whose product is smallest, before and then after sums."""
        while True:
            *_, second, first = heappop(self._queue)
            if first in self._terms and second in self._terms:
                return first, second

    def kept(self, first: int, second: int) -> set[str]:
        """Return the axes of two operands that the result or another operand has."""
        one, other = self._terms[first], self._terms[second]
        return {*one, *other}.difference(self._summed(one & other))

    def join(self, pair: tuple[int, int], number: int, labels: Labels) -> None:
        """Put operand `number` in the place of two others."""
        for each in pair:
            self._counts.subtract(self._terms.pop(each))
        self._counts.update(labels)
        self._add(number, labels)

    def _add(self, number: int, labels: Labels) -> None:
        own, size = frozenset(labels), self._size(labels)
        for other, its in self._terms.items():
            shared = own & its
            whole = size * self._sizes[other] // self._size(shared)
            kept = whole // self._size(self._summed(shared))
            heappush(self._queue, (whole, kept, number, other))
        self._terms[number], self._sizes[number] = own, size

    def _summed(self, shared: Iterable[str]) -> list[str]:
        """Return which axes of two operands nothing else has."""
        counts = self._counts
        return [a for a in shared if counts[a] == 2 and a not in self._result]

    def _size(self, labels: Iterable[str]) -> int:
        return prod(self._extents[label] for label in labels)


def size_by(extents: dict[str, int]) -> Size:
    """Return a function that counts the elements of an operand with given axes."""
    return lambda labels: prod(extents[label] for label in labels)
