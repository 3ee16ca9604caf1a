"""Write batch normalizations as a multiplication and an addition."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
)

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.base import Array
from glow.dialects.graph.normalization import BatchNormOp
from glow.passes.constants import Constants, folded_name
from glow.passes.graph._scales_and_shifts import affine_of
from glow.passes.replacement import Replacement
from glow.support.rewriting import op_type_rewrite_pattern, rewrite
from glow.support.types import dtype_of, element_of, has_layout


@dataclass
class DecomposeKnown(RewritePattern):
    """batch_norm(x, ...) -> x * factor + shift, for known parameters."""

    constants: Constants

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BatchNormOp, rewriter: PatternRewriter, /) -> None:
        affine = affine_of(op, self.constants)
        if affine is None or has_layout(op.result):
            return
        new = Replacement(op, rewriter, self.constants)
        factor = self._named(new, op, op.scale or op.variance, affine.scale)
        shift = self._named(new, op, op.bias or op.mean, affine.shift)
        new.finish(new.tensor(op.input) * factor + shift)

    def _named(
        self, new: Replacement, op: BatchNormOp, old: SSAValue, array: Array
    ) -> SSAValue:
        """Return a constant that is called after the one that it is made of."""
        symbol = self.constants.symbol_of(old)
        dtype = dtype_of(element_of(op.result))
        return new.constant(array.astype(dtype), symbol and folded_name(symbol))


class DecomposeUnknown(RewritePattern):
    """
    batch_norm(x, ...) -> x * factor + (bias - mean * factor)

    where factor = scale / sqrt(variance + epsilon); scale and bias may be absent.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BatchNormOp, rewriter: PatternRewriter, /) -> None:
        if has_layout(op.result):
            return
        new = Replacement(op, rewriter)
        x, mean, variance = map(new.tensor, (op.input, op.mean, op.variance))
        deviation = xp.sqrt(variance + op.epsilon)
        factor = (1 if op.scale is None else new.tensor(op.scale)) / deviation
        shift = mean * factor
        shift = -shift if op.bias is None else op.bias - shift
        shape = (mean.size, *[1] * (x.ndim - 2))
        factor, shift = factor.reshape(*shape), shift.reshape(*shape)
        new.finish(x * factor + shift)


@dataclass(frozen=True)
class DecomposeBatchNormPass(ModulePass):
    """
    Replace each batch normalization by a multiplication and an addition.

    What they multiply by and add is a constant [C, 1, ...] where the parameters are
    known, computed in f64 and rounded once, or else computed in the run.

    Level: graph -> graph. Needs: `fold-batch-norm` before, which does better.
    """

    name = "decompose-batch-norm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, DecomposeKnown(Constants(op)), DecomposeUnknown())
