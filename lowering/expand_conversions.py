"""
Conversions of floats of 16 bits by integer arithmetic, of scalars and vectors.

Those of bf16 are a few instructions anywhere; the one of Intel's would flush denormal
numbers. Those of f16 are for targets that have none.
"""

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.dialects.builtin import bf16, f16, f32, i16, i32
from xdsl.ir import Attribute, Operation

from glow.codegen.casts import bitcast, convert
from glow.codegen.values import Value, element_of, is_nan, select
from glow.support.types import is_narrow_float, ui16, ui32

_INFINITY = 0x7F800000
_INFINITY_OF_F16 = 0x7C00
_NAN_OF_F16 = 0x7E00
_MANTISSA = 13
"""The bits of a mantissa that f32 has and f16 has not."""
_REBIAS = 2.0**112
"""From exponents of f16 to those of f32."""
_TOO_LARGE = 0x47800000
"""The bits of 2**16, which f16 has not."""
_LEAST_NORMAL = 0x38800000
"""The bits of 2**-14, below which numbers of f16 are denormal."""
_HALF = 0x3F000000
"""Added as a number, it leaves a denormal of f16 rounded in the low bits."""
_ROUND_F16 = 0xC8000FFF
"""Takes 112 from the exponent, and adds just less than half of the last place."""


def expansion_of_conversion(
    op: Operation, has_f16: bool
) -> Callable[[Value], Value] | None:
    """
    Return what computes `op` if it converts what the target has no instruction for.

    `has_f16` says whether there are instructions for f16 and f32.
    """
    if not isinstance(op, arith.ExtFOp | arith.TruncFOp):
        return None
    source, to = element_of(op.input.type), element_of(op.result.type)
    between = {source, to}
    if bf16 in between or (f16 in between and not (has_f16 and f32 in between)):
        return lambda x: _converted(x, to, has_f16)
    return None


def _converted(x: Value, to: Attribute, has_f16: bool) -> Value:
    """Return `x` as `to`; to and from f64, by way of f32."""
    if is_narrow_float(to):
        x = convert(x, f32)
        if to == bf16:
            return _to_bf16(x)
        return convert(x, f16) if has_f16 else _to_f16(x)
    if x.element == bf16:
        return convert(_from_bf16(x), to)
    return convert(convert(x, f32) if has_f16 else _from_f16(x), to)


def _from_bf16(x: Value) -> Value:
    """The upper half of an f32."""
    return bitcast(convert(bitcast(x, ui16), ui32) << 16, f32)


def _to_bf16(x: Value) -> Value:
    """
    The upper half of an f32, rounded to nearest, ties to even; NaN made quiet.

    Adding to the lower half carries into the exponent, and ends at infinity.
    """
    bits = bitcast(x, ui32)
    rounded = bits + 0x7FFF + ((bits >> 16) & 1)
    upper = select(is_nan(x), bits | 0x400000, rounded) >> 16
    return bitcast(convert(upper, ui16), bf16)


def _from_f16(x: Value) -> Value:
    """
    Source: F. Giesen, half_to_float_fast5.

    Multiplying moves the exponent, and makes normal numbers of denormal ones.
    """
    bits = convert(bitcast(x, ui16), i32)
    size, sign = bits & 0x7FFF, (bits & 0x8000) << 16
    moved = bitcast(bitcast(size << _MANTISSA, f32) * _REBIAS, i32)
    above = select(size >= _INFINITY_OF_F16, size.like(_INFINITY), 0)
    return bitcast(moved | above | sign, f32)


def _to_f16(x: Value) -> Value:
    """
    Round to nearest, ties to even; from 65520 on infinity; NaN made quiet.

    Source: F. Giesen, float_to_half_fast3_rtne.
    """
    bits = bitcast(x, i32)
    size = bits & 0x7FFFFFFF
    sign = (bits ^ size) >> 16
    odd = (size >> _MANTISSA) & 1
    normal = (size + (_ROUND_F16 - (1 << 32)) + odd) >> _MANTISSA
    half = size.like(_HALF)
    denormal = bitcast(bitcast(size, f32) + bitcast(half, f32), i32) - half
    above = select(size > _INFINITY, size.like(_NAN_OF_F16), _INFINITY_OF_F16)
    magnitude = select(size < _LEAST_NORMAL, denormal, normal)
    magnitude = select(size >= _TOO_LARGE, above, magnitude)
    return bitcast(convert(magnitude | sign, i16), f16)
