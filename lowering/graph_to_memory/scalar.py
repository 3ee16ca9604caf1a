"""What an elementwise graph op does to one element, as scalar ops."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from glow.dialects.graph import (
    activation,
    binary,
    comparison,
    logic,
    select,
    trigonometry,
    unary,
)
from glow.support.types import element_of, is_bool, is_float

Scalars = list[SSAValue]
Rule = Callable[["ScalarBody", Any, Scalars], SSAValue]

RULES: dict[type[Operation], Rule] = {}


def scalar(*ops: type[Operation]) -> Callable[[Rule], Rule]:
    """Register what graph ops `ops` do to one element of each operand."""

    def register(rule: Rule) -> Rule:
        RULES.update(dict.fromkeys(ops, rule))
        return rule

    return register


class ScalarBody:
    """Appends scalar ops to a block; methods are named like what they compute."""

    def __init__(self, block: Block):
        self.block = block
        self._constants: dict[tuple[str, Attribute], SSAValue] = {}

    def op(
        self,
        op: type[Operation],
        *operands: SSAValue,
        result: Attribute | None = None,
        **properties: Attribute,
    ) -> SSAValue:
        new = op.create(
            operands=list(operands),
            result_types=[result or operands[0].type],
            properties=properties,
        )
        self.block.add_op(new)
        return new.results[0]

    def const(self, value: float, element: Attribute) -> SSAValue:
        key = (repr(value), element)
        if key not in self._constants:
            attribute = (
                FloatAttr(float(value), element)  # pyright: ignore
                if is_float(element)
                else IntegerAttr(int(value), element)  # pyright: ignore
            )
            self._constants[key] = self.op(
                arith.ConstantOp, result=element, value=attribute
            )
        return self._constants[key]

    def add(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.op(_pick(a, arith.AddfOp, arith.AddiOp), a, b)

    def sub(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.op(_pick(a, arith.SubfOp, arith.SubiOp), a, b)

    def mul(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.op(_pick(a, arith.MulfOp, arith.MuliOp), a, b)

    def div(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.op(_pick(a, arith.DivfOp, arith.DivSIOp), a, b)

    def maximum(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.op(_pick(a, arith.MaximumfOp, arith.MaxSIOp), a, b)

    def minimum(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.op(_pick(a, arith.MinimumfOp, arith.MinSIOp), a, b)

    def neg(self, a: SSAValue) -> SSAValue:
        if is_float(a.type):
            return self.op(arith.NegfOp, a)
        return self.sub(self.const(0, a.type), a)

    def compare(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """Compare by `eq`, `lt`, `le`, `gt`, `ge` or, of floats, `ne` and `uno`."""
        new = (
            arith.CmpfOp(
                a, b, {"ne": "une", "uno": "uno"}.get(predicate, f"o{predicate}")
            )
            if is_float(a.type)
            else arith.CmpiOp(
                a, b, predicate if predicate in ("eq", "ne") else f"s{predicate}"
            )
        )
        self.block.add_op(new)
        return new.results[0]

    def select(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.op(arith.SelectOp, condition, a, b, result=a.type)

    def exp(self, a: SSAValue) -> SSAValue:
        return self.op(math_dialect.ExpOp, a)

    def log(self, a: SSAValue) -> SSAValue:
        return self.op(math_dialect.LogOp, a)

    def abs(self, a: SSAValue) -> SSAValue:
        return self.op(_pick(a, math_dialect.AbsFOp, math_dialect.AbsIOp), a)

    def sigmoid(self, a: SSAValue) -> SSAValue:
        one = self.const(1.0, a.type)
        return self.div(one, self.add(one, self.exp(self.neg(a))))

    def softplus(self, a: SSAValue) -> SSAValue:
        """log(1 + exp(a)) without overflow: max(a, 0) + log1p(exp(-|a|))."""
        tail = self.op(math_dialect.Log1pOp, self.exp(self.neg(self.abs(a))))
        return self.add(self.maximum(a, self.const(0.0, a.type)), tail)

    def tanh(self, a: SSAValue) -> SSAValue:
        return self.op(math_dialect.TanhOp, a)

    def cast(self, a: SSAValue, to: Attribute) -> SSAValue:
        """Convert as ONNX does: towards zero, anything but 0 is true."""
        if a.type == to:
            return a
        if is_bool(to):
            return self.compare("ne", a, self.const(0, a.type))
        if is_float(a.type) and is_float(to):
            wide = _bits(to) > _bits(a.type)
            return self.op(arith.ExtFOp if wide else arith.TruncFOp, a, result=to)
        if is_float(a.type):
            return self.op(arith.FPToSIOp, a, result=to)
        if is_float(to):
            return self.op(
                arith.UIToFPOp if is_bool(a.type) else arith.SIToFPOp, a, result=to
            )
        if _bits(to) < _bits(a.type):
            return self.op(arith.TruncIOp, a, result=to)
        return self.op(
            arith.ExtUIOp if is_bool(a.type) else arith.ExtSIOp, a, result=to
        )


def _pick(
    a: SSAValue, floats: type[Operation], integers: type[Operation]
) -> type[Operation]:
    return floats if is_float(a.type) else integers


def _bits(element: Attribute) -> int:
    if isinstance(element, IntegerType):
        return element.width.data
    return element.bitwidth  # pyright: ignore


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
    activation.SigmoidOp: "sigmoid",
    activation.SoftplusOp: "softplus",
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
    zero, one = b.const(0, x.type), b.const(1, x.type)
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
    match bool(flags["detect_positive"]), bool(flags["detect_negative"]):
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
    if is_float(base.type):
        return b.op(math_dialect.PowFOp, base, b.cast(exponent, base.type))
    from xdsl.dialects.builtin import f64

    wide = b.op(math_dialect.PowFOp, b.cast(base, f64), b.cast(exponent, f64))
    return b.cast(wide, base.type)


@scalar(binary.ModOp)
def _mod(b: ScalarBody, op: binary.ModOp, a: Scalars) -> SSAValue:
    x, y = a
    if is_float(x.type):
        return b.op(arith.RemFOp, x, y)
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
    """Shift by at most the width less one, which leaves the sign; left, nothing."""
    x, y = a
    zero, most = b.const(0, x.type), b.const(_bits(x.type) - 1, x.type)
    inside = b.op(arith.AndIOp, b.compare("ge", y, zero), b.compare("le", y, most))
    places = b.select(inside, y, most)
    if op.parameters()["direction"] == "RIGHT":
        return b.op(arith.ShRSIOp, x, places)
    return b.select(inside, b.op(arith.ShLIOp, x, places), zero)


@scalar(select.WhereOp)
def _where(b: ScalarBody, op: Operation, a: Scalars) -> SSAValue:
    return b.select(*a)


@scalar(select.CastOp)
def _cast(b: ScalarBody, op: select.CastOp, a: Scalars) -> SSAValue:
    return b.cast(a[0], element_of(op.results[0]))


@scalar(select.ClipOp)
def _clip(b: ScalarBody, op: select.ClipOp, a: Scalars) -> SSAValue:
    rest = iter(a[1:])
    x = a[0]
    if op.min is not None:
        x = b.maximum(x, next(rest))
    if op.max is not None:
        x = b.minimum(x, next(rest))
    return x


@scalar(activation.ReluOp)
def _relu(b: ScalarBody, op: Operation, a: Scalars) -> SSAValue:
    return b.maximum(a[0], b.const(0, a[0].type))


@scalar(activation.LeakyReluOp)
def _leaky_relu(b: ScalarBody, op: activation.LeakyReluOp, a: Scalars) -> SSAValue:
    (x,) = a
    slope = b.const(op.parameters()["alpha"], x.type)
    negative = b.compare("lt", x, b.const(0.0, x.type))
    return b.select(negative, b.mul(slope, x), x)


@scalar(activation.EluOp, activation.CeluOp, activation.SeluOp)
def _elu(b: ScalarBody, op: Any, a: Scalars) -> SSAValue:
    """gamma * (x if x > 0 else alpha * (exp(x / divisor) - 1))."""
    (x,) = a
    parameters = op.parameters()
    alpha = parameters["alpha"]
    zero, one = b.const(0.0, x.type), b.const(1.0, x.type)
    inner = b.minimum(x, zero)
    if isinstance(op, activation.CeluOp):
        inner = b.div(inner, b.const(alpha, x.type))
    below = b.mul(b.const(alpha, x.type), b.sub(b.exp(inner), one))
    found = b.add(b.maximum(x, zero), below)
    if isinstance(op, activation.SeluOp):
        return b.mul(b.const(parameters["gamma"], x.type), found)
    return found


@scalar(activation.ThresholdedReluOp)
def _thresholded_relu(b: ScalarBody, op: Any, a: Scalars) -> SSAValue:
    (x,) = a
    above = b.compare("gt", x, b.const(op.parameters()["alpha"], x.type))
    return b.select(above, x, b.const(0.0, x.type))


@scalar(activation.HardSigmoidOp, activation.HardSwishOp)
def _hard_sigmoid(b: ScalarBody, op: Any, a: Scalars) -> SSAValue:
    (x,) = a
    swish = isinstance(op, activation.HardSwishOp)
    parameters = {"alpha": 1 / 6, "beta": 0.5} if swish else op.parameters()
    alpha, beta = (b.const(parameters[k], x.type) for k in ("alpha", "beta"))
    line = b.add(b.mul(alpha, x), beta)
    gate = b.minimum(b.maximum(line, b.const(0.0, x.type)), b.const(1.0, x.type))
    return b.mul(x, gate) if swish else gate


@scalar(activation.SoftsignOp)
def _softsign(b: ScalarBody, op: Operation, a: Scalars) -> SSAValue:
    return b.div(a[0], b.add(b.const(1.0, a[0].type), b.abs(a[0])))


@scalar(activation.MishOp)
def _mish(b: ScalarBody, op: Operation, a: Scalars) -> SSAValue:
    return b.mul(a[0], b.tanh(b.softplus(a[0])))


@scalar(activation.SwishOp)
def _swish(b: ScalarBody, op: activation.SwishOp, a: Scalars) -> SSAValue:
    slope = b.const(op.parameters()["alpha"], a[0].type)
    return b.mul(a[0], b.sigmoid(b.mul(slope, a[0])))


@scalar(activation.ShrinkOp)
def _shrink(b: ScalarBody, op: activation.ShrinkOp, a: Scalars) -> SSAValue:
    (x,) = a
    bias, limit = (op.parameters()[k] for k in ("bias", "lambd"))
    low = b.compare("lt", x, b.const(-limit, x.type))
    high = b.compare("gt", x, b.const(limit, x.type))
    shift = b.const(bias, x.type)
    inner = b.select(high, b.sub(x, shift), b.const(0, x.type))
    return b.select(low, b.add(x, shift), inner)


@scalar(activation.GeluOp)
def _gelu(b: ScalarBody, op: activation.GeluOp, a: Scalars) -> SSAValue:
    (x,) = a
    one, half = b.const(1.0, x.type), b.const(0.5, x.type)
    if op.parameters()["approximate"] == "tanh":
        cube = b.mul(b.mul(x, x), b.mul(x, b.const(0.044715, x.type)))
        root = b.const(math.sqrt(2 / math.pi), x.type)
        inner = b.tanh(b.mul(root, b.add(x, cube)))
    else:
        scaled = b.mul(x, b.const(1 / math.sqrt(2), x.type))
        inner = b.op(math_dialect.ErfOp, scaled)
    return b.mul(b.mul(half, x), b.add(one, inner))
