"""Patterns that apply a transpose around a matrix product to its constant factor."""

import numpy as np
from xdsl.ir import SSAValue

from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.movement import ReshapeOp, TransposeOp
from glow.dialects.graph.reordering import Order, axis_groups
from glow.passes.graph.transposes import moves_data, transpose_of
from glow.passes.patterns import Replacement, Results
from glow.support.arrays import Array
from glow.support.locations import fuse
from glow.support.types import has_layout, shape_of


def _reordered_along(
    array: Array, axis: int, extents: tuple[int, ...], order: Order
) -> Array:
    """Split `axis` into `extents`, transpose those by `order`, and merge them again."""
    before, after = array.shape[:axis], array.shape[axis + 1 :]
    split = array.reshape(*before, *extents, *after)
    end = axis + len(order)
    places = (axis + place for place in order)
    moved = split.transpose(*range(axis), *places, *range(end, split.ndim))
    return np.ascontiguousarray(moved).reshape(array.shape)


def _merged_last(shape: tuple[int, ...], merged: tuple[int, ...]) -> list[int]:
    """Return the axes of `shape` that the last axis of `merged` is made of, or none."""
    if 0 in shape or not merged:
        return []
    groups = axis_groups(shape, merged)
    if not groups or groups[-1][1] != [len(merged) - 1]:
        return []
    return groups[-1][0]


def fold_transpose_into_rows(op: MatMulOp, new: Replacement) -> Results:
    """
    matmul(reshape(transpose(x)), w) -> matmul(reshape(x), w with rows reordered)

    for a known w, where the transpose moves only axes that the reshape merges into
    columns.
    """
    flat = op.lhs.owner
    if not isinstance(flat, ReshapeOp) or op.transpose_lhs or has_layout(flat.result):
        return None
    weight, inner = new.constants.array_of(op.rhs), transpose_of(flat.input)
    if inner is None or weight is None or weight.ndim < 2:
        return None
    axes = _merged_last(shape_of(inner.result), shape_of(flat.result))
    order = list(inner.permutation)
    sources = [order[axis] for axis in axes]
    for axis, source in zip(axes, sorted(sources), strict=True):
        order[axis] = source
    if not axes or moves_data(tuple(order), shape_of(inner.input)):
        return None  # other axes move too
    extents = tuple(shape_of(inner.result)[axis] for axis in axes)
    rows = weight.ndim - (1 if op.transpose_rhs else 2)
    back = tuple(sorted(range(len(sources)), key=sources.__getitem__))
    factor = new.folded(_reordered_along(weight, rows, extents, back), op.rhs)
    new.location = fuse(inner.location, flat.location)
    lhs = new.tensor(inner.input).reshape(*shape_of(flat.result))
    new.location = op.location
    return new.emit(MatMulOp, lhs, factor, op.bias, **op.parameters())


def fold_transpose_into_columns(op: TransposeOp, new: Replacement) -> Results:
    """
    transpose(reshape(matmul(a, w))) -> reshape(matmul(a, w with columns reordered))

    for a known w and bias, where the transpose moves only axes that the reshape splits
    columns into, and nothing else reads the values in between.
    """
    split = op.input.owner
    product = split.input.owner if isinstance(split, ReshapeOp) else None
    if not isinstance(split, ReshapeOp) or not isinstance(product, MatMulOp):
        return None
    if has_layout(split.result):
        return None
    if not (split.result.has_one_use() and product.result.has_one_use()):
        return None
    axes = _merged_last(shape_of(split.result), shape_of(product.result))
    places = [axis for axis in op.permutation if axis in axes]
    kept = iter(axes)
    rest = tuple(next(kept) if a in axes else a for a in op.permutation)
    shape = list(shape_of(split.result))
    for axis, place in zip(axes, places, strict=True):
        shape[axis] = shape_of(split.result)[place]
    if not axes or moves_data(rest, tuple(shape)):
        return None  # other axes move too
    extents = tuple(shape_of(split.result)[axis] for axis in axes)
    order = tuple(axes.index(place) for place in places)
    reordered = _with_columns(new, product, extents, order)
    return reordered and new.tensor(reordered).reshape(*shape_of(op.result))


def _with_columns(
    new: Replacement, product: MatMulOp, extents: tuple[int, ...], order: Order
) -> SSAValue | None:
    """Return `product` with its columns reordered, if its factor and bias are known."""
    weight = new.constants.array_of(product.rhs)
    bias = product.bias and new.constants.array_of(product.bias)
    if weight is None or weight.ndim < 2 or (product.bias and bias is None):
        return None
    columns = weight.ndim - (2 if product.transpose_rhs else 1)
    location, new.location = new.location, product.location
    moved = _reordered_along(weight, columns, extents, order)
    slots = [product.lhs, new.folded(moved, product.rhs)]
    if product.bias is not None and bias is not None:
        if bias.ndim and bias.shape[-1] != 1:
            bias = _reordered_along(bias, bias.ndim - 1, extents, order)
        slots.append(new.folded(bias, product.bias))
    reordered = new.emit(MatMulOp, *slots, **product.parameters())
    new.location = location
    return reordered.value
