"""What activations do to one element."""

from __future__ import annotations

import math
from typing import Any

from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import f64
from xdsl.ir import Operation, SSAValue

from glow.dialects.graph import activation, parametric
from glow.lowering.graph_to_memory.scalar import RULES, Scalars, scalar
from glow.lowering.graph_to_memory.scalar_body import ScalarBody
from glow.support.types import is_float

# What this module adds stands beside the other rules.
__all__ = ["RULES"]


@scalar(activation.ReluOp)
def _relu(b: ScalarBody, op: Operation, a: Scalars) -> SSAValue:
    return b.maximum(a[0], b.const(0, a[0].type))


@scalar(activation.LeakyReluOp)
def _leaky_relu(b: ScalarBody, op: activation.LeakyReluOp, a: Scalars) -> SSAValue:
    (x,) = a
    slope = b.const(op.parameters()["alpha"], x.type)
    negative = b.compare("lt", x, b.const(0.0, x.type))
    return b.select(negative, b.mul(slope, x), x)


@scalar(parametric.PreluOp)
def _prelu(b: ScalarBody, op: Operation, a: Scalars) -> SSAValue:
    x, slope = a
    return b.select(b.compare("lt", x, b.const(0, x.type)), b.mul(slope, x), x)


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
    """Integers are shifted as f64, since bias and limit need not be whole."""
    element = b.element(a[0])
    x = a[0] if is_float(element) else b.cast(a[0], f64)
    bias, limit = (op.parameters()[k] for k in ("bias", "lambd"))
    low = b.compare("lt", x, b.const(-limit, x.type))
    high = b.compare("gt", x, b.const(limit, x.type))
    shift = b.const(bias, x.type)
    inner = b.select(high, b.sub(x, shift), b.const(0, x.type))
    return b.cast(b.select(low, b.add(x, shift), inner), element)


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


@scalar(activation.SigmoidOp)
def _sigmoid(b: ScalarBody, op: Operation, a: Scalars) -> SSAValue:
    return b.sigmoid(a[0])


@scalar(activation.SoftplusOp)
def _softplus(b: ScalarBody, op: Operation, a: Scalars) -> SSAValue:
    return b.softplus(a[0])
