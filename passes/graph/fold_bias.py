"""Make what is added to each channel of a product its bias."""

import numpy as np
from xdsl.ir import SSAValue

from glow.dialects.graph.binary import AddOp
from glow.dialects.graph.movement import ExpandOp, TileOp
from glow.dialects.graph.presence import with_presence
from glow.passes.graph.fold_batch_norm import LinearOp, channel_axis
from glow.passes.graph.operands import in_both_orders
from glow.passes.patterns import Replacement, Results, RewritePass
from glow.support.arrays import Array
from glow.support.locations import fuse
from glow.support.types import has_layout, shape_of


def fold_addition_into_product(op: AddOp, new: Replacement) -> Results:
    """
    add(matmul(a, b), c) -> matmul(a, b) bias c, and so for convolutions

    where c has a number per channel, however often that is repeated or stored, and
    nothing else reads the product.
    """
    for value, added in in_both_orders(op):
        product = value.owner
        if not isinstance(product, LinearOp) or product.bias is not None:
            continue
        if not value.has_one_use() or value.type != op.result.type:
            continue
        bias = _vector(new, added, product)
        if bias is not None:
            biased = with_presence(product, {"bias": bias})
            biased.location = fuse(product.location, op.location)
            return new.insert(biased)[:1]
    return None


def _vector(new: Replacement, value: SSAValue, product: LinearOp) -> SSAValue | None:
    """Return `value` as a vector over channels, or None if it has no such form."""
    axis, shape = channel_axis(product), shape_of(product.result)
    if axis is None or has_layout(value):
        return None
    channels = (shape[axis],)
    value = _unrepeated(value)
    missing = len(shape) - len(shape_of(value))
    if shape_of(value) == channels and missing == axis:
        return value
    full = (1,) * missing + shape_of(value)
    if full == tuple(n if i == axis else 1 for i, n in enumerate(shape)):
        return new.tensor(value).reshape(*channels).value
    array = new.constants.array_of(value)
    row = None if array is None else _row(array.reshape(full), axis)
    if row is None or row.shape != channels:
        return None
    return new.folded(row, value)


def _unrepeated(value: SSAValue) -> SSAValue:
    """Return what `value` repeats by NumPy's rule of broadcasting."""
    while isinstance(op := value.owner, ExpandOp | TileOp):
        if isinstance(op, TileOp):
            pairs = zip(shape_of(op.input), op.repeats, strict=True)
            if any(extent != 1 and count != 1 for extent, count in pairs):
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


class FoldBiasPass(RewritePass):
    """
    Turn an addition per channel after a product or convolution into its bias.

    The addend may be a vector, have axes of extent 1, be tiled or expanded, or be a
    constant with the same numbers in each row; its value need not be known. The sum
    then starts with the bias instead of ending with it, so results differ by rounding.
    For a target that takes no bias, `legalize-optionals` restores the addition.

    Level: graph -> graph. Needs: `fold-batch-norm` before, which also folds factors.
    """

    name = "fold-bias"
    patterns = (fold_addition_into_product,)
