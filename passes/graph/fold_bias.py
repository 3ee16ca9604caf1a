"""Make what is added to each channel of a product its bias."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
)

from glow.dialects.graph.base import Array
from glow.dialects.graph.binary import AddOp
from glow.dialects.graph.movement import ExpandOp, TileOp
from glow.dialects.graph.presence import with_presence
from glow.dialects.graph.tensors import Tensor
from glow.passes.constants import Constants, folded_name
from glow.passes.graph.fold_batch_norm import Product, channel_axis
from glow.passes.replacement import Replacement
from glow.support.locations import fuse
from glow.support.rewriting import op_type_rewrite_pattern, rewrite
from glow.support.types import has_layout, shape_of


@dataclass
class FoldAdditionIntoProduct(RewritePattern):
    """
    add(matmul(a, b), c) -> matmul(a, b) bias c, and so for convolutions

    where c has a number per channel, however often that is repeated or stored, and
    nothing else reads the product.
    """

    constants: Constants

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AddOp, rewriter: PatternRewriter, /) -> None:
        for value, added in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            product = value.owner
            if not isinstance(product, Product) or not _is_open(product, op):
                continue
            new = Replacement(op, rewriter, self.constants)
            bias = self.vector(new, added, product)
            if bias is None:
                continue
            biased = with_presence(product, {"bias": bias.value})
            biased.location = fuse(product.location, op.location)
            new.finish(*new.insert(biased)[:1])
            return

    def vector(
        self, new: Replacement, value: SSAValue, product: Product
    ) -> Tensor | None:
        """Return `value` as a number per channel, or None where it is none."""
        axis, shape = channel_axis(product), shape_of(product.result)
        if axis is None or has_layout(value):
            return None
        channels = (shape[axis],)
        value = _unrepeated(value)
        missing = len(shape) - len(shape_of(value))
        if shape_of(value) == channels and missing == axis:
            return new.tensor(value)
        full = (1,) * missing + shape_of(value)
        if full == tuple(n if i == axis else 1 for i, n in enumerate(shape)):
            return new.tensor(value).reshape(*channels)
        array = self.constants.array_of(value)
        row = None if array is None else _row(array.reshape(full), axis)
        if row is None or row.shape != channels:
            return None
        symbol = self.constants.symbol_of(value)
        name = None if symbol is None else folded_name(symbol)
        return new.tensor(new.constant(row, name))


def _is_open(product: Product, op: AddOp) -> bool:
    """Return whether `op` alone reads `product`, which may still get a bias."""
    return (
        product.bias is None
        and product.result.has_one_use()
        and product.result.type == op.result.type
        and not has_layout(op.result)
    )


def _unrepeated(value: SSAValue) -> SSAValue:
    """Return what `value` repeats by NumPy's rule of broadcasting."""
    while isinstance(op := value.owner, ExpandOp | TileOp):
        repeats_only_ones = isinstance(op, ExpandOp) or all(
            extent == 1 or count == 1
            for extent, count in zip(
                shape_of(op.input), op.parameters()["repeats"], strict=True
            )
        )
        if not repeats_only_ones:
            break
        value = op.input
    return value


def _row(array: Array, axis: int) -> Array | None:
    """Return the elements along `axis` if they have the same bits everywhere."""
    if array.size == 0:
        return None
    rows = np.moveaxis(array, axis, -1).reshape(-1, array.shape[axis])
    bits = np.ascontiguousarray(rows).view(f"u{array.itemsize}")
    return rows[0].copy() if (bits == bits[0]).all() else None


@dataclass(frozen=True)
class FoldBiasPass(ModulePass):
    """
    Make what is added to each channel of a product or convolution its bias.

    A bias may be written as a vector, with axes of extent 1, tiled or expanded, or as a
    constant with the same numbers in each row; it need not be known. The sum starts
    with it instead of ending with it, so results differ by rounding. A target that
    takes no bias gets the addition back from `legalize-optionals`.

    Level: graph -> graph. Needs: `fold-batch-norm` before, which also folds factors.
    """

    name = "fold-bias"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, FoldAdditionIntoProduct(Constants(op)))
