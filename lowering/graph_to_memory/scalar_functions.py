"""The functions of scalars that rules of elementwise ops are written with."""

from xdsl.dialects import arith
from xdsl.ir import Attribute

from glow.codegen.casts import bitcast, bits_of, convert, highest, lowest
from glow.codegen.conditions import is_nan, select
from glow.codegen.functions import (
    erf,
    exp,
    expm1,
    function,
    power,
    sigmoid,
    softplus,
    tanh,
)
from glow.codegen.values import Number, Value, absolute, apply
from glow.dialects.llvm_ext.conversion import FPToSISatOp, FPToUISatOp
from glow.support.types import byte_type, is_float, is_small, is_unsigned

__all__ = [
    "absolute",
    "bitcast",
    "bits_of",
    "convert",
    "erf",
    "exp",
    "expm1",
    "is_nan",
    "maximum",
    "minimum",
    "power",
    "saturated",
    "select",
    "sigmoid",
    "softplus",
    "tanh",
]


def maximum(x: Value, y: Value | Number) -> Value:
    """Return the larger one; NaN if either is. Of zeros, 0.0 is larger than -0.0."""
    integers = arith.MaxUIOp if is_unsigned(x.element) else arith.MaxSIOp
    return function(arith.MaximumfOp if is_float(x.element) else integers, x, y)


def minimum(x: Value, y: Value | Number) -> Value:
    """Return the smaller one; NaN if either is. Of zeros, -0.0 is smaller than 0.0."""
    integers = arith.MinUIOp if is_unsigned(x.element) else arith.MinSIOp
    return function(arith.MinimumfOp if is_float(x.element) else integers, x, y)


def saturated(x: Value, to: Attribute) -> Value:
    """Return a float as the nearest integer that exists; NaN becomes 0."""
    if is_small(to):
        byte = saturated(x, byte_type(to))
        held = minimum(maximum(byte, lowest(to)), highest(to))
        return convert(held, to)
    return apply(FPToUISatOp if is_unsigned(to) else FPToSISatOp, x, result=to)
