"""What an elementwise graph op does to one element, as scalar ops."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import f64
from xdsl.ir import Operation, SSAValue

from glow.dialects.graph import (
    binary,
    comparison,
    logic,
    select,
    trigonometry,
    unary,
)
from glow.dialects.llvm_ext.conversion import FPToSISatOp, FPToUISatOp
from glow.dialects.llvm_ext.elementwise import RemfOp
from glow.lowering.graph_to_memory.scalar_body import ScalarBody, bits_of
from glow.support.dtypes import limits_of
from glow.support.types import dtype_of, element_of, is_bool, is_float, is_unsigned

Scalars = list[SSAValue]
Rule = Callable[[ScalarBody, Any, Scalars], SSAValue]

RULES: dict[type[Operation], Rule] = {}


def scalar(*ops: type[Operation]) -> Callable[[Rule], Rule]:
    """Register what graph ops `ops` do to one element of each operand."""

    def register(rule: Rule) -> Rule:
        RULES.update(dict.fromkeys(ops, rule))
        return rule

    return register


def _math(op: type[Operation]) -> Rule:
    return lambda b, _, a: b.op(op, a[0])


_SAME: dict[type[Operation], type[Operation]] = {
    unary.ExpOp: math_dialect.ExpOp,
    unary.LogOp: math_dialect.LogOp,
    unary.SqrtOp: math_dialect.SqrtOp,
    unary.ErfOp: math_dialect.ErfOp,
    trigonometry.SinOp: math_dialect.SinOp,
    trigonometry.CosOp: math_dialect.CosOp,
    trigonometry.TanOp: math_dialect.TanOp,
    trigonometry.AsinOp: math_dialect.AsinOp,
    trigonometry.AcosOp: math_dialect.AcosOp,
    trigonometry.AtanOp: math_dialect.AtanOp,
    trigonometry.SinhOp: math_dialect.SinhOp,
    trigonometry.CoshOp: math_dialect.CoshOp,
    trigonometry.TanhOp: math_dialect.TanhOp,
    trigonometry.AsinhOp: math_dialect.AsinhOp,
    trigonometry.AcoshOp: math_dialect.AcoshOp,
    trigonometry.AtanhOp: math_dialect.AtanhOp,
}
RULES.update({graph_op: _math(op) for graph_op, op in _SAME.items()})

_METHODS: dict[type[Operation], str] = {
    binary.AddOp: "add",
    binary.SubOp: "sub",
    binary.MulOp: "mul",
    binary.DivOp: "div",
    binary.MaxOp: "maximum",
    binary.MinOp: "minimum",
    unary.AbsOp: "abs",
    unary.NegOp: "neg",
}


def _method(name: str) -> Rule:
    return lambda b, _, a: getattr(b, name)(*a)


RULES.update({op: _method(name) for op, name in _METHODS.items()})

_COMPARISONS: dict[type[Operation], str] = {
    comparison.EqualOp: "eq",
    comparison.LessOp: "lt",
    comparison.LessOrEqualOp: "le",
    comparison.GreaterOp: "gt",
    comparison.GreaterOrEqualOp: "ge",
}


def _comparison(predicate: str) -> Rule:
    return lambda b, _, a: b.compare(predicate, a[0], a[1])


RULES.update({op: _comparison(p) for op, p in _COMPARISONS.items()})

_BITS: dict[type[Operation], type[Operation]] = {
    logic.AndOp: arith.AndIOp,
    logic.OrOp: arith.OrIOp,
    logic.XorOp: arith.XOrIOp,
    logic.BitwiseAndOp: arith.AndIOp,
    logic.BitwiseOrOp: arith.OrIOp,
    logic.BitwiseXorOp: arith.XOrIOp,
}


def _bitwise(op: type[Operation]) -> Rule:
    return lambda b, _, a: b.op(op, a[0], a[1])


RULES.update({graph_op: _bitwise(op) for graph_op, op in _BITS.items()})


@scalar(unary.FloorOp, unary.CeilOp, unary.RoundOp)
def _rounding(b: ScalarBody, op: Operation, a: Scalars) -> SSAValue:
    rounding: dict[type[Operation], type[Operation]] = {
        unary.FloorOp: math_dialect.FloorOp,
        unary.CeilOp: math_dialect.CeilOp,
        unary.RoundOp: math_dialect.RoundEvenOp,
    }
    return b.op(rounding[type(op)], a[0]) if is_float(a[0].type) else a[0]


@scalar(unary.ReciprocalOp)
def _reciprocal(b: ScalarBody, op: Operation, a: Scalars) -> SSAValue:
    return b.div(b.const(1.0, a[0].type), a[0])


@scalar(unary.SignOp)
def _sign(b: ScalarBody, op: Operation, a: Scalars) -> SSAValue:
    (x,) = a
    element = b.element(x)
    zero, one = b.const(0, element), b.const(1, element)
    if is_unsigned(element):
        return b.minimum(x, one)
    below = b.select(b.compare("lt", x, zero), b.const(-1, x.type), x)
    # What is neither below nor above zero is zero, or NaN, and stays.
    return b.select(b.compare("gt", x, zero), one, below)


@scalar(unary.IsNanOp)
def _is_nan(b: ScalarBody, op: Operation, a: Scalars) -> SSAValue:
    return b.compare("uno", a[0], a[0])


@scalar(unary.IsInfOp)
def _is_inf(b: ScalarBody, op: unary.IsInfOp, a: Scalars) -> SSAValue:
    (x,) = a
    flags = op.parameters()
    up = b.compare("eq", x, b.const(math.inf, x.type))
    down = b.compare("eq", x, b.const(-math.inf, x.type))
    match flags["detect_positive"], flags["detect_negative"]:
        case True, True:
            return b.op(arith.OrIOp, up, down)
        case True, False:
            return up
        case False, True:
            return down
        case _:
            return b.const(0, up.type)


@scalar(logic.NotOp, logic.BitwiseNotOp)
def _not(b: ScalarBody, op: Operation, a: Scalars) -> SSAValue:
    return b.op(arith.XOrIOp, a[0], b.const(-1, a[0].type))


@scalar(binary.PowOp)
def _pow(b: ScalarBody, op: Operation, a: Scalars) -> SSAValue:
    base, exponent = a
    if is_float(base.type) and base.type == exponent.type:
        return b.op(math_dialect.PowFOp, base, exponent)
    wide = b.op(math_dialect.PowFOp, b.cast(base, f64), b.cast(exponent, f64))
    return b.cast(wide, b.element(base))


@scalar(binary.ModOp)
def _mod(b: ScalarBody, op: binary.ModOp, a: Scalars) -> SSAValue:
    x, y = a
    if is_float(x.type):
        return b.op(RemfOp, x, y)
    if is_unsigned(b.element(x)):
        return b.op(arith.RemUIOp, x, y)
    remainder = b.op(arith.RemSIOp, x, y)
    if op.parameters()["fmod"]:
        return remainder
    # The sign follows the divisor: add it where signs differ.
    zero = b.const(0, x.type)
    differ = b.compare("lt", b.op(arith.XOrIOp, remainder, y), zero)
    shift = b.op(arith.AndIOp, differ, b.compare("ne", remainder, zero))
    return b.select(shift, b.add(remainder, y), remainder)


@scalar(logic.BitShiftOp)
def _shift(b: ScalarBody, op: logic.BitShiftOp, a: Scalars) -> SSAValue:
    """Shift by at most the width less one, which leaves a sign; else, nothing."""
    x, y = a
    element = b.element(x)
    zero, most = b.const(0, element), b.const(bits_of(element) - 1, element)
    inside = b.op(arith.AndIOp, b.compare("ge", y, zero), b.compare("le", y, most))
    places = b.select(inside, y, most)
    is_right = op.parameters()["direction"] == "RIGHT"
    if is_right and not is_unsigned(element):
        return b.op(arith.ShRSIOp, x, places)
    shift = arith.ShRUIOp if is_right else arith.ShLIOp
    return b.select(inside, b.op(shift, x, places), zero)


@scalar(select.WhereOp)
def _where(b: ScalarBody, op: Operation, a: Scalars) -> SSAValue:
    return b.select(*a)


@scalar(select.CastOp)
def _cast(b: ScalarBody, op: select.CastOp, a: Scalars) -> SSAValue:
    (x,), to = a, element_of(op.results[0])
    is_truncation = is_float(x.type) and not is_float(to) and not is_bool(to)
    if is_truncation and op.parameters()["saturate"]:
        return b.op(FPToUISatOp if is_unsigned(to) else FPToSISatOp, x, result=to)
    return b.cast(x, to)


@scalar(select.BitcastOp)
def _bitcast(b: ScalarBody, op: Operation, a: Scalars) -> SSAValue:
    (x,), to = a, element_of(op.results[0])
    if is_bool(x.type):
        return b.cast(x, to)
    return x if b.element(x) == to else b.op(arith.BitcastOp, x, result=to)


@scalar(select.ClipOp)
def _clip(b: ScalarBody, op: select.ClipOp, a: Scalars) -> SSAValue:
    """
    Bound by what is given, or else a float by the finite ones of its type.

    Compared this way round, a bound that is NaN or an equal zero does not bound.
    """
    rest = iter(a[1:])
    x, element = a[0], element_of(op.input)
    for given, beyond, sign in ((op.min, "gt", -1), (op.max, "lt", 1)):
        if given is not None:
            bound = next(rest)
        elif is_float(element):
            bound = b.const(sign * float(limits_of(dtype_of(element)).max), element)
        else:
            continue
        x = b.select(b.compare(beyond, bound, x), bound, x)
    return x
