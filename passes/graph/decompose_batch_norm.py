"""Write batch normalizations as a multiplication and an addition."""

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.normalization import BatchNormOp
from glow.passes.graph._scales_and_shifts import affine_of
from glow.passes.patterns import Replacement, Results, RewritePass
from glow.support.types import dtype_of, element_of


def decompose_known(op: BatchNormOp, new: Replacement) -> Results:
    """batch_norm(x, ...) -> x * factor + shift, for known parameters."""
    affine = affine_of(op, new.constants)
    if affine is None:
        return None
    dtype = dtype_of(element_of(op.result))
    factor = new.folded(affine.scale.astype(dtype), op.scale or op.variance)
    shift = new.folded(affine.shift.astype(dtype), op.bias or op.mean)
    return new.tensor(op.input) * factor + shift


def decompose_unknown(op: BatchNormOp, new: Replacement) -> Results:
    """
    batch_norm(x, ...) -> x * factor + (bias - mean * factor)

    where factor = scale / sqrt(variance + epsilon); scale and bias may be absent.
    """
    x, mean, variance = map(new.tensor, (op.input, op.mean, op.variance))
    deviation = xp.sqrt(variance + op.epsilon)
    factor = (1 if op.scale is None else new.tensor(op.scale)) / deviation
    shift = mean * factor
    shift = -shift if op.bias is None else op.bias - shift
    shape = (mean.size, *[1] * (x.ndim - 2))
    factor, shift = factor.reshape(*shape), shift.reshape(*shape)
    return x * factor + shift


class DecomposeBatchNormPass(RewritePass):
    """
    Replace each batch normalization by a multiplication and an addition.

    Where the parameters are known, factor and addend are constants [C, 1, ...],
    computed in f64 and rounded once; otherwise they are computed in each run.

    Level: graph -> graph. Needs: `fold-batch-norm` before, which does better.
    """

    name = "decompose-batch-norm"
    patterns = (decompose_known, decompose_unknown)
