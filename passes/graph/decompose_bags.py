"""Write embedding bags as gathers and sums."""

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.embedding import BagOp, EmbeddingBagOp
from glow.dialects.graph.scattering import ScatterNdOp
from glow.dialects.graph.tensors import Tensor, emit
from glow.passes.patterns import Replacement, Results, RewritePass

Combine = Callable[[Tensor, bool], Tensor]
"""The sum or maximum of rows, bag by bag."""


def decompose_bag(op: BagOp, new: Replacement) -> Results:
    """bag(t, i, ..., w) -> sum of t[i] * w over each bag, or their mean or maximum"""
    table, indices = new.tensor(op.table), new.tensor(op.indices)
    rows, is_max = xp.take(table, indices), op.mode == "max"
    if op.weights is not None:
        rows = rows * xp.expand_dims(new.tensor(op.weights), -1)
    ones = xp.broadcast_to(new.like(1, rows), (*rows.shape[:-1], 1))
    if op.padding_idx is not None:
        row = op.padding_idx % table.shape[0]
        is_padding = (indices == row) | (indices == row - table.shape[0])
        is_padding = xp.expand_dims(is_padding, -1)
        rows = xp.where(is_padding, -inf if is_max else 0, rows)
        ones = xp.where(is_padding, 0, ones)
    combine = _along_last if _bounds(op) is None else _by_bag(op, new)
    result = combine(rows, is_max)
    if op.mode == "sum":
        return result
    count = combine(ones, False)
    if is_max:
        return xp.where(count == 0, 0, result)
    return result / xp.maximum(count, 1)


def _along_last(rows: Tensor, is_max: bool) -> Tensor:
    return (xp.max if is_max else xp.sum)(rows, axis=-2)


def _bounds(op: Any) -> Any:
    return op.offsets if isinstance(op, EmbeddingBagOp) else op.lengths


def _by_bag(op: Any, new: Replacement) -> Combine:
    """Return how to combine rows whose bags are given by offsets or lengths."""
    bounds, count = new.tensor(_bounds(op)), new.tensor(op.indices).size
    if not isinstance(op, EmbeddingBagOp):
        ends = xp.cumulative_sum(bounds)
    else:
        ends = bounds[1:]
        if not op.include_last_offset:
            ends = xp.concat([ends, new.tensor(np.array([count], bounds.dtype))])
    bags = ends.size
    # A row after i ends is in bag i; one after the last end is in none.
    zero = new.tensor(np.zeros(count + 1, np.int64))
    marks = xp.index_add(zero, ends, new.tensor(np.ones(bags, np.int64)), 0)
    places = xp.cumulative_sum(marks)[:count].reshape(count, 1)

    def combine(rows: Tensor, is_max: bool) -> Tensor:
        start = new.like(-inf if is_max else 0, rows)
        start = xp.broadcast_to(start, (bags + 1, rows.shape[-1]))
        reduction = "max" if is_max else "add"
        result = emit(ScatterNdOp, start, places, rows, reduction=reduction)
        return result[:bags]

    return combine


class DecomposeBagsPass(RewritePass):
    """
    Replace each embedding bag by the rows that it reads, scattered to their bags.

    It is for gradients, and not in the pipeline: a bag has a kernel, which needs no
    memory for rows.

    Level: graph -> graph. Needs: nothing.
    """

    name = "decompose-bags"
    patterns = (decompose_bag,)
