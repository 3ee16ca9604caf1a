"""Write Einstein sums as matrix products, elementwise products and sums."""

from collections import Counter
from dataclasses import dataclass
from math import prod

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.linear import EinsumOp, MatMulOp
from glow.dialects.graph.tensors import Tensor, emit
from glow.passes.graph._einsum_plan import (
    MatrixProduct,
    PairQueue,
    order_of,
    plan,
    size_by,
)
from glow.passes.patterns import Replacement, Results, RewritePass
from glow.support.einsum import Labels, read_equation
from glow.support.types import has_layout, shape_of


@dataclass(frozen=True)
class _Term:
    """A value and the labels of its axes; no extent is 1, no label occurs twice."""

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
        """Return `term` with the diagonal of two axes called `label` as one axis."""
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
        """Return the product of two terms, summed over axes that no other term has."""
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
