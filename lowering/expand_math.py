"""
Replace ops that processors have no instruction for, on scalars and vectors alike.

Polynomials stand for exp, expm1, tanh, erf and log of f32: a call of the C library per
lane costs six times as much, and C libraries differ. Squares are products. Conversions
of floats of 16 bits become integer arithmetic: those of bf16 always, as this is a few
instructions, and Intel's single one flushes denormal numbers; those of f16 only for
targets that have no instruction for them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    ModuleOp,
    bf16,
    f16,
    f32,
    i16,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from glow.codegen.casts import bitcast, convert
from glow.codegen.conditions import compare_floats, is_nan, select
from glow.codegen.functions import fma, maximum, minimum, polynomial
from glow.codegen.values import Value
from glow.codegen.writer import Writer, writing_to
from glow.support.targets import target_of
from glow.support.types import is_narrow_float, ui16, ui32
from glow.support.walking import ops_in, ops_of

_LOG2_E = 1.44269504088896341
# ln 2 in two parts; the first times a small integer is exact.
_LN2_HIGH = 0.693359375
_LN2_LOW = -2.12194440e-4
# Added to a small number, it rounds that to an integer, which its low bits then hold.
_ROUNDER = 12582912.0
_ROUNDER_BITS = 0x4B400000
_ONE_BITS = 0x3F800000
_ROOT_HALF_BITS = 0x3F3504F3
_MANTISSA = 0x007FFFFF
_LEAST_NORMAL = 1.17549435e-38

_EXP = (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2,
        1.6666665459e-1, 5.0000001201e-1)  # fmt: skip
_LOG = (7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1,
        1.4249322787e-1, -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1,
        3.3333331174e-1)  # fmt: skip
_TANH = (
    (-2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11,
     5.12229709037114e-08, 1.48572235717979e-05, 6.37261928875436e-04,
     4.89352455891786e-03),
    (1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03,
     4.89352518554385e-03),
)  # fmt: skip
_ERF = (
    (-2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06,
     -5.69250639462346e-05, -7.34990630326855e-04, -2.95459980854025e-03,
     -1.60960333262415e-02),
    (-1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03,
     -7.37332916720468e-03, -1.42647390514189e-02),
)  # fmt: skip

_INFINITY = 0x7F800000
_INFINITY_OF_F16 = 0x7C00
_NAN_OF_F16 = 0x7E00
_MANTISSA_F16 = 13
"""The number of mantissa bits that f32 has more than f16."""
_REBIAS = 2.0**112
"""The factor from exponents of f16 to those of f32."""
_TOO_LARGE = 0x47800000
"""The bits of 2**16, which is too large for f16."""
_LEAST_NORMAL_F16 = 0x38800000
"""The bits of 2**-14, below which numbers of f16 are denormal."""
_HALF = 0x3F000000
"""Added as a number, it leaves a denormal of f16 rounded in the low bits."""
_ROUND_F16 = 0xC8000FFF
"""Takes 112 from the exponent, and adds just less than half of the last place."""


def expand_exp(x: Value) -> Value:
    """
    exp(x) = 2**n * exp(r), n the integer nearest to x / ln 2.

    The factor is applied in two halves, so that both ends of the range are right:
    infinity from 88.73 on, denormal numbers below -87.3, zero from -104 on.
    """
    exponent, rest = _reduced(minimum(maximum(x, -104.0), 89.0))
    half = exponent >> 1
    p = rest + 1.0
    return p * _power_of_two(half) * _power_of_two(exponent - half)


def expand_expm1(x: Value) -> Value:
    """
    exp(x) - 1 = 2 (h * (exp(r) - 1) + h - 1/2), h = 2**(n - 1), n and r as in `exp`.

    The factor 2 avoids 2**128, which is too large; -1 from -17.4 on; -0 becomes 0.
    """
    exponent, rest = _reduced(minimum(maximum(x, -25.0), 89.0))
    half = _power_of_two(exponent - 1)
    return fma(rest, half, half - 0.5) * 2.0


def _reduced(x: Value) -> tuple[Value, Value]:
    """Return n and exp(r) - 1, where x = n ln 2 + r and n is an integer."""
    z = fma(x, _LOG2_E, _ROUNDER)
    n = z - _ROUNDER
    r = fma(n, -_LN2_LOW, fma(n, -_LN2_HIGH, x))
    return bitcast(z, i32) - _ROUNDER_BITS, fma(polynomial(r, _EXP), r * r, r)


def _power_of_two(exponent: Value) -> Value:
    return bitcast((exponent << 23) + _ONE_BITS, f32)


def expand_log(x: Value) -> Value:
    """
    log(2**n * m) = n * ln 2 + log(m), m between the roots of 1/2 and of 2.

    Zero gives -infinity, less gives NaN; infinity and NaN stay what they are.
    """
    is_small = x < _LEAST_NORMAL
    normal = select(is_small, x * 2.0**23, x)
    from_root = bitcast(normal, i32) - _ROOT_HALF_BITS
    m = bitcast((from_root & _MANTISSA) + _ROOT_HALF_BITS, f32)
    n = convert(from_root >> 23, f32) + select(is_small, x.like(-23.0), 0.0)
    f = m - 1.0
    square = f * f
    y = polynomial(f, _LOG) * (f * square)
    y = fma(square, -0.5, fma(n, _LN2_LOW, y))
    y = fma(n, _LN2_HIGH, f + y)
    y = select(x >= float("inf"), x, y)
    y = select(x == 0.0, float("-inf"), y)
    return select(compare_floats("ult", x, 0.0), float("nan"), y)


def _odd_rational(
    x: Value, bound: float, coefficients: tuple[Sequence[float], Sequence[float]]
) -> Value:
    """Return x * p(x*x) / q(x*x), with x clamped to -bound and bound."""
    x = minimum(maximum(x, -bound), bound)
    square = x * x
    p, q = (polynomial(square, part) for part in coefficients)
    return x * (p / q)


def expand_tanh(x: Value) -> Value:
    """The bound is where the quotient is exactly 1, with FMA and without."""
    return _odd_rational(x, 7.963572025299072, _TANH)


def expand_erf(x: Value) -> Value:
    return _odd_rational(x, 4.0, _ERF)


def _converted(x: Value, to: Attribute, has_f16: bool) -> Value:
    """Convert `x` to `to`, going by way of f32 to and from f64."""
    if is_narrow_float(to):
        x = convert(x, f32)
        if to == bf16:
            return _to_bf16(x)
        return convert(x, f16) if has_f16 else _to_f16(x)
    if x.element == bf16:
        return convert(_from_bf16(x), to)
    return convert(convert(x, f32) if has_f16 else _from_f16(x), to)


def _from_bf16(x: Value) -> Value:
    """Return f32 numbers whose upper halves are the bits of x."""
    return bitcast(convert(bitcast(x, ui16), ui32) << 16, f32)


def _to_bf16(x: Value) -> Value:
    """
    Return the upper half of an f32, rounded to nearest, ties to even; NaN made quiet.

    Adding to the lower half carries into the exponent, and ends at infinity.
    """
    bits = bitcast(x, ui32)
    rounded = bits + 0x7FFF + ((bits >> 16) & 1)
    upper = select(is_nan(x), bits | 0x400000, rounded) >> 16
    return bitcast(convert(upper, ui16), bf16)


def _from_f16(x: Value) -> Value:
    """
    Source: F. Giesen, half_to_float_fast5.

    Multiplying rebiases the exponent, and makes denormal numbers normal.
    """
    bits = convert(bitcast(x, ui16), i32)
    size, sign = bits & 0x7FFF, (bits & 0x8000) << 16
    moved = bitcast(bitcast(size << _MANTISSA_F16, f32) * _REBIAS, i32)
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
    odd = (size >> _MANTISSA_F16) & 1
    normal = (size + (_ROUND_F16 - (1 << 32)) + odd) >> _MANTISSA_F16
    half = size.like(_HALF)
    denormal = bitcast(bitcast(size, f32) + bitcast(half, f32), i32) - half
    above = select(size > _INFINITY, size.like(_NAN_OF_F16), _INFINITY_OF_F16)
    magnitude = select(size < _LEAST_NORMAL_F16, denormal, normal)
    magnitude = select(size >= _TOO_LARGE, above, magnitude)
    return bitcast(convert(magnitude | sign, i16), f16)


EXPANSIONS: dict[type[Operation], Callable[[Value], Value]] = {
    math.ExpOp: expand_exp,
    math.ExpM1Op: expand_expm1,
    math.LogOp: expand_log,
    math.TanhOp: expand_tanh,
    math.ErfOp: expand_erf,
}


_EXPANDED = (*EXPANSIONS, math.PowFOp, arith.ExtFOp, arith.TruncFOp)


def _expansion_of(op: Operation, has_f16: bool) -> Callable[[Value], Value] | None:
    """Return the expansion of one of `_EXPANDED`, None where it stays as it is."""
    if isinstance(op, math.PowFOp):
        return (lambda x: x * x) if _is_two(op.rhs) else None
    if not isinstance(op, arith.ExtFOp | arith.TruncFOp):
        is_f32 = Value.of(op.results[0]).element == f32
        return EXPANSIONS[type(op)] if is_f32 else None
    to = Value.of(op.result).element
    between = {Value.of(op.input).element, to}
    if bf16 in between or (f16 in between and not (has_f16 and f32 in between)):
        return lambda x: _converted(x, to, has_f16)
    return None


def _is_two(exponent: SSAValue) -> bool:
    """Return whether a float is the constant 2, in every lane."""
    match exponent.owner:
        case vector.BroadcastOp() as op:
            return _is_two(op.source)
        case arith.ConstantOp(value=FloatAttr() as number):
            return number.value.data == 2
        case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as lanes):
            return set(lanes.get_values()) == {2}
        case _:
            return False


@dataclass(frozen=True)
class ExpandMathPass(ModulePass):
    """
    Replace math.exp, expm1, log, tanh and erf of f32 by polynomials, powf by 2 by mulf.

    Errors of the results: exp, expm1 and log 2 ulp, tanh and erf 6 ulp. Those of f64
    are left to the C library. Conversions of bf16, and of f16 where `target` has none,
    become integer arithmetic.

    Level: loops -> loops. Needs: nothing.
    Source: Cephes for exp and log, Eigen for tanh and erf.
    """

    name = "expand-math"

    target: str = "cpu"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        has_f16 = target_of(self.target).converts_f16
        for inner in ops_of(ops_in(op.body), *_EXPANDED):
            expansion = _expansion_of(inner, has_f16)
            if expansion is not None:
                _expand(inner, expansion)


def _expand(op: Operation, expansion: Callable[[Value], Value]) -> None:
    block = op.parent
    assert block is not None
    with writing_to(Writer(block, before=op, location=op.location)):
        result = expansion(Value.of(op.operands[0])).ssa
    result.name_hint = op.results[0].name_hint
    op.results[0].replace_all_uses_with(result)
    op.detach()
    op.erase()
