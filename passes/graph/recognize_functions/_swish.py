"""Patterns for swish that is written out."""

from __future__ import annotations

from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
)

from glow.dialects.graph.activation import SigmoidOp, SwishOp
from glow.dialects.graph.binary import MulOp
from glow.passes.graph.recognize_functions._products import factors_of
from glow.support.rewriting import op_type_rewrite_pattern
from glow.support.types import has_layout


class RecognizeSwish(RewritePattern):
    """x * sigmoid(c * x) -> swish(x) {alpha = c}, where nothing else reads the gate"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MulOp, rewriter: PatternRewriter, /) -> None:
        if has_layout(op.result):
            return
        for x, gate in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            sigmoid = gate.owner
            if not isinstance(sigmoid, SigmoidOp) or not gate.has_one_use():
                continue
            inner = factors_of(sigmoid.input, x)
            if x.type == op.result.type and inner.is_product(inner.number, x):
                rewriter.replace(op, SwishOp(x, alpha=inner.number))
                return
