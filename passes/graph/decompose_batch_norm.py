"""Write a batch normalization that no product absorbs as elementwise ops."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from glow.dialects.graph.base import Array
from glow.dialects.graph.binary import AddOp, DivOp, MulOp, SubOp
from glow.dialects.graph.movement import ReshapeOp
from glow.dialects.graph.normalization import BatchNormOp
from glow.dialects.graph.storage import LiteralOp
from glow.dialects.graph.unary import NegOp, SqrtOp
from glow.passes.graph._affine import affine_of
from glow.passes.graph._constants import Constants, folded_name
from glow.support.rewriting import rewrite
from glow.support.types import dtype_of, element_of, has_layout, shape_of


@dataclass
class DecomposeKnown(RewritePattern):
    """batch_norm(x, ...) -> x * factor + shift, for known parameters."""

    constants: Constants

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BatchNormOp, rewriter: PatternRewriter, /) -> None:
        affine = affine_of(op, self.constants)
        if affine is None or has_layout(op.result):
            return
        factor = self.source(op, op.scale or op.variance, affine.scale)
        shift = self.source(op, op.bias or op.mean, affine.shift)
        scaled = MulOp(op.input, factor.results[0])
        shifted = AddOp(scaled.result, shift.results[0])
        rewriter.replace(op, [factor, shift, scaled, shifted])

    def source(self, op: BatchNormOp, old: SSAValue, array: Array) -> Operation:
        symbol = self.constants.symbol_of(old)
        name = symbol and folded_name(symbol)
        dtype = dtype_of(element_of(op.result))
        return self.constants.make(array.astype(dtype), name, op.location)


class DecomposeUnknown(RewritePattern):
    """
    batch_norm(x, ...) -> x * factor + (bias - mean * factor)

    where factor = scale / sqrt(variance + epsilon); scale and bias may be absent.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BatchNormOp, rewriter: PatternRewriter, /) -> None:
        if has_layout(op.result):
            return
        dtype = dtype_of(element_of(op.result))
        epsilon = LiteralOp(np.array(op.epsilon, dtype))
        padded = AddOp(op.variance, epsilon.result)
        deviation = SqrtOp(padded.result)
        one = LiteralOp(np.array(1, dtype))
        factor = DivOp(op.scale or one.result, deviation.result)
        centre = MulOp(op.mean, factor.result)
        shift = (
            NegOp(centre.result) if op.bias is None else SubOp(op.bias, centre.result)
        )
        shape = (shape_of(op.mean)[0], *[1] * (len(shape_of(op.input)) - 2))
        factors = ReshapeOp(factor.result, shape=shape)
        shifts = ReshapeOp(shift.result, shape=shape)
        scaled = MulOp(op.input, factors.result)
        shifted = AddOp(scaled.result, shifts.result)
        ones = [one] if op.scale is None else []
        vectors = [epsilon, padded, deviation, *ones, factor, centre, shift]
        rewriter.replace(op, [*vectors, factors, shifts, scaled, shifted])


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
