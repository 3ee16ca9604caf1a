"""Elementwise nodes on floats, integers and booleans, with broadcasting."""

from __future__ import annotations

import math

import numpy as np

from random_models.network import (
    BOOL,
    F32,
    F64,
    I32,
    I64,
    LARGEST,
    Network,
    Value,
)

SMOOTH = ("Sigmoid", "Tanh", "LeakyRelu", "HardSigmoid", "Erf", "Elu", "Softplus")
SMOOTH += ("Softsign", "HardSwish", "Selu", "ThresholdedRelu", "Sin", "Cos", "Atan")
# These keep bits as they are, or change only the sign.
EXACT = ("Relu", "Neg", "Abs", "Identity")
ROUNDING = ("Floor", "Ceil", "Round", "Sign")


def unary(net: Network) -> None:
    x = net.pick(lambda v: v.dtype == F32)
    if x is None:
        return
    if net.flip():
        net.like(net.choose(EXACT), x)
    elif x.exact and net.flip():
        net.like(net.choose(ROUNDING), x)
    else:
        kind = net.choose([k for k in SMOOTH if k != "ThresholdedRelu" or x.exact])
        net.emit(kind, [x.name], x.shape)


def clip(net: Network) -> None:
    x = net.pick(lambda v: v.dtype in (F32, I64))
    if x is None:
        return
    low = net.constant(np.asarray(-1, x.dtype)) if net.flip() else ""
    high = net.constant(np.asarray(2, x.dtype)) if net.flip() else ""
    net.like("Clip", x, low, high)


def _partner(net: Network, x: Value) -> Value:
    """Return what `x` can be combined with: a smaller weight, or another value."""

    def fits(v: Value) -> bool:
        if v.dtype != x.dtype or v.rank > x.rank:
            return False
        tail = x.shape[x.rank - v.rank :]
        return all(a in (1, b) for a, b in zip(v.shape, tail, strict=True))

    other = net.pick(fits)
    if other is not None and net.flip():
        return other
    small = [1 if net.flip() else extent for extent in x.shape]
    shape = tuple(small[net.integer(0, x.rank) :])
    return Value(net.weight(*shape, dtype=x.dtype), shape, x.dtype, exact=True)


def _pair(net: Network, x: Value) -> tuple[list[str], bool]:
    """Return operands that broadcast to the shape of `x`; say if both are exact."""
    other = _partner(net, x)
    names = [x.name, other.name]
    return names if net.flip() else names[::-1], x.exact and other.exact


def binary(net: Network) -> None:
    x = net.pick(lambda v: v.dtype in (F32, F64))
    if x is None:
        return
    inputs, exact = _pair(net, x)
    kind = net.choose(["Add", "Sub", "Mul", "Max", "Min"])
    exact = exact and kind in ("Max", "Min")
    net.emit(kind, inputs, x.shape, dtype=x.dtype, exact=exact)


def outer(net: Network) -> None:
    """Two values neither of which has the shape of the result."""
    x = net.pick(lambda v: v.dtype == F32 and v.rank > 1)
    if x is None:
        return
    axis = net.integer(0, x.rank - 1)
    if x.shape[axis] != 1:
        return
    extent = net.integer(1, 5)
    shape = (*x.shape[:axis], extent, *x.shape[axis + 1 :])
    if math.prod(shape) <= LARGEST:
        column = (extent, *(1 for _ in x.shape[axis + 1 :]))
        net.emit("Add", [x.name, net.weight(*column)], shape)


def divide(net: Network) -> None:
    x = net.pick(lambda v: v.dtype == F32)
    if x is None:
        return
    divisor = net.rng.uniform(0.5, 2, x.shape[-1:]).astype(np.float32)
    net.emit("Div", [x.name, net.constant(divisor)], x.shape)


def integers(net: Network) -> None:
    x = net.pick(lambda v: v.dtype.kind == "i")
    if x is None:
        return
    kind = net.choose(["Add", "Sub", "Mul", "Div", "Mod", "Abs", "Neg", "Max", "Min"])
    if kind in ("Abs", "Neg"):
        net.like(kind, x)
    elif kind in ("Div", "Mod"):
        net.like(kind, x, net.weight(*x.shape[-1:], dtype=x.dtype))
    else:
        inputs, _ = _pair(net, x)
        net.emit(kind, inputs, x.shape, dtype=x.dtype, exact=True)


def compare(net: Network) -> None:
    x = net.pick(lambda v: v.exact and v.dtype != BOOL)
    if x is None:
        return
    inputs, exact = _pair(net, x)
    if exact:
        kinds = ["Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Equal"]
        net.emit(net.choose(kinds), inputs, x.shape, dtype=BOOL, exact=True)


def logic(net: Network) -> None:
    x = net.pick(lambda v: v.dtype == BOOL)
    if x is None:
        return
    if net.flip():
        net.like("Not", x)
        return
    inputs, _ = _pair(net, x)
    kind = net.choose(["And", "Or", "Xor"])
    net.emit(kind, inputs, x.shape, dtype=BOOL, exact=True)


def where(net: Network) -> None:
    x = net.pick(lambda v: v.dtype in (F32, I64))
    if x is None:
        return
    tail = x.shape[net.integer(0, x.rank) :]
    condition = net.pick(lambda v: v.dtype == BOOL and v.shape == tail)
    chosen = net.weight(*tail, dtype=BOOL) if condition is None else condition.name
    sides, exact = _pair(net, x)
    net.emit("Where", [chosen, *sides], x.shape, dtype=x.dtype, exact=exact)


def cast(net: Network) -> None:
    x = net.pick(lambda v: v.exact or v.is_float)
    if x is None:
        return
    dtype = net.choose((F32, F64, I32, I64, BOOL) if x.exact else (F32, F64))
    number = {F32: 1, F64: 11, I32: 6, I64: 7, BOOL: 9}[dtype]
    net.emit("Cast", [x.name], x.shape, dtype=dtype, exact=x.exact, to=number)
