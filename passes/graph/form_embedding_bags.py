"""Form embedding bags of gathers whose rows are only combined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeGuard

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
)

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.binary import MulOp
from glow.dialects.graph.embedding import EmbeddingBagOp, SparseLengthsSumOp
from glow.dialects.graph.indexing import GatherOp
from glow.dialects.graph.reduction import ReduceMaxOp, ReduceMeanOp, ReduceSumOp
from glow.dialects.graph.tensors import Tensor
from glow.passes.constants import Constants
from glow.passes.replacement import Replacement
from glow.support.rewriting import op_type_rewrite_pattern, rewrite
from glow.support.types import (
    element_of,
    has_layout,
    is_float,
    normalize_axis,
    shape_of,
)

MODES: dict[type[GraphOp], str] = {
    ReduceSumOp: "sum",
    ReduceMeanOp: "mean",
    ReduceMaxOp: "max",
}


@dataclass(frozen=True)
class _Rows:
    """The rows that are combined: where they are from, and what scales them."""

    gather: GatherOp
    weights: SSAValue | None


class FormBag(RewritePattern):
    """
    reduce(gather(t, i) * w) -> embedding_bag(t, i, weights=w)

    where rows of a table are combined along one axis of the indices and read by nothing
    else, and w, if there is any, is one number for each.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: ReduceSumOp | ReduceMeanOp | ReduceMaxOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        rank, axes = len(shape_of(op.input)), op.axes
        if len(axes) != 1 or any(map(has_layout, (op.input, op.result))):
            return
        axis, rows = normalize_axis(axes[0], rank), _rows_of(op.input)
        if rows is None or axis == rank - 1 or 0 in shape_of(op.input):
            return
        new = Replacement(op, rewriter)
        indices = _bags_last(new.tensor(rows.gather.indices), axis)
        weights = None
        if rows.weights is not None:
            wide = xp.broadcast_to(
                new.tensor(rows.weights), (*shape_of(op.input)[:-1], 1)
            )
            weights = _bags_last(xp.squeeze(wide, -1), axis)
        table, mode = rows.gather.data, MODES[type(op)]
        bag = new.emit(EmbeddingBagOp, table, indices, None, weights, mode=mode)
        new.finish(bag.reshape(*shape_of(op.result)))


def _rows_of(value: SSAValue) -> _Rows | None:
    """Return which rows `value` is made of, if they are floats of a table."""
    op = value.owner
    if not value.has_one_use():
        return None
    if not isinstance(op, MulOp):
        return _Rows(op, None) if _is_lookup(op) else None
    for rows, weights in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        owner, shape = rows.owner, shape_of(weights)
        is_whole = rows.type == value.type and rows.has_one_use()
        is_factor = not has_layout(weights) and shape[-1:] in ((), (1,))
        if is_whole and is_factor and _is_lookup(owner):
            return _Rows(owner, weights)
    return None


def _is_lookup(op: Operation | Block) -> TypeGuard[GatherOp]:
    """Return whether `op` gathers whole rows of a table of floats."""
    if not isinstance(op, GatherOp) or any(map(has_layout, op.operands)):
        return False
    is_table = len(shape_of(op.data)) == 2 and op.axis in (0, -2)
    return is_table and is_float(element_of(op.data))


def _bags_last(value: Tensor, axis: int) -> Tensor:
    """Return `value` with `axis` last."""
    return value.transpose(*(i for i in range(value.ndim) if i != axis), axis)


@dataclass
class EvenBags(RewritePattern):
    """
    embedding_bag(t, i, offsets=[0, L, 2L, ...]) -> embedding_bag(t, reshape(i))

    and the same where lengths are known and equal.
    """

    constants: Constants

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: EmbeddingBagOp | SparseLengthsSumOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        size = self._size(op)
        if size is None or any(map(has_layout, (op.indices, op.result))):
            return
        shape = (shape_of(op.result)[0], size)
        new = Replacement(op, rewriter)
        given = [op.indices] if op.weights is None else [op.indices, op.weights]
        indices, *weights = (new.tensor(value).reshape(*shape) for value in given)
        parameters = op.parameters()
        parameters.pop("include_last_offset", None)
        slots = (op.table, indices, None, *weights)
        new.finish(new.emit(EmbeddingBagOp, *slots, **parameters))

    def _size(self, op: EmbeddingBagOp | SparseLengthsSumOp) -> int | None:
        """Return how many indices each bag of `op` has, if that is known."""
        told = op.lengths if isinstance(op, SparseLengthsSumOp) else op.offsets
        known = None if told is None else self.constants.array_of(told)
        total, bags = shape_of(op.indices)[0], shape_of(op.result)[0]
        if known is None or bags == 0 or total % bags:
            return None
        size = total // bags
        if isinstance(op, SparseLengthsSumOp):
            return size if (known == size).all() else None
        return size if (known == size * np.arange(len(known))).all() else None


@dataclass(frozen=True)
class FormEmbeddingBagsPass(ModulePass):
    """
    Make one op of what gathers rows of a table, weighs and combines them.

    Rows are then added up where they lie, and never stored. Bags that are known to be
    even are told by the shape of the indices, without offsets or lengths.

    Level: graph -> graph. Needs: nothing.
    """

    name = "form-embedding-bags"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, FormBag(), EvenBags(Constants(op)))
