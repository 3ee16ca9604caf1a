"""Fold scales and shifts per channel into the product before them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from glow.dialects.graph.base import Array
from glow.dialects.graph.convolution import ConvOp, ConvTransposeOp
from glow.dialects.graph.linear import MatMulOp
from glow.passes.constants import Constants, base_name, folded_name
from glow.passes.graph._scales_and_shifts import Affine, affine_of, along
from glow.passes.replacement import Replacement
from glow.support.locations import fuse
from glow.support.rewriting import rewrite
from glow.support.types import dtype_of, element_of, shape_of

Product = ConvOp | ConvTransposeOp | MatMulOp


def weight_of(product: Product) -> SSAValue:
    """Return the operand that channels of the result come from."""
    return product.rhs if isinstance(product, MatMulOp) else product.filter


def channel_axis(product: Product) -> int | None:
    """Return the axis of the result along which the weight makes channels, if any."""
    if isinstance(product, MatMulOp):
        rank = len(shape_of(product.result))
        return None if len(shape_of(product.rhs)) < 2 else rank - 1
    return 1


def scaled(product: Product, weight: Array, scale: Array) -> Array:
    """Return `weight` such that each channel of the result is scaled by `scale`."""
    match product:
        case MatMulOp():
            return _times(weight, scale[:, None] if product.transpose_rhs else scale)
        case ConvOp():
            rows = weight.reshape(len(scale), -1)
            return _times(rows, scale[:, None]).reshape(weight.shape)
        case _:
            group = product.parameters()["group"]
            inputs, features = weight.shape[:2]
            grouped = weight.reshape(group, inputs // group, features, -1)
            factors = scale.reshape(group, 1, features, 1)
            return _times(grouped, factors).reshape(weight.shape)


def _times(weight: Array, factors: Array) -> Array:
    """Multiply in f64 and round once, without a copy of all of `weight` in f64."""
    result = np.empty_like(weight)
    np.multiply(weight, factors, out=result, dtype=np.float64, casting="same_kind")
    return result


@dataclass
class FoldAffineIntoProduct(RewritePattern):
    """scale * (x * w + b) + shift -> x * (scale * w) + (scale * b + shift)"""

    constants: Constants

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        affine = affine_of(op, self.constants)
        if affine is None or not isinstance(affine.input.owner, Product):
            return
        product = affine.input.owner
        if not product.result.has_one_use():
            return  # another reader needs the plain product
        if product.result.type != op.results[0].type:
            return  # the op also changes the layout
        arrays = self.arrays(product, affine)
        if arrays is None:
            return
        location, (weight, bias) = fuse(product.location, op.location), arrays
        new = Replacement(op, rewriter, self.constants, location)
        slots = (
            product.operands[0],
            weight_of(product) if weight is None else self.named(new, product, weight),
            self.named(new, product, bias),
        )
        new.finish(new.emit(type(product), *slots, **product.parameters()))
        rewriter.erase(product)

    def arrays(
        self, product: Product, affine: Affine
    ) -> tuple[Array | None, Array] | None:
        """Return the new weight, None if it stays, and bias; None where unknown."""
        axis, shape = channel_axis(product), shape_of(product.result)
        if axis is None:
            return None
        bias = self.bias_of(product, axis)
        scale, shift = (
            along(affine.scale, axis, shape),
            along(affine.shift, axis, shape),
        )
        if bias is None or scale is None or shift is None:
            return None
        new_bias = (bias * scale + shift).astype(dtype_of(element_of(product.result)))
        if (scale == 1).all():
            return None, new_bias
        weight = self.constants.array_of(weight_of(product))
        if weight is None:
            return None
        return scaled(product, weight, scale), new_bias

    def bias_of(self, product: Product, axis: int) -> Array | None:
        """Return the bias per channel, zeros where there is none; None if unknown."""
        shape = shape_of(product.result)
        if product.bias is None:
            return np.zeros(shape[axis])
        array = self.constants.array_of(product.bias)
        if array is None or not isinstance(product, MatMulOp):
            return array
        return along(array, axis, shape)

    def named(self, new: Replacement, product: Product, array: Array) -> SSAValue:
        """Return a constant that is called after the weight or bias before it."""
        symbol = self.constants.symbol_of(weight_of(product)) or "weight"
        if array.ndim == 1:
            old = product.bias and self.constants.symbol_of(product.bias)
            symbol = old or f"{base_name(symbol)}_bias"
        return new.constant(array, folded_name(symbol))


@dataclass(frozen=True)
class FoldBatchNormPass(ModulePass):
    """
    Fold batch normalization, and scales and shifts per channel, into products.

    Applies to convolutions, transposed ones and matrix products whose weight is known;
    a shift alone needs no weight. New weights are computed in f64 and rounded once.

    Level: graph -> graph. Needs: nothing; `remove-dead-constants` afterwards.
    """

    name = "fold-batch-norm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, FoldAffineIntoProduct(Constants(op)))
