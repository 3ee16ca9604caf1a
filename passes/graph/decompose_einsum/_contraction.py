"""The matrix product that contracts two operands of an Einstein sum."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from glow.support.einsum import Labels

Size = Callable[[Labels], int]


@dataclass(frozen=True)
class Plan:
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

    `groups` are batch, and the two of the matrix. It is their own order if that is one.
    """
    batch, rows, columns = groups
    swapped = batch + columns + rows
    if labels == swapped != batch + rows + columns:
        return swapped, True
    return batch + rows + columns, False


def plan(one: Labels, other: Labels, kept: Labels, size: Size) -> Plan:
    """
    Return the product of two operands that moves the fewest elements before and after.

    `kept` are the axes that are not summed, in the order that is wanted if it is all
    that is left. Each operand has a summed axis, and no other one alone.
    """
    return min(
        _plans(one, other, kept),
        key=lambda p: _moved(p, (one, other), kept, size),
    )


def _plans(one: Labels, other: Labels, kept: Labels) -> Iterator[Plan]:
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
        yield Plan(is_swapped, batch, own, columns, summed)


def _ordered(labels: Labels, chosen: set[str]) -> Labels:
    return tuple(label for label in labels if label in chosen)


def _moved(
    plan: Plan, operands: tuple[Labels, Labels], kept: Labels, size: Size
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


def cheapest_pair(
    terms: Sequence[Labels], result: Labels, size: Size
) -> tuple[int, int]:
    """Return the two of at least two operands whose product takes the least work."""
    pairs = [(i, j) for j in range(len(terms)) for i in range(j)]

    def cost(pair: tuple[int, int]) -> tuple[int, int]:
        i, j = pair
        axes = tuple(dict.fromkeys(terms[i] + terms[j]))
        return size(axes), size(_ordered(axes, needed(terms, pair, result)))

    return min(pairs, key=cost)


def needed(terms: Sequence[Labels], pair: tuple[int, int], result: Labels) -> set[str]:
    """Return the axes that anything but the two operands of `pair` has."""
    rest = (term for k, term in enumerate(terms) if k not in pair)
    return {*result, *(label for term in rest for label in term)}


def size_by(extents: dict[str, int]) -> Size:
    """Return what counts the elements of an operand with given axes."""
    return lambda labels: prod(extents[label] for label in labels)
