"""Random calls of elementwise ops, the element types being those that they accept."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from glow.dialects.graph import (
    activation,
    binary,
    select,
)
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.declaration import BinaryOp, UnaryOp
from glow.dialects.graph.parameters import OpParameter
from glow.support.types import element_type_of
from random_ops.call import ALL, BOOL, NUMBERS, Array, Call, Dtype, Source, ops_of

# Where exp(x) - 1, 1 + erf(x) or x + 3 is small, digits are lost.
CANCELLING = (activation.EluOp, activation.SeluOp, activation.CeluOp)
CANCELLING += (activation.GeluOp, activation.HardSwishOp)

Generator = Callable[[Source], Call]


@cache
def _accepted(op: type[GraphOp], operands: int, fmod: bool = False) -> list[Dtype]:
    words = {name: p.words[0] for name, p in op.declared().items() if p.words}
    parameters = words | ({"fmod": True} if fmod else {})
    ones = [(np.ones((1,), dtype),) * operands for dtype in ALL]
    return [a[0].dtype for a in ones if Call(op, a, parameters).is_valid]


RANGES = {"bias": (0, 1), "lambd": (0, 2)}


def _parameters(s: Source, op: type[GraphOp]) -> dict[str, Any]:
    return {name: _parameter(s, each) for name, each in op.declared().items()}


def _parameter(s: Source, parameter: OpParameter) -> bool | float | str:
    if parameter.words:
        return s.choose(parameter.words)
    if parameter.kinds == (bool,):
        return s.flip()
    return float(s.rng.uniform(*RANGES.get(parameter.name, (0.1, 2))))


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
    return Call(activation.PreluOp, slots)


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
    {op.name: _unary(op) for op in ops_of(UnaryOp)}
    | {op.name: _binary(op) for op in ops_of(BinaryOp)}
    | {
        "graph.pow": _pow,
        "graph.where": _where,
        "graph.bitcast": _bitcast,
        "graph.cast": _cast,
        "graph.clip": _clip,
        "graph.prelu": _prelu,
    }
)
