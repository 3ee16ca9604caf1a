"""Values with operators: indices, scalars and vectors of the loops level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, cast

from xdsl.dialects import arith, math, vector
from xdsl.dialects.arith import (
    CMPF_COMPARISON_OPERATIONS,
    CMPI_COMPARISON_OPERATIONS,
)
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IndexType,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, Operation, SSAValue

from glow.codegen.writer import current, emit
from glow.dialects.llvm_ext import conversion, elementwise
from glow.support.attributes import index_attribute, integer
from glow.support.op_construction import build_op
from glow.support.types import (
    is_bool,
    is_float,
    is_unsigned,
    number_attribute,
    signless,
    signless_value,
)

INDEX = IndexType()

_NO_WRAP: dict[str, Attribute] = {
    "overflowFlags": arith.IntegerOverflowAttr([arith.IntegerOverflowFlag.NSW])
}

# `arith` has these for scalars only.
VECTOR_FORMS: dict[type[Operation], type[Operation]] = {
    arith.CmpfOp: elementwise.CmpfOp,
    arith.CmpiOp: elementwise.CmpiOp,
    arith.SelectOp: elementwise.SelectOp,
    arith.ExtSIOp: conversion.ExtSIOp,
    arith.ExtUIOp: conversion.ExtUIOp,
    arith.TruncIOp: conversion.TruncIOp,
    arith.SIToFPOp: conversion.SIToFPOp,
    arith.UIToFPOp: conversion.UIToFPOp,
    arith.FPToSIOp: conversion.FPToSIOp,
    arith.FPToUIOp: conversion.FPToUIOp,
    arith.BitcastOp: vector.BitcastOp,
}

Predicate = Literal["eq", "ne", "lt", "le", "gt", "ge"]
Number = float
"""A Python number; it takes the type of the value that it meets."""


@dataclass(frozen=True, eq=False, slots=True)
class Value:
    """
    An index, a scalar, a vector, or several vectors that are computed on alike.

    `element` is the type of a number, with its sign (`ui8`); `lanes` are those of one
    vector, 0 for a scalar. Operators append an op for each of `parts`. A number or a
    scalar that meets a vector is broadcast to it.
    """

    parts: tuple[SSAValue, ...]
    element: Attribute
    lanes: int = 0

    @staticmethod
    def of(ssa: SSAValue, element: Attribute | None = None) -> Value:
        """Return `ssa` as a value; `element` adds the sign that its type lacks."""
        type_: Any = ssa.type
        if isinstance(type_, VectorType):
            (lanes,) = type_.get_shape()
            return Value((ssa,), element or cast(Any, type_).element_type, lanes)
        return Value((ssa,), element or type_)

    @property
    def ssa(self) -> SSAValue:
        """The SSA value of a scalar or of one vector."""
        (one,) = self.parts
        return one

    @property
    def type(self) -> Attribute:
        """The type of each part."""
        return type_of(self.element, self.lanes)

    def named(self, hint: str) -> Value:
        """Return this value, printed as `hint` where that is free."""
        for part in self.parts:
            part.name_hint = hint
        return self

    def split(self) -> list[Value]:
        """Return each part as a value."""
        return [replace(self, parts=(part,)) for part in self.parts]

    def like(self, number: Value | Number) -> Value:
        """Return a number, or a scalar of the same type, in the shape of this value."""
        if not isinstance(number, Value):
            number = constant(number, self.element, self.lanes)
        elif self.lanes and not number.lanes:
            number = broadcast(number, self.lanes)
        if len(number.parts) == len(self.parts):
            return number
        return replace(number, parts=(number.ssa,) * len(self.parts))

    def __bool__(self) -> bool:
        raise TypeError("a value is known when code runs; use `select` or `when`")

    def __hash__(self) -> int:
        return hash(self.parts)

    def __add__(self, other: Value | Number) -> Value:
        if _is_nothing(self, other, 0):
            return self
        return _binary(self, other, arith.AddfOp, arith.AddiOp)

    __radd__ = __add__

    def __sub__(self, other: Value | Number) -> Value:
        if _is_nothing(self, other, 0):
            return self
        return _binary(self, other, arith.SubfOp, arith.SubiOp)

    def __rsub__(self, other: Number) -> Value:
        return self.like(other) - self

    def __mul__(self, other: Value | Number) -> Value:
        if _is_nothing(self, other, 1):
            return self
        return _binary(self, other, arith.MulfOp, arith.MuliOp)

    __rmul__ = __mul__

    def __truediv__(self, other: Value | Number) -> Value:
        """Divide; integers truncate, and the quotient must exist and not overflow."""
        integers = self._signed(arith.DivSIOp, arith.DivUIOp)
        return _binary(self, other, arith.DivfOp, integers)

    def __rtruediv__(self, other: Number) -> Value:
        return self.like(other) / self

    def __floordiv__(self, other: Value | Number) -> Value:
        """Divide integers that are not negative."""
        return _binary(self, other, None, arith.DivUIOp)

    def __mod__(self, other: Value | Number) -> Value:
        """Return the remainder of a division that truncates, as C's % and fmod."""
        is_natural = self.element == INDEX or is_unsigned(self.element)
        integers = arith.RemUIOp if is_natural else arith.RemSIOp
        return _binary(self, other, elementwise.RemfOp, integers)

    def __neg__(self) -> Value:
        if is_float(self.element):
            return apply(arith.NegfOp, self)
        return 0 - self

    def __and__(self, other: Value | Number) -> Value:
        return _binary(self, other, None, arith.AndIOp)

    def __or__(self, other: Value | Number) -> Value:
        return _binary(self, other, None, arith.OrIOp)

    def __xor__(self, other: Value | Number) -> Value:
        return _binary(self, other, None, arith.XOrIOp)

    def __invert__(self) -> Value:
        return self ^ (1 if is_bool(self.element) else -1)

    def __lshift__(self, other: Value | Number) -> Value:
        return _binary(self, other, None, arith.ShLIOp)

    def __rshift__(self, other: Value | Number) -> Value:
        integers = self._signed(arith.ShRSIOp, arith.ShRUIOp)
        return _binary(self, other, None, integers)

    def __lt__(self, other: Value | Number) -> Value:
        return compare("lt", self, other)

    def __le__(self, other: Value | Number) -> Value:
        return compare("le", self, other)

    def __gt__(self, other: Value | Number) -> Value:
        return compare("gt", self, other)

    def __ge__(self, other: Value | Number) -> Value:
        return compare("ge", self, other)

    def __eq__(self, other: Value | Number) -> Value:  # pyright: ignore
        return compare("eq", self, other)

    def __ne__(self, other: Value | Number) -> Value:  # pyright: ignore
        return compare("ne", self, other)

    def _signed(
        self, signed: type[Operation], natural: type[Operation]
    ) -> type[Operation]:
        return natural if is_unsigned(self.element) else signed


