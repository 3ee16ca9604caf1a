"""Exponentials of numbers that are not above zero, as softmax takes them."""

from __future__ import annotations

from xdsl.dialects.builtin import f32, i32

from glow.codegen.casts import bitcast
from glow.codegen.functions import exp, fma, polynomial
from glow.codegen.values import Value, select

_LOG2_E = 1.44269504088896341
# Added to an integer n, it leaves n + 127, the exponent of 2**n, in the low bits.
_ROUNDER = 12582912.0 + 127
_MANTISSA_BITS = 23
_LEAST = -87.33654
# 2**f for f in [-1/2, 1/2], highest power first; 2 ulp.
_COEFFICIENTS = (
    0.0013264723820611835,
    0.009671512991189957,
    0.05550733581185341,
    0.24022242426872253,
    0.6931470036506653,
    1.0,
)


def exponential(x: Value) -> Value:
    """
    Return exp(x) for x <= 0; NaN stays NaN.

    Of f32, what would be denormal is 0: it would slow down whoever reads it.
    """
    if x.element != f32:
        return exp(x)
    z = fma(x, _LOG2_E, _ROUNDER)
    power = polynomial(fma(x, _LOG2_E, _ROUNDER - z), _COEFFICIENTS)
    scale = bitcast(bitcast(z, i32) << _MANTISSA_BITS, f32)
    return select(x < _LEAST, 0, power * scale)
