"""Write Einstein sums as matrix products, elementwise products and sums."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from glow.dialects.graph.binary import MulOp
from glow.dialects.graph.einsum import EinsumOp
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.movement import TransposeOp
from glow.dialects.graph.reduction import ReduceSumOp
from glow.dialects.graph.slicing import SliceOp
from glow.passes.graph._contraction import (
    Plan,
    cheapest_pair,
    needed,
    order_of,
    plan,
    size_by,
)
from glow.passes.graph._writer import Writer
from glow.support.einsum import Labels, read_equation
from glow.support.rewriting import rewrite
from glow.support.types import has_layout, shape_of


@dataclass(frozen=True)
class _Term:
    """A value and what its axes are called; none has extent 1 or stands twice."""

    value: SSAValue
    labels: Labels


class DecomposeEinsum(RewritePattern):
    """
    einsum(x, y, ...) -> reshape(transpose(... matmul(x, y) ...))

    Pairs are contracted one after the other, the cheapest first.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: EinsumOp, rewriter: PatternRewriter, /) -> None:
        if any(map(has_layout, (*op.operands, op.result))):
            return
        writer = Writer()
        result = _Sums(writer, op).result()
        rewriter.replace(op, writer.ops, (result,))


class _Sums:
    """Writes the ops of one Einstein sum."""

    def __init__(self, writer: Writer, op: EinsumOp):
        self.writer = writer
        shapes = [shape_of(value) for value in op.inputs]
        equation = read_equation(op.equation, shapes)
        self.shape = equation.shape
        self.extents = equation.extents
        self.wanted = self._long(equation.result)
        pairs = zip(op.inputs, equation.terms, strict=True)
        self.terms: list[_Term] = [self._plain(*pair) for pair in pairs]

    def result(self) -> SSAValue:
        size = size_by(self.extents)
        self.terms = [self._summed(i) for i in range(len(self.terms))]
        while len(self.terms) > 1:
            labels = [term.labels for term in self.terms]
            i, j = pair = cheapest_pair(labels, self.wanted, size)
            found = self._joined(
                self.terms[i], self.terms[j], needed(labels, pair, self.wanted)
            )
            rest = [term for k, term in enumerate(self.terms) if k not in pair]
            self.terms = [*rest, found]
        (last,) = self.terms
        found = self._transposed(last, self.wanted)
        return self.writer.reshaped(found.value, *self.shape)

    def _long(self, labels: Labels) -> Labels:
        return tuple(label for label in labels if self.extents[label] != 1)

    def _plain(self, value: SSAValue, labels: Labels) -> _Term:
        """Return an operand without axes of extent 1, and with diagonals taken."""
        extents = shape_of(value)
        kept = [axis for axis, extent in enumerate(extents) if extent != 1]
        value = self.writer.reshaped(value, *(extents[axis] for axis in kept))
        found = _Term(value, tuple(labels[axis] for axis in kept))
        for label in dict.fromkeys(found.labels):
            while found.labels.count(label) > 1:
                found = self._diagonal(found, label)
        return found

    def _diagonal(self, term: _Term, label: str) -> _Term:
        """Return every n+1st element of two axes of extent n, seen as one."""
        places = [axis for axis, own in enumerate(term.labels) if own == label][:2]
        rest = [axis for axis in range(len(term.labels)) if axis not in places]
        value, order = term.value, [*rest, *places]
        if order != sorted(order):
            value = self.writer.add(TransposeOp(value, permutation=order))
        *outer, count, _ = shape_of(value)
        value = self.writer.reshaped(value, *outer, count * count)
        still, ones = [0] * len(outer), [1] * len(outer)
        value = self.writer.add(
            SliceOp(
                value,
                starts=[*still, 0],
                sizes=[*outer, count],
                steps=[*ones, count + 1],
            )
        )
        return _Term(value, (*(term.labels[axis] for axis in rest), label))

    def _summed(self, index: int) -> _Term:
        """Return a term summed over the axes that nothing else has."""
        term = self.terms[index]
        labels = [other.labels for other in self.terms]
        wanted = needed(labels, (index, index), self.wanted)
        return self._sum(term, [k for k in term.labels if k not in wanted])

    def _sum(self, term: _Term, summed: list[str]) -> _Term:
        if not summed:
            return term
        axes = [term.labels.index(label) for label in summed]
        value = self.writer.add(ReduceSumOp(term.value, axes=axes, keepdims=False))
        return _Term(value, tuple(k for k in term.labels if k not in summed))

    def _transposed(self, term: _Term, labels: Labels) -> _Term:
        """Return a term with its axes in this order."""
        if term.labels == labels:
            return term
        order = [term.labels.index(label) for label in labels]
        return _Term(
            self.writer.add(TransposeOp(term.value, permutation=order)), labels
        )

    def _joined(self, one: _Term, other: _Term, wanted: set[str]) -> _Term:
        """Return the product of two terms, summed over what nothing else has."""
        axes = tuple(dict.fromkeys(one.labels + other.labels))
        kept = tuple(label for label in axes if label in wanted)
        if set(kept) == set(self.wanted):
            kept = self.wanted
        if set(kept) == set(axes):
            return self._product(one, other, kept)
        if kept and set(one.labels) == set(other.labels):
            found = self._product(one, other, one.labels)
            return self._sum(found, [k for k in axes if k not in kept])
        return self._contracted(
            one, other, plan(one.labels, other.labels, kept, size_by(self.extents))
        )

    def _product(self, one: _Term, other: _Term, labels: Labels) -> _Term:
        """Return the elementwise product of two terms, which broadcast."""
        factors: list[SSAValue] = []
        for term in (one, other):
            own = tuple(label for label in labels if label in term.labels)
            value = self._transposed(term, own).value
            shape = [self.extents[k] if k in own else 1 for k in labels]
            factors.append(self.writer.reshaped(value, *shape))
        return _Term(self.writer.add(MulOp(*factors)), labels)

    def _contracted(self, one: _Term, other: _Term, by: Plan) -> _Term:
        """Return the matrix product that `by` describes."""
        left, right = (other, one) if by.is_swapped else (one, other)
        lhs, transpose_lhs = self._matrix(left, by.batch, (by.left, by.summed))
        rhs, transpose_rhs = self._matrix(right, by.batch, (by.summed, by.right))
        found = self.writer.add(
            MatMulOp(lhs, rhs, transpose_lhs=transpose_lhs, transpose_rhs=transpose_rhs)
        )
        shape = [self.extents[label] for label in by.result]
        return _Term(self.writer.reshaped(found, *shape), by.result)

    def _matrix(
        self, term: _Term, batch: Labels, groups: tuple[Labels, Labels]
    ) -> tuple[SSAValue, bool]:
        """Return a term as [batch..., rows, columns], and whether these are swapped."""
        own = tuple(label for label in batch if label in term.labels)
        order, is_swapped = order_of(term.labels, (own, *groups))
        value = self._transposed(term, order).value
        sides = [prod(self.extents[label] for label in group) for group in groups]
        sides = sides[::-1] if is_swapped else sides
        outer = [self.extents[k] if k in own else 1 for k in batch]
        return self.writer.reshaped(value, *outer, *sides), is_swapped


@dataclass(frozen=True)
class DecomposeEinsumPass(ModulePass):
    """
    Replace each Einstein sum by diagonals, sums, and products of two operands at once.

    A product that sums is a matrix product, with transposes only where no order of its
    axes does without; others are elementwise, and so are those of operands that share
    all axes.

    Level: graph -> graph. Needs: nothing.
    """

    name = "decompose-einsum"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, DecomposeEinsum())
