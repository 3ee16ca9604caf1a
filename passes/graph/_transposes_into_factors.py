"""Patterns that apply a transpose around a matrix product to its constant factor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
)

from glow.dialects.graph.base import Array
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.movement import ReshapeOp, TransposeOp
from glow.dialects.graph.reordering import Order, axis_groups
from glow.passes.constants import Constants, folded_name
from glow.passes.graph.transposes import (
    location_of,
    moves_data,
    order_of,
    transpose_of,
)
from glow.passes.replacement import Replacement
from glow.support.locations import fuse
from glow.support.rewriting import op_type_rewrite_pattern
from glow.support.types import has_layout, shape_of


def _reordered_along(
    array: Array, axis: int, extents: tuple[int, ...], order: Order
) -> Array:
    """Split `axis` into `extents`, transpose those by `order`, and merge them again."""
    before, after = array.shape[:axis], array.shape[axis + 1 :]
    shift = len(before)
    split = array.reshape(*before, *extents, *after)
    moved = split.transpose(
        *range(shift),
        *(shift + place for place in order),
        *range(shift + len(order), split.ndim),
    )
    return np.ascontiguousarray(moved).reshape(array.shape)


def _merged_last(shape: tuple[int, ...], merged: tuple[int, ...]) -> list[int]:
    """Return the axes of `shape` that the last axis of `merged` is made of, or none."""
    if 0 in shape or not merged:
        return []
    groups = axis_groups(shape, merged)
    if not groups or groups[-1][1] != [len(merged) - 1]:
        return []
    return groups[-1][0]


def _rank_of(places: list[int]) -> Order:
    """Return the order that sorts `places`."""
    return tuple(sorted(range(len(places)), key=places.__getitem__))


@dataclass
class _FoldIntoFactor(RewritePattern):
    """Base of both patterns: makes the reordered constant."""

    constants: Constants

    def named(self, new: Replacement, old: SSAValue, array: Array) -> SSAValue:
        """Return a constant that takes the place of `old`."""
        symbol = self.constants.symbol_of(old)
        name = symbol and folded_name(symbol)
        return new.constant(array, name, location_of(old))


class FoldTransposeIntoRows(_FoldIntoFactor):
    """
    matmul(reshape(transpose(x)), w) -> matmul(reshape(x), w with rows reordered)

    for a known w, where the transpose moves but axes that the reshape merges into
    columns.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MatMulOp, rewriter: PatternRewriter, /) -> None:
        flat = op.lhs.owner
        weight = self.constants.array_of(op.rhs)
        if not isinstance(flat, ReshapeOp) or weight is None or weight.ndim < 2:
            return
        inner = transpose_of(flat.input)
        if inner is None or op.transpose_lhs or has_layout(flat.result):
            return
        axes = _merged_last(shape_of(inner.result), shape_of(flat.result))
        order = list(order_of(inner))
        sources = [order[axis] for axis in axes]
        for axis, source in zip(axes, sorted(sources), strict=True):
            order[axis] = source
        if not axes or moves_data(tuple(order), shape_of(inner.input)):
            return  # other axes move too
        extents = tuple(shape_of(inner.result)[axis] for axis in axes)
        rows = weight.ndim - (1 if op.transpose_rhs else 2)
        array = _reordered_along(weight, rows, extents, _rank_of(sources))
        new = Replacement(op, rewriter, self.constants)
        factor = self.named(new, op.rhs, array)
        new.location = fuse(inner.location, flat.location)
        lhs = new.tensor(inner.input).reshape(*shape_of(flat.result))
        new.location = op.location
        new.finish(new.emit(MatMulOp, lhs, factor, op.bias, **op.parameters()))


class FoldTransposeIntoColumns(_FoldIntoFactor):
    """
    transpose(reshape(matmul(a, w))) -> reshape(matmul(a, w with columns reordered))

    for a known w and bias, where the transpose moves but axes that the reshape splits
    columns into, and nothing else reads what comes between.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransposeOp, rewriter: PatternRewriter, /) -> None:
        split = op.input.owner
        if not isinstance(split, ReshapeOp) or has_layout(op.result):
            return
        product = split.input.owner
        if not isinstance(product, MatMulOp) or has_layout(split.result):
            return
        if not (split.result.has_one_use() and product.result.has_one_use()):
            return
        axes = _merged_last(shape_of(split.result), shape_of(product.result))
        places = [axis for axis in order_of(op) if axis in axes]
        kept = iter(axes)
        rest = tuple(next(kept) if a in axes else a for a in order_of(op))
        shape = [shape_of(split.result)[axis] for axis in range(len(rest))]
        for axis, place in zip(axes, places, strict=True):
            shape[axis] = shape_of(split.result)[place]
        if not axes or moves_data(rest, tuple(shape)):
            return  # other axes move too
        extents = tuple(shape_of(split.result)[axis] for axis in axes)
        order = tuple(axes.index(place) for place in places)
        self._replace(op, product, extents, order, rewriter)

    def _replace(
        self,
        op: TransposeOp,
        product: MatMulOp,
        extents: tuple[int, ...],
        order: Order,
        rewriter: PatternRewriter,
    ) -> None:
        weight = self.constants.array_of(product.rhs)
        bias = product.bias and self.constants.array_of(product.bias)
        if weight is None or weight.ndim < 2 or (product.bias and bias is None):
            return
        columns = weight.ndim - (2 if product.transpose_rhs else 1)
        moved = _reordered_along(weight, columns, extents, order)
        new = Replacement(op, rewriter, self.constants, product.location)
        slots = [product.lhs, self.named(new, product.rhs, moved)]
        if product.bias is not None and bias is not None:
            if bias.ndim and bias.shape[-1] != 1:
                bias = _reordered_along(bias, bias.ndim - 1, extents, order)
            slots.append(self.named(new, product.bias, bias))
        reordered = new.emit(MatMulOp, *slots, **product.parameters())
        new.location = op.location
        new.finish(reordered.reshape(*shape_of(op.result)))
