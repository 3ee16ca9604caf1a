"""Functions of values: extremes, exponentials, polynomials, sums of lanes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Literal

from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import f32, i32
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation

from glow.codegen.casts import bitcast
from glow.codegen.conditions import select
from glow.codegen.values import Number, Value, absolute, aligned, apply, expect_one_type
from glow.codegen.writer import emit
from glow.dialects.llvm_ext.elementwise import DotPairsOp
from glow.support.op_construction import build_op
from glow.support.types import compute_type, is_float, is_unsigned, signless

_ANY_ORDER = arith.FastMathFlagsAttr([FastMathFlag.REASSOC])
_NO_NAN = arith.FastMathFlagsAttr([FastMathFlag.REASSOC, FastMathFlag.NO_NANS])
# The order of -0.0 and 0.0 does not matter, which saves instructions.
NO_SIGNED_ZEROS = arith.FastMathFlagsAttr([FastMathFlag.NO_SIGNED_ZEROS])

# Of the exponential.
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


def maximum(x: Value, y: Value | Number) -> Value:
    """Return the larger one; NaN if either is."""
    integers = arith.MaxUIOp if is_unsigned(x.element) else arith.MaxSIOp
    return _extreme(arith.MaximumfOp, integers, x, y)


def minimum(x: Value, y: Value | Number) -> Value:
    """Return the smaller one; NaN if either is."""
    integers = arith.MinUIOp if is_unsigned(x.element) else arith.MinSIOp
    return _extreme(arith.MinimumfOp, integers, x, y)


def _extreme(
    floats: type[Operation], integers: type[Operation], x: Value, y: Value | Number
) -> Value:
    x, y = aligned(x, y)
    expect_one_type(x, y)
    if not is_float(x.element):
        return apply(integers, x, y)
    return apply(floats, x, y, properties={"fastmath": NO_SIGNED_ZEROS})


def larger(x: Value, y: Value | Number) -> Value:
    """Return the larger one; y if either is NaN. One instruction."""
    return select(x > y, x, y)


def fma(x: Value | Number, y: Value | Number, z: Value | Number) -> Value:
    """Return x * y + z; of floats, rounded once where the target can."""
    a, b, c = aligned(x, y, z)
    expect_one_type(a, b, c)
    return apply(math.FmaOp, a, b, c) if is_float(c.element) else a * b + c


def dot_pairs(x: Value, y: Value, total: Value) -> Value:
    """Return `total` with the products of pairs of bf16 added to each lane."""
    parts = zip(x.parts * len(y.parts), y.parts, total.parts, strict=True)
    return replace(total, parts=tuple(emit(DotPairsOp(*part)) for part in parts))


def function(op: type[Operation], x: Value, *others: Value | Number) -> Value:
    """Append an op of one type such as `math.SinOp`."""
    return apply(op, *aligned(x, *others))


exp = partial(apply, math.ExpOp)
expm1 = partial(apply, math.ExpM1Op)
log = partial(apply, math.LogOp)
log1p = partial(apply, math.Log1pOp)
sqrt = partial(apply, math.SqrtOp)
tanh = partial(apply, math.TanhOp)
erf = partial(apply, math.ErfOp)


def power(x: Value, exponent: Value | Number) -> Value:
    """Return x to a power, of floats."""
    return function(math.PowFOp, x, exponent)


def sigmoid(x: Value) -> Value:
    """Return 1 / (1 + exp(-x)); in f32, denormal results may be 0."""
    if compute_type(x.element) == f32:
        return 1 / (1 + exp(-x))
    decay = exp(-absolute(x))
    return select(x < 0, decay, 1) / (1 + decay)


def softplus(x: Value) -> Value:
    """Return log(1 + exp(x)) without overflow: max(x, 0) + log1p(exp(-|x|))."""
    tail = log1p(exp(-absolute(x)))
    return maximum(x, 0) + tail


def polynomial(x: Value, coefficients: Sequence[float]) -> Value:
    """Return a polynomial of x by Horner's rule, the highest power first."""
    first, *rest = coefficients
    return reduce(lambda total, c: fma(total, x, c), rest, x.like(first))


Combination = Literal["add", "mul", "max", "min", "or", "and", "larger", "smaller"]


def across(kind: Combination, x: Value) -> Value:
    """
    Return all lanes of a vector combined, in any order; a scalar as it is.

    `max` and `min` keep NaN; for `larger` and `smaller`, no lane is NaN.
    """
    if not x.lanes:
        return x
    flags = arith.FastMathFlagsAttr("none")
    if is_float(x.element):
        flags = _NO_NAN if kind in ("larger", "smaller") else _ANY_ORDER
    properties: dict[str, Attribute] = {
        "kind": vector.CombiningKindAttr(_combining(kind, x.element)),
        "fastmath": flags,
    }
    op = build_op(
        vector.ReductionOp,
        operands=[x.ssa],
        result_types=[signless(x.element)],
        properties=properties,
    )
    return Value((emit(op),), x.element)


def _combining(kind: Combination, element: Attribute) -> vector.CombiningKindFlag:
    name = {"larger": "maxnumf", "smaller": "minnumf"}.get(kind, kind)
    if kind in ("max", "min"):
        floats, natural = is_float(element), is_unsigned(element)
        name += "imumf" if floats else "ui" if natural else "si"
    return vector.CombiningKindFlag(name)


_COMBINED: dict[Combination, Callable[[Value, Value], Value]] = {
    "add": Value.__add__,
    "mul": Value.__mul__,
    "or": Value.__or__,
    "and": Value.__and__,
    "max": maximum,
    "min": minimum,
    "larger": larger,
    "smaller": lambda x, y: select(x < y, x, y),
}


def combined(kind: Combination, x: Value, y: Value) -> Value:
    """Combine two values as `across` combines lanes."""
    return _COMBINED[kind](x, y)


def exponential(x: Value) -> Value:
    """
    Return exp(x) for x <= 0; NaN stays NaN.

    In f32, results that would be denormal are 0: denormals slow down later ops.
    """
    if x.element != f32:
        return exp(x)
    z = fma(x, _LOG2_E, _ROUNDER)
    power = polynomial(fma(x, _LOG2_E, _ROUNDER - z), _COEFFICIENTS)
    scale = bitcast(bitcast(z, i32) << _MANTISSA_BITS, f32)
    return select(x < _LEAST, 0, power * scale)
