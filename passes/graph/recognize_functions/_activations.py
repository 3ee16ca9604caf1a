"""Patterns for gelu and swish that are written out."""

from math import pi, sqrt

from xdsl.ir import SSAValue

from glow.dialects.graph.activation import GeluOp, SigmoidOp, SwishOp
from glow.dialects.graph.binary import AddOp, DivOp, MulOp
from glow.dialects.graph.unary import ErfOp, TanhOp
from glow.passes.graph.operands import in_both_orders
from glow.passes.graph.recognize_functions._products import product_of, term_beside
from glow.passes.patterns import Replacement, Results

CUBIC = 0.044715


def recognize_gelu(op: MulOp | DivOp, new: Replacement) -> Results:
    """
    0.5 x (1 + erf(x / sqrt(2))) -> gelu(x)

    and 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) -> gelu(x) {tanh},
    in any order of the factors.
    """
    product = product_of(op.result)
    for gate in product.values:
        function = term_beside(gate, 1)
        if function is None or not isinstance(function.owner, ErfOp | TanhOp):
            continue
        for x in product.parts:
            if x.type != op.result.type or x in (gate, op.result):
                continue
            form = _form(function.owner, x)
            if form and product_of(op.result, x).is_product(0.5, x, gate):
                return new.emit(GeluOp, x, approximate=form)
    return None


def _form(function: ErfOp | TanhOp, x: SSAValue) -> str | None:
    """Return which form of gelu(x) has `function` in it, or None."""
    inner = product_of(function.input, x)
    if isinstance(function, ErfOp):
        return "none" if inner.is_product(sqrt(0.5), x) else None
    for value in inner.values:
        if value is not x and inner.is_product(sqrt(2 / pi), *_beside(value, x)):
            return "tanh"
    return None


def _beside(value: SSAValue, x: SSAValue) -> tuple[SSAValue, ...]:
    """
    Return the factors that make up the argument of tanh, besides sqrt(2 / pi).

    That is `value` where it is x + 0.044715 x^3, or x and `value` where that is
    1 + 0.044715 x^2; nothing where it is neither.
    """
    op = value.owner
    square = term_beside(value, 1)
    if square is not None and product_of(square, x).is_product(CUBIC, x, x):
        return x, value
    if isinstance(op, AddOp) and x in op.operands:
        cube = op.rhs if op.lhs is x else op.lhs
        if product_of(cube, x).is_product(CUBIC, x, x, x):
            return (value,)
    return ()


def recognize_swish(op: MulOp, new: Replacement) -> Results:
    """x * sigmoid(c * x) -> swish(x) {alpha = c}, where nothing else reads the gate"""
    for x, gate in in_both_orders(op):
        sigmoid = gate.owner
        if not isinstance(sigmoid, SigmoidOp) or not gate.has_one_use():
            continue
        inner = product_of(sigmoid.input, x)
        if x.type == op.result.type and inner.is_product(inner.number, x):
            return new.emit(SwishOp, x, alpha=inner.number)
    return None
