"""Exponentials of what is not above zero, where softmax spends its time."""

from __future__ import annotations

from functools import reduce

from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import SSAValue

from glow.lowering.memory_to_loops.builder import vector_of
from glow.lowering.memory_to_loops.kernels.numbers import Numbers

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


def exponential(n: Numbers, x: SSAValue) -> SSAValue:
    """
    Return exp(x) for x <= 0; NaN stays NaN.

    Of f32, what would be denormal is 0: it would slow down whoever reads it.
    """
    if n.element != f32:
        return n.function(math.ExpOp, x)
    log2_e, rounder = n.const(_LOG2_E), n.const(_ROUNDER)
    z = n.fma(x, log2_e, rounder)
    f = n.fma(x, log2_e, n.sub(rounder, z))
    first, *rest = (n.const(coefficient) for coefficient in _COEFFICIENTS)
    power = reduce(lambda found, c: n.fma(found, f, c), rest, first)
    found = n.mul(power, _power_of_two(n, z))
    return n.select(n.compare("lt", x, n.const(_LEAST)), n.const(0), found)


def _power_of_two(n: Numbers, z: SSAValue) -> SSAValue:
    """Return the float whose exponent bits are the low bits of z."""
    b = n.b
    bits = vector_of(i32, n.lanes) if n.lanes else i32
    cast = vector.BitcastOp if n.lanes else arith.BitcastOp
    low = b.add(cast.create(operands=[z], result_types=[bits]))
    shift = b.scalar(_MANTISSA_BITS, i32, n.lanes)
    exponent = b.binary(arith.ShLIOp, low, shift)
    return b.add(cast.create(operands=[exponent], result_types=[n.type]))
