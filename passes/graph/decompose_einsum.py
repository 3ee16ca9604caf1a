"""Write Einstein sums as matrix products, elementwise products and sums."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import chain, product
from math import prod

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.linear import EinsumOp, MatMulOp
from glow.dialects.graph.tensors import Tensor, emit
from glow.passes.patterns import Replacement, Results, RewritePass
from glow.support.einsum import Labels, read_equation
from glow.support.types import has_layout, shape_of

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

    `groups` are batch, and the two of the matrix. It is their own order if that is one.
    """
    batch, rows, columns = groups
    swapped = batch + columns + rows
    if labels == swapped != batch + rows + columns:
        return swapped, True
    return batch + rows + columns, False


def plan(one: Labels, other: Labels, kept: Labels, size: Size) -> MatrixProduct:
    """
    Return the product of two operands that moves the fewest elements before and after.

    `kept` are the axes that are not summed, in the order that is wanted if it is all
    that is left. Each operand has a summed axis, and no other one alone.
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
    pair once, as no cost changes: an axis is left to two operands alone by a product
    that is one of them.
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
        """Return the two operands whose product is the smallest, summed and not."""
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
    """Return what counts the elements of an operand with given axes."""
    return lambda labels: prod(extents[label] for label in labels)


@dataclass(frozen=True)
class _Term:
    """A value and what its axes are called; none has extent 1 or stands twice."""

    value: Tensor
    labels: Labels


def decompose_einsum(op: EinsumOp, new: Replacement) -> Results:
    """
    einsum(x, y, ...) -> reshape(transpose(... matmul(x, y) ...))

    Pairs are contracted one after the other, the cheapest first.
    """
    if any(map(has_layout, op.operands)):
        return None
    return _Sums(new, op).result()


class _Sums:
    """Writes the ops of one Einstein sum."""

    def __init__(self, new: Replacement, op: EinsumOp):
        shapes = [shape_of(value) for value in op.inputs]
        equation = read_equation(op.equation, shapes)
        self.shape = equation.shape
        self.extents = equation.extents
        self.wanted = self._long(equation.result)
        pairs = zip(map(new.tensor, op.inputs), equation.terms, strict=True)
        self.terms: list[_Term] = [self._plain(*pair) for pair in pairs]

    def result(self) -> Tensor:
        counts = Counter(label for term in self.terms for label in term.labels)
        terms = [self._alone(term, counts) for term in self.terms]
        pairs = PairQueue([term.labels for term in terms], self.wanted, self.extents)
        for _ in terms[1:]:
            i, j = pair = pairs.cheapest()
            terms.append(self._joined(terms[i], terms[j], pairs.kept(i, j)))
            pairs.join(pair, len(terms) - 1, terms[-1].labels)
        last = terms[-1]
        return self._transposed(last, self.wanted).value.reshape(*self.shape)

    def _long(self, labels: Labels) -> Labels:
        return tuple(label for label in labels if self.extents[label] != 1)

    def _plain(self, value: Tensor, labels: Labels) -> _Term:
        """Return an operand without axes of extent 1, and with diagonals taken."""
        kept = [axis for axis, extent in enumerate(value.shape) if extent != 1]
        value = value.reshape(*(value.shape[axis] for axis in kept))
        term = _Term(value, tuple(labels[axis] for axis in kept))
        for label in dict.fromkeys(term.labels):
            while term.labels.count(label) > 1:
                term = self._diagonal(term, label)
        return term

    def _diagonal(self, term: _Term, label: str) -> _Term:
        """Return every n+1st element of two axes of extent n, seen as one."""
        places = [axis for axis, own in enumerate(term.labels) if own == label][:2]
        rest = [axis for axis in range(len(term.labels)) if axis not in places]
        value = term.value.transpose(*rest, *places)
        *outer, count, _ = value.shape
        value = value.reshape(*outer, count * count)[..., :: count + 1]
        return _Term(value, (*(term.labels[axis] for axis in rest), label))

    def _alone(self, term: _Term, counts: Counter[str]) -> _Term:
        """Return a term summed over the axes that nothing else has."""
        own = [k for k in term.labels if counts[k] == 1 and k not in self.wanted]
        return self._sum(term, own)

    def _sum(self, term: _Term, summed: list[str]) -> _Term:
        if not summed:
            return term
        axes = [term.labels.index(label) for label in summed]
        value = xp.sum(term.value, axes)
        return _Term(value, tuple(k for k in term.labels if k not in summed))

    def _transposed(self, term: _Term, labels: Labels) -> _Term:
        order = [term.labels.index(label) for label in labels]
        return _Term(term.value.transpose(*order), labels)

    def _joined(self, one: _Term, other: _Term, wanted: set[str]) -> _Term:
        """Return the product of two terms, summed over what nothing else has."""
        axes = tuple(dict.fromkeys(one.labels + other.labels))
        kept = tuple(label for label in axes if label in wanted)
        if set(kept) == set(self.wanted):
            kept = self.wanted
        if set(kept) == set(axes):
            return self._product(one, other, kept)
        if kept and set(one.labels) == set(other.labels):
            product = self._product(one, other, one.labels)
            return self._sum(product, [k for k in axes if k not in kept])
        return self._contracted(
            one, other, plan(one.labels, other.labels, kept, size_by(self.extents))
        )

    def _product(self, one: _Term, other: _Term, labels: Labels) -> _Term:
        """Return the elementwise product of two terms, which broadcast."""
        left, right = (self._spread(term, labels) for term in (one, other))
        return _Term(left * right, labels)

    def _spread(self, term: _Term, labels: Labels) -> Tensor:
        """Return a term with its axes in this order, of extent 1 where it has none."""
        own = tuple(label for label in labels if label in term.labels)
        shape = [self.extents[k] if k in own else 1 for k in labels]
        return self._transposed(term, own).value.reshape(*shape)

    def _contracted(self, one: _Term, other: _Term, by: MatrixProduct) -> _Term:
        left, right = (other, one) if by.is_swapped else (one, other)
        lhs, transpose_lhs = self._matrix(left, by.batch, (by.left, by.summed))
        rhs, transpose_rhs = self._matrix(right, by.batch, (by.summed, by.right))
        flags = {"transpose_lhs": transpose_lhs, "transpose_rhs": transpose_rhs}
        shape = [self.extents[label] for label in by.result]
        return _Term(emit(MatMulOp, lhs, rhs, **flags).reshape(*shape), by.result)

    def _matrix(
        self, term: _Term, batch: Labels, groups: tuple[Labels, Labels]
    ) -> tuple[Tensor, bool]:
        """Return a term as [batch..., rows, columns], and whether these are swapped."""
        own = tuple(label for label in batch if label in term.labels)
        order, is_swapped = order_of(term.labels, (own, *groups))
        value = self._transposed(term, order).value
        sides = [prod(self.extents[label] for label in group) for group in groups]
        sides = sides[::-1] if is_swapped else sides
        outer = [self.extents[k] if k in own else 1 for k in batch]
        return value.reshape(*outer, *sides), is_swapped


class DecomposeEinsumPass(RewritePass):
    """
    Replace each Einstein sum by diagonals, sums, and products of two operands at once.

    A product with a sum becomes a matrix product, with transposes only where no order
    of its axes avoids them; a product without a sum, or of operands that share all
    axes, is elementwise.

    Level: graph -> graph. Needs: nothing.
    """

    name = "decompose-einsum"
    patterns = (decompose_einsum,)
