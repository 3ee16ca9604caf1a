"""Patterns for gelu that is written out."""

from __future__ import annotations

from math import pi, sqrt

from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
)

from glow.dialects.graph.activation import GeluOp
from glow.dialects.graph.binary import AddOp, DivOp, MulOp
from glow.dialects.graph.trigonometry import TanhOp
from glow.dialects.graph.unary import ErfOp
from glow.passes.graph.recognize_functions._products import factors_of, term_beside
from glow.support.rewriting import op_type_rewrite_pattern
from glow.support.types import has_layout

CUBIC = 0.044715


class RecognizeGelu(RewritePattern):
    """
    0.5 x (1 + erf(x / sqrt(2))) -> gelu(x)

    and 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) -> gelu(x) {tanh},
    in any order of the factors.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: MulOp | DivOp, rewriter: PatternRewriter, /
    ) -> None:
        if has_layout(op.result):
            return
        product = factors_of(op.result)
        for gate in product.values:
            function = term_beside(gate, 1)
            if function is None or not isinstance(function.owner, ErfOp | TanhOp):
                continue
            for x in product.parts:
                if x.type != op.result.type or x in (gate, op.result):
                    continue
                form = _form(function.owner, x)
                if form and factors_of(op.result, x).is_product(0.5, x, gate):
                    rewriter.replace(op, GeluOp(x, approximate=form))
                    return


def _form(function: ErfOp | TanhOp, x: SSAValue) -> str | None:
    """Return which form of gelu(x) has `function` in it, or None."""
    inner = factors_of(function.input, x)
    if isinstance(function, ErfOp):
        return "none" if inner.is_product(sqrt(0.5), x) else None
    for value in inner.values:
        if value is x or not inner.is_product(sqrt(2 / pi), *_beside(value, x)):
            continue
        return "tanh"
    return None


def _beside(value: SSAValue, x: SSAValue) -> tuple[SSAValue, ...]:
    """
    Return what must be multiplied for the argument of tanh, by sqrt(2 / pi).

    That is `value` where it is x + 0.044715 x^3, or x and `value` where that is
    1 + 0.044715 x^2; nothing where it is neither.
    """
    op = value.owner
    square = term_beside(value, 1)
    if square is not None and factors_of(square, x).is_product(CUBIC, x, x):
        return x, value
    if isinstance(op, AddOp) and x in op.operands:
        cube = op.rhs if op.lhs is x else op.lhs
        if factors_of(cube, x).is_product(CUBIC, x, x, x):
            return (value,)
    return ()