@cache
def type_of(element: Attribute, lanes: int = 0) -> Attribute:
    """Return the type of a scalar, or of a vector of `lanes` > 0; it has no sign."""
    return VectorType(signless(element), [lanes]) if lanes else signless(element)


def constant(number: Number, element: Attribute, lanes: int = 0) -> Value:
    """Return `number` as a scalar, or in each lane of a vector."""
    plain = signless_value(number, element)
    key = (repr(plain), element, lanes)
    if (known := current().constants.get(key)) is not None:
        return Value((known,), element, lanes)
    type_ = type_of(element, lanes)
    if element == INDEX:
        attribute: Attribute = index_attribute(int(number))
    elif lanes:
        attribute = _dense(type_, [plain])
    else:
        attribute = number_attribute(plain, signless(element))
    return Value((current().constant(key, attribute, type_),), element, lanes)


def index(number: int | Value) -> Value:
    """Return `number` as an index."""
    return number if isinstance(number, Value) else constant(number, INDEX)


def lane_numbers(element: Attribute, lanes: int) -> Value:
    """Return the vector 0, 1, ... of integers."""
    type_ = type_of(element, lanes)
    ssa = current().constant(("lanes", type_), _dense(type_, range(lanes)), type_)
    return Value((ssa,), element, lanes)


