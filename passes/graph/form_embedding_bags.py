"""Form embedding bags of gathers whose rows are only combined."""

from typing import TypeGuard

import numpy as np
from xdsl.ir import Block, Operation, SSAValue

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.binary import MulOp
from glow.dialects.graph.embedding import EmbeddingBagOp, SparseLengthsSumOp
from glow.dialects.graph.indexing import GatherOp
from glow.dialects.graph.reduction import ReduceMaxOp, ReduceMeanOp, ReduceSumOp
from glow.dialects.graph.tensors import Tensor
from glow.passes.constants import Constants
from glow.passes.graph.operands import factors_of
from glow.passes.patterns import Replacement, Results, RewritePass
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


def form_bag(op: ReduceSumOp | ReduceMeanOp | ReduceMaxOp, new: Replacement) -> Results:
    """
    reduce(gather(t, i) * w) -> embedding_bag(t, i, weights=w)

    where rows of a table are combined along one axis of the indices and read by nothing
    else, and w, if there is any, is one number for each.
    """
    shape = shape_of(op.input)
    if len(op.axes) != 1 or has_layout(op.input) or 0 in shape:
        return None
    axis, rows = normalize_axis(op.axes[0], len(shape)), _rows_of(op.input)
    if rows is None or axis == len(shape) - 1:
        return None
    gather, weights = rows
    indices = _bags_last(new.tensor(gather.indices), axis)
    if weights is not None:
        wide = xp.broadcast_to(new.tensor(weights), (*shape[:-1], 1))
        weights = _bags_last(xp.squeeze(wide, -1), axis)
    slots = (gather.data, indices, None, weights)
    bag = new.emit(EmbeddingBagOp, *slots, mode=MODES[type(op)])
    return bag.reshape(*shape_of(op.result))


def _rows_of(value: SSAValue) -> tuple[GatherOp, SSAValue | None] | None:
    """Return which rows of a table `value` is made of, and what scales them."""
    if not value.has_one_use():
        return None
    if not isinstance(value.owner, MulOp):
        return (value.owner, None) if _is_lookup(value.owner) else None
    for rows, weights in factors_of(value):
        is_whole = rows.type == value.type and rows.has_one_use()
        is_factor = not has_layout(weights) and shape_of(weights)[-1:] in ((), (1,))
        if is_whole and is_factor and _is_lookup(rows.owner):
            return rows.owner, weights
    return None


def _is_lookup(op: Operation | Block) -> TypeGuard[GatherOp]:
    """Return whether `op` gathers whole rows of a table of floats."""
    if not isinstance(op, GatherOp) or any(map(has_layout, op.operands)):
        return False
    is_table = len(shape_of(op.data)) == 2 and op.axis in (0, -2)
    return is_table and is_float(element_of(op.data))


def _bags_last(value: Tensor, axis: int) -> Tensor:
    return value.transpose(*(i for i in range(value.ndim) if i != axis), axis)


def even_bags(op: EmbeddingBagOp | SparseLengthsSumOp, new: Replacement) -> Results:
    """
    embedding_bag(t, i, offsets=[0, L, 2L, ...]) -> embedding_bag(t, reshape(i))

    and the same where lengths are known and equal.
    """
    size = _size_of_bags(op, new.constants)
    if size is None or has_layout(op.indices):
        return None
    shape = (shape_of(op.result)[0], size)
    given = [op.indices] if op.weights is None else [op.indices, op.weights]
    indices, *weights = (new.tensor(value).reshape(*shape) for value in given)
    parameters = op.parameters()
    parameters.pop("include_last_offset", None)
    return new.emit(EmbeddingBagOp, op.table, indices, None, *weights, **parameters)


def _size_of_bags(
    op: EmbeddingBagOp | SparseLengthsSumOp, constants: Constants
) -> int | None:
    """Return how many indices each bag of `op` has, if that is known."""
    bounds = op.lengths if isinstance(op, SparseLengthsSumOp) else op.offsets
    known = None if bounds is None else constants.array_of(bounds)
    total, bags = shape_of(op.indices)[0], shape_of(op.result)[0]
    if known is None or bags == 0 or total % bags:
        return None
    size = total // bags
    if not isinstance(op, SparseLengthsSumOp):
        return size if (known == size * np.arange(len(known))).all() else None
    return size if (known == size).all() else None


class FormEmbeddingBagsPass(RewritePass):
    """
    Replace a gather of table rows, their weighting and their reduction by one op.

    Rows are then added up in place and never stored. Bags known to have equal lengths
    are given by the shape of the indices, without offsets or lengths.

    Level: graph -> graph. Needs: nothing.
    """

    name = "form-embedding-bags"
    patterns = (form_bag, even_bags)
