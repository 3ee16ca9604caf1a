"""Random calls of elementwise ops, the element types being those that they accept."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from glow.dialects.graph import (
    activation,
    binary,
    comparison,
    logic,
    parametric,
    select,
    trigonometry,
    unary,
)
from glow.dialects.graph.base import GraphOp
from glow.support.types import element_type_of
from random_ops.call import ALL, BOOL, NUMBERS, Array, Call, Dtype, Source, ops_in

# Where exp(x) - 1, 1 + erf(x) or x + 3 is small, digits are lost.
CANCELLING = (activation.EluOp, activation.SeluOp, activation.CeluOp)
CANCELLING += (activation.GeluOp, activation.HardSwishOp)

Generator = Callable[[Source], Call]


@cache
def _accepted(op: type[GraphOp], operands: int, fmod: bool = False) -> list[Dtype]:
    parameters = {"fmod": True} if fmod else {}
    if op is logic.BitShiftOp:
        parameters = {"direction": "LEFT"}
    ones = [(np.ones((1,), dtype),) * operands for dtype in ALL]
    return [a[0].dtype for a in ones if Call(op, a, parameters).is_valid]


NAMED: dict[str, Callable[[Source], Any]] = {
    "alpha": lambda s: float(s.rng.uniform(0.1, 2)),
    "beta": lambda s: float(s.rng.uniform(0.1, 2)),
    "gamma": lambda s: float(s.rng.uniform(0.1, 2)),
    "bias": lambda s: float(s.rng.uniform(0, 1)),
    "lambd": lambda s: float(s.rng.uniform(0, 2)),
    "approximate": lambda s: s.choose(["none", "tanh"]),
    "detect_negative": lambda s: s.flip(),
    "detect_positive": lambda s: s.flip(),
    "fmod": lambda s: s.flip(),
    "direction": lambda s: s.choose(["LEFT", "RIGHT"]),
}


def _parameters(s: Source, op: type[GraphOp]) -> dict[str, Any]:
    return {name: NAMED[name](s) for name in op.declared()}


def _unary(op: type[GraphOp]) -> Generator:
    def draw(s: Source) -> Call:
        dtype = s.choose(_accepted(op, 1))
        slots = (s.array(s.shape(), dtype),)
        return Call(op, slots, _parameters(s, op), cancels=op in CANCELLING)

    return draw


def _binary(op: type[GraphOp]) -> Generator:
    def draw(s: Source) -> Call:
        parameters = _parameters(s, op)
        dtype = s.choose(_accepted(op, 2, parameters.get("fmod", False)))
        lhs, rhs = (s.array(shape, dtype) for shape in s.shapes(2))
        if op in (binary.DivOp, binary.ModOp) and dtype.kind in "iu":
            rhs = np.where(rhs == 0, 1, rhs).astype(dtype)
        return Call(op, (lhs, rhs), parameters)

    return draw


def _pow(s: Source) -> Call:
    left, right = s.choose(NUMBERS), s.choose(NUMBERS)
    lhs, rhs = (
        s.array(shape, t) for shape, t in zip(s.shapes(2), (left, right), strict=True)
    )
    return Call(binary.PowOp, (lhs, rhs))


def _where(s: Source) -> Call:
    dtype, shapes = s.choose(ALL), s.shapes(3)
    condition = s.array(shapes[0], BOOL)
    sides = [s.array(shape, dtype) for shape in shapes[1:]]
    return Call(select.WhereOp, (condition, *sides))


def _cast(s: Source) -> Call:
    source, target = s.choose(ALL), s.choose(ALL)
    value = s.array(s.shape(), source, strange=0.6, scale=s.choose([1, 3, 1e10]))
    parameters = {"to": element_type_of(target), "saturate": s.flip()}
    return Call(select.CastOp, (value,), parameters)


def _prelu(s: Source) -> Call:
    dtype, shape = s.choose(NUMBERS), s.shape()
    slots = (s.array(shape, dtype), s.array(s.broadcast(shape), dtype))
    return Call(parametric.PreluOp, slots)


def _bitcast(s: Source) -> Call:
    source = s.choose(ALL)
    equal = [dtype for dtype in NUMBERS if dtype.itemsize == source.itemsize]
    value = s.array(s.shape(), source, strange=0.5)
    parameters = {"to": element_type_of(s.choose(equal))}
    return Call(select.BitcastOp, (value,), parameters)


def _clip(s: Source) -> Call:
    dtype = s.choose(NUMBERS)

    def bound() -> Array | None:
        return s.array((), dtype) if s.flip(0.7) else None

    return Call(select.ClipOp, (s.array(s.shape(), dtype), bound(), bound()))


GENERATORS: dict[str, Generator] = (
    {
        op.name: _unary(op)
        for module in (activation, logic, trigonometry, unary)
        for op in ops_in(module, 1)
    }
    | {
        op.name: _binary(op)
        for module in (binary, comparison, logic)
        for op in ops_in(module, 2)
    }
    | {
        "graph.pow": _pow,
        "graph.where": _where,
        "graph.bitcast": _bitcast,
        "graph.cast": _cast,
        "graph.clip": _clip,
        "graph.prelu": _prelu,
    }
)
