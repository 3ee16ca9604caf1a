"""
Replace exp, tanh, erf and log of f32 by polynomials, on scalars and vectors alike.

A call of the C library per lane costs six times as much, and C libraries differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    VectorType,
    f32,
    i1,
    i32,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from glow.dialects.llvm_ext import elementwise
from glow.dialects.llvm_ext.conversion import SIToFPOp

# Zeros compare equal and constants are no NaN: one instruction that keeps NaN.
_NO_SIGNED_ZEROS = arith.FastMathFlagsAttr([FastMathFlag.NO_SIGNED_ZEROS])

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


class Emitter:
    """Collects ops on f32 and i32, or on vectors of them."""

    def __init__(self, type_: Attribute):
        self.ops: list[Operation] = []
        self.lanes = type_.get_shape() if isinstance(type_, VectorType) else None
        self.float, self.integer, self.bool = map(self._wide, (f32, i32, i1))

    def _wide(self, element: Attribute) -> Attribute:
        return element if self.lanes is None else VectorType(element, self.lanes)

    def add_op(self, op: Operation) -> SSAValue:
        self.ops.append(op)
        return op.results[0]

    def _do(
        self,
        op: type[Operation],
        operands: Sequence[SSAValue],
        result: Attribute,
        **properties: Attribute,
    ) -> SSAValue:
        made = op.create(
            operands=operands, result_types=[result], properties=properties
        )
        return self.add_op(made)

    def _constant(self, scalar: Attribute, data: Any, type_: Attribute) -> SSAValue:
        value = scalar
        if self.lanes is not None:
            value = DenseIntOrFPElementsAttr.from_list(cast(Any, type_), [data])
        return self._do(arith.ConstantOp, [], type_, value=value)

    def number(self, value: float) -> SSAValue:
        return self._constant(FloatAttr(value, f32), value, self.float)

    def bits(self, value: int) -> SSAValue:
        return self._constant(IntegerAttr(value, i32), value, self.integer)

    def float_op(self, op: type[Operation], *operands: SSAValue) -> SSAValue:
        return self._do(op, operands, self.float)

    def int_op(self, op: type[Operation], a: SSAValue, b: int | SSAValue) -> SSAValue:
        other = self.bits(b) if isinstance(b, int) else b
        return self._do(op, [a, other], self.integer)

    def fma(self, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
        return self.float_op(math.FmaOp, a, b, c)

    def clamp(self, x: SSAValue, low: float, high: float) -> SSAValue:
        """Return x between two bounds; NaN stays NaN."""
        for op, bound in ((arith.MaximumfOp, low), (arith.MinimumfOp, high)):
            operands = [x, self.number(bound)]
            x = self._do(op, operands, self.float, fastmath=_NO_SIGNED_ZEROS)
        return x

    def as_bits(self, x: SSAValue) -> SSAValue:
        return self._do(arith.BitcastOp, [x], self.integer)

    def as_float(self, x: SSAValue) -> SSAValue:
        return self._do(arith.BitcastOp, [x], self.float)

    def choose(
        self, predicate: str, x: SSAValue, bound: float, a: SSAValue, b: SSAValue
    ) -> SSAValue:
        """Return a where `x predicate bound` holds, else b."""
        number = IntegerAttr(elementwise.CMPF_PREDICATES.index(predicate), 64)
        scalar = self.lanes is None
        compare, select = (
            (arith.CmpfOp, arith.SelectOp)
            if scalar
            else (elementwise.CmpfOp, elementwise.SelectOp)
        )
        flags: dict[str, Attribute] = (
            {"fastmath": arith.FastMathFlagsAttr("none")} if scalar else {}
        )
        operands = [x, self.number(bound)]
        holds = self._do(compare, operands, self.bool, predicate=number, **flags)
        return self._do(select, [holds, a, b], a.type)

    def polynomial(self, x: SSAValue, coefficients: Sequence[float]) -> SSAValue:
        """Return the polynomial with these coefficients, highest power first."""
        found = self.number(coefficients[0])
        for coefficient in coefficients[1:]:
            found = self.fma(found, x, self.number(coefficient))
        return found

    def power_of_two(self, exponent: SSAValue) -> SSAValue:
        """Return 2**exponent for integers that are exponents of normal numbers."""
        shifted = self.int_op(arith.ShLIOp, exponent, 23)
        return self.as_float(self.int_op(arith.AddiOp, shifted, _ONE_BITS))


def expand_exp(e: Emitter, x: SSAValue) -> SSAValue:
    """
    exp(x) = 2**n * exp(r), n the integer nearest to x / ln 2.

    The factor is applied in two halves, so that both ends of the range are right:
    infinity from 88.73 on, denormal numbers below -87.3, zero from -104 on.
    """
    x = e.clamp(x, -104.0, 89.0)
    rounder = e.number(_ROUNDER)
    z = e.fma(x, e.number(_LOG2_E), rounder)
    n = e.float_op(arith.SubfOp, z, rounder)
    r = e.fma(n, e.number(-_LN2_HIGH), x)
    r = e.fma(n, e.number(-_LN2_LOW), r)
    square = e.float_op(arith.MulfOp, r, r)
    p = e.fma(e.polynomial(r, _EXP), square, r)
    p = e.float_op(arith.AddfOp, p, e.number(1.0))
    exponent = e.int_op(arith.SubiOp, e.as_bits(z), _ROUNDER_BITS)
    half = e.int_op(arith.ShRSIOp, exponent, 1)
    rest = e.int_op(arith.SubiOp, exponent, half)
    p = e.float_op(arith.MulfOp, p, e.power_of_two(half))
    return e.float_op(arith.MulfOp, p, e.power_of_two(rest))


def expand_log(e: Emitter, x: SSAValue) -> SSAValue:
    """
    log(2**n * m) = n * ln 2 + log(m), m between the roots of 1/2 and of 2.

    Zero gives -infinity, less gives NaN; infinity and NaN stay what they are.
    """
    large = e.float_op(arith.MulfOp, x, e.number(2.0**23))
    normal = e.choose("olt", x, _LEAST_NORMAL, large, x)
    bias = e.choose("olt", x, _LEAST_NORMAL, e.number(-23.0), e.number(0.0))
    from_root = e.int_op(arith.SubiOp, e.as_bits(normal), _ROOT_HALF_BITS)
    exponent = e.int_op(arith.ShRSIOp, from_root, 23)
    mantissa = e.int_op(arith.AndIOp, from_root, _MANTISSA)
    m = e.as_float(e.int_op(arith.AddiOp, mantissa, _ROOT_HALF_BITS))
    n = e.add_op(SIToFPOp.create(operands=[exponent], result_types=[e.float]))
    n = e.float_op(arith.AddfOp, n, bias)
    f = e.float_op(arith.SubfOp, m, e.number(1.0))
    square = e.float_op(arith.MulfOp, f, f)
    cube = e.float_op(arith.MulfOp, f, square)
    y = e.float_op(arith.MulfOp, e.polynomial(f, _LOG), cube)
    y = e.fma(n, e.number(_LN2_LOW), y)
    y = e.fma(square, e.number(-0.5), y)
    y = e.float_op(arith.AddfOp, f, y)
    y = e.fma(n, e.number(_LN2_HIGH), y)
    y = e.choose("oge", x, float("inf"), x, y)
    y = e.choose("oeq", x, 0.0, e.number(float("-inf")), y)
    return e.choose("ult", x, 0.0, e.number(float("nan")), y)


def _odd_rational(
    e: Emitter,
    x: SSAValue,
    bound: float,
    coefficients: tuple[Sequence[float], Sequence[float]],
) -> SSAValue:
    """Return x * p(x*x) / q(x*x), x clamped to a bound beyond which it is 1."""
    x = e.clamp(x, -bound, bound)
    square = e.float_op(arith.MulfOp, x, x)
    p, q = (e.polynomial(square, part) for part in coefficients)
    return e.float_op(arith.MulfOp, x, e.float_op(arith.DivfOp, p, q))


def expand_tanh(e: Emitter, x: SSAValue) -> SSAValue:
    """The bound is where the quotient is exactly 1, with FMA and without."""
    return _odd_rational(e, x, 7.963572025299072, _TANH)


def expand_erf(e: Emitter, x: SSAValue) -> SSAValue:
    return _odd_rational(e, x, 4.0, _ERF)


EXPANSIONS: dict[type[Operation], Callable[[Emitter, SSAValue], SSAValue]] = {
    math.ExpOp: expand_exp,
    math.LogOp: expand_log,
    math.TanhOp: expand_tanh,
    math.ErfOp: expand_erf,
}


def _is_f32(type_: Attribute) -> bool:
    if isinstance(type_, VectorType):
        type_ = cast(Any, type_).element_type
    return type_ == f32


@dataclass(frozen=True)
class ExpandMathPass(ModulePass):
    """
    Replace math.exp, math.log, math.tanh and math.erf of f32 by polynomials.

    Errors of the results: exp 2 ulp, log 3 ulp, tanh and erf 6 ulp. Those of f64 are
    left to the C library.

    Level: loops -> loops. Needs: nothing.
    Source: Cephes for exp and log, Eigen for tanh and erf.
    """

    name = "expand-math"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        found = [
            inner
            for inner in op.walk()
            if type(inner) in EXPANSIONS and _is_f32(inner.results[0].type)
        ]
        for inner in found:
            _expand(inner)


def _expand(op: Operation) -> None:
    emitter = Emitter(op.results[0].type)
    result = EXPANSIONS[type(op)](emitter, op.operands[0])
    for made in emitter.ops:
        made.location = op.location
    block = op.parent
    assert block is not None
    block.insert_ops_before(emitter.ops, op)
    result.name_hint = op.results[0].name_hint
    op.results[0].replace_all_uses_with(result)
    op.detach()
    op.erase()