def _dense(type_: Attribute, values: Sequence[float]) -> Attribute:
    return cast(
        Attribute, DenseIntOrFPElementsAttr.from_list(cast(Any, type_), list(values))
    )


def broadcast(value: Value, lanes: int) -> Value:
    """Return scalar `value` in each lane of a vector; with 0 lanes, as it is."""
    if not lanes or value.lanes:
        return value
    type_ = type_of(value.element, lanes)
    op = build_op(vector.BroadcastOp, operands=[value.ssa], result_types=[type_])
    return Value((emit(op),), value.element, lanes)


def joined(values: Sequence[Value]) -> Value:
    """Return vectors of one type, or one scalar, as one value."""
    first = values[0]
    return replace(first, parts=tuple(part for v in values for part in v.parts))


def _is_nothing(value: Value, other: Value | Number, neutral: int) -> bool:
    """Return whether an operation of index `value` with `other` would not change it."""
    return value.element == INDEX and not isinstance(other, Value) and other == neutral


def aligned(*values: Value | Number) -> list[Value]:
    """Return values in the shape of the one with the most lanes and parts."""
    known = [value for value in values if type(value) is Value]
    widest = known[0]
    for value in known:
        if (value.lanes, len(value.parts)) > (widest.lanes, len(widest.parts)):
            widest = value
    return [widest if value is widest else widest.like(value) for value in values]


def apply(
    op: type[Operation],
    *operands: Value,
    result: Attribute | None = None,
    properties: dict[str, Attribute] | None = None,
) -> Value:
    """Append `op` per part of aligned operands; `result` is the result's element."""
    last = operands[-1]
    if result is None:
        element, types = last.element, [last.parts[0].type]
    else:
        element, types = result, [type_of(result, last.lanes)]
    kind, given = VECTOR_FORMS.get(op, op) if last.lanes else op, properties or {}
    parts = [
        emit(build_op(kind, operands=ssas, result_types=types, properties=given))
        for ssas in zip(*[operand.parts for operand in operands], strict=True)
    ]
    return Value(tuple(parts), element, last.lanes)


def _binary(
    x: Value,
    other: Value | Number,
    floats: type[Operation] | None,
    integers: type[Operation],
) -> Value:
    x, y = aligned(x, other)
    expect_one_type(x, y)
    if is_float(x.element):
        if floats is None:
            raise TypeError(f"expected integers, got {x.element}")
        return apply(floats, x, y)
    wraps = x.element != INDEX or integers not in (
        arith.AddiOp,
        arith.SubiOp,
        arith.MuliOp,
    )
    return apply(integers, x, y, properties={} if wraps else _NO_WRAP)


def expect_one_type(*values: Value) -> None:
    first = values[0].element
    if any(v.element is not first and v.element != first for v in values):
        types = " and ".join(str(value.element) for value in values)
        raise TypeError(f"expected values of one type, got {types}")


def compare(predicate: Predicate, x: Value, y: Value | Number) -> Value:
    """Compare; with NaN, only `ne` holds."""
    x, y = aligned(x, y)
    expect_one_type(x, y)
    if is_float(x.element):
        name = "une" if predicate == "ne" else f"o{predicate}"
        return compared(arith.CmpfOp, name, x, y)
    sign = "" if predicate in ("eq", "ne") else "u" if is_unsigned(x.element) else "s"
    return compared(arith.CmpiOp, f"{sign}{predicate}", x, y)


def compared(
    op: type[arith.CmpfOp | arith.CmpiOp], predicate: str, x: Value, y: Value
) -> Value:
    """Compare aligned values by a predicate of `op`, such as `uge`."""
    return apply(op, x, y, result=i1, properties={"predicate": _number(op, predicate)})


@cache
def _number(op: type[arith.CmpfOp | arith.CmpiOp], predicate: str) -> Attribute:
    is_float = op is arith.CmpfOp
    names = CMPF_COMPARISON_OPERATIONS if is_float else CMPI_COMPARISON_OPERATIONS
    return integer(names.index(predicate))


def absolute(x: Value) -> Value:
    """Return |x|; the least signed integer stays as it is."""
    if is_unsigned(x.element):
        return x
    return apply(math.AbsFOp if is_float(x.element) else math.AbsIOp, x)
