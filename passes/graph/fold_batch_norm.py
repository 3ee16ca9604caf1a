"""Fold scales and shifts per channel into the product before them."""

import numpy as np

from glow.dialects.graph.convolution import ConvOp, ConvTransposeOp
from glow.dialects.graph.joining import SplitOp
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.tensors import Tensor
from glow.passes.constants import Constants, base_name
from glow.passes.graph._scales_and_shifts import Affine, Scaling, affine_of, along
from glow.passes.patterns import Replacement, Results, RewritePass
from glow.support.arrays import Array
from glow.support.locations import fuse
from glow.support.types import (
    dtype_of,
    element_of,
    has_layout,
    normalize_axis,
    shape_of,
)

LinearOp = ConvOp | ConvTransposeOp | MatMulOp


def channel_axis(product: LinearOp) -> int | None:
    """Return the axis of the result along which the weight makes channels, if any."""
    if isinstance(product, MatMulOp):
        rank = len(shape_of(product.result))
        return None if len(shape_of(product.rhs)) < 2 else rank - 1
    return 1


def _scaled(product: LinearOp, weight: Array, scale: Array) -> Array:
    """Return `weight` such that each channel of the result is scaled by `scale`."""
    match product:
        case MatMulOp():
            return _times(weight, scale[:, None] if product.transpose_rhs else scale)
        case ConvOp():
            rows = weight.reshape(len(scale), -1)
            return _times(rows, scale[:, None]).reshape(weight.shape)
        case _:
            group, (inputs, features) = product.group, weight.shape[:2]
            grouped = weight.reshape(group, inputs // group, features, -1)
            factors = scale.reshape(group, 1, features, 1)
            return _times(grouped, factors).reshape(weight.shape)


def _times(weight: Array, factors: Array) -> Array:
    """Multiply in f64 and round once, without a copy of all of `weight` in f64."""
    result = np.empty_like(weight)
    with np.errstate():  # which restores the size of buffers too
        np.setbufsize(512)  # three buffers stay in the first-level cache
        np.multiply(weight, factors, out=result, dtype=np.float64, casting="same_kind")
    return result


def fold_affine_into_product(op: Scaling, new: Replacement) -> Results:
    """scale * (x * w + b) + shift -> x * (scale * w) + (scale * b + shift)"""
    affine = affine_of(op, new.constants)
    product = None if affine is None else affine.input.owner
    if affine is None or not isinstance(product, LinearOp):
        return None
    if product.result.type != op.results[0].type:
        return None  # the op also changes the layout
    return _folded(product, affine, op, new)


def fold_affine_of_part(op: Scaling, new: Replacement) -> Results:
    """scale * part(x * w) + shift -> part(x * w'), for a part of a split by channels"""
    affine = affine_of(op, new.constants)
    split = None if affine is None else affine.input.owner
    if affine is None or not isinstance(split, SplitOp):
        return None
    part, product = affine.input, split.input.owner
    if not isinstance(product, LinearOp) or part.type != op.results[0].type:
        return None
    if any(map(has_layout, (split.input, *split.outputs))):
        return None
    shape, axis = shape_of(split.input), channel_axis(product)
    if axis is None or axis != normalize_axis(split.axis, len(shape)):
        return None
    if not part.has_one_use():
        return None  # another reader needs the plain part
    own = [along(a, axis, shape_of(part)) for a in (affine.scale, affine.shift)]
    index = [value is part for value in split.outputs].index(True)
    first, last = sum(split.sizes[:index]), sum(split.sizes[: index + 1])
    column = [1] * len(shape)
    column[axis] = -1
    wide = [np.ones(shape[axis]), np.zeros(shape[axis])]
    for whole, values in zip(wide, own, strict=True):
        if values is None:
            return None
        whole[first:last] = values
    scale, shift = (each.reshape(column) for each in wide)
    whole = _folded(product, Affine(split.input, scale, shift), op, new)
    if whole is None:
        return None
    parts = new.emit_all(SplitOp, whole, axis=split.axis, sizes=split.sizes)
    ops, new.ops = new.ops, []
    values = [each.value for each in parts]
    new.rewriter.replace(split, ops, values)
    return values[index]


def _folded(
    product: LinearOp, affine: Affine, op: Scaling, new: Replacement
) -> Tensor | None:
    """Return `product` with `affine` folded into it, if nothing but `op` reads it."""
    if not product.result.has_one_use():
        return None
    arrays = _arrays(product, affine, new.constants)
    if arrays is None:
        return None
    input, weight = product.operands[:2]
    base = base_name(new.constants.symbol_of(weight) or "weight")
    new.location = fuse(product.location, op.location)
    if arrays[0] is not None:
        weight = new.constant(arrays[0], f"{base}_folded")
    name = product.bias and new.constants.folded_name(product.bias)
    bias = new.constant(arrays[1], name or f"{base}_bias_folded")
    return new.emit(type(product), input, weight, bias, **product.parameters())


def _arrays(
    product: LinearOp, affine: Affine, constants: Constants
) -> tuple[Array | None, Array] | None:
    """Return the new weight, None if it stays, and bias; None where unknown."""
    axis, shape = channel_axis(product), shape_of(product.result)
    bias = None if axis is None else _bias_of(product, axis, constants)
    if axis is None or bias is None:
        return None
    scale, shift = (along(a, axis, shape) for a in (affine.scale, affine.shift))
    if scale is None or shift is None:
        return None
    new_bias = (bias * scale + shift).astype(dtype_of(element_of(product.result)))
    if (scale == 1).all():
        return None, new_bias
    weight = constants.array_of(product.operands[1])
    return None if weight is None else (_scaled(product, weight, scale), new_bias)


def _bias_of(product: LinearOp, axis: int, constants: Constants) -> Array | None:
    """Return the bias per channel, zeros where there is none; None if unknown."""
    shape = shape_of(product.result)
    if product.bias is None:
        return np.zeros(shape[axis])
    array = constants.array_of(product.bias)
    if array is None or not isinstance(product, MatMulOp):
        return array
    return along(array, axis, shape)


class FoldBatchNormPass(RewritePass):
    """
    Fold batch normalization, and scales and shifts per channel, into products.

    Applies to convolutions, transposed ones and matrix products whose weight is known;
    a shift alone needs no weight. Parts of a product that is split along its channels
    may each have their own. New weights are computed in f64 and rounded once.

    Level: graph -> graph. Needs: nothing; `remove-dead-constants` afterwards.
    """

    name = "fold-batch-norm"
    patterns = (fold_affine_into_product, fold_affine_of_part)
    on_layouts = True
