"""Conversions between number types, and the bounds of each."""

from __future__ import annotations

from dataclasses import replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import f32, i32, i64
from xdsl.ir import Attribute

from glow.codegen.conditions import select
from glow.codegen.values import INDEX, Value, absolute, apply
from glow.support.types import (
    byte_type,
    dtype_of,
    is_bool,
    is_float,
    is_small,
    is_unsigned,
    signless,
    unsigned,
    width_of,
)


def bitcast(x: Value, to: Attribute) -> Value:
    """Return the same bits as elements of type `to`, which are as wide."""
    if signless(to) == signless(x.element):
        return replace(x, element=to)
    return apply(arith.BitcastOp, x, result=to)


def bits_of(element: Attribute) -> int:
    """Return the width of a number in bits; a bool has 1."""
    return 1 if is_bool(element) else 8 * dtype_of(element).itemsize


def convert(x: Value, to: Attribute) -> Value:
    """
    Convert as ONNX does: floats truncate toward zero, and any number but 0 is true.

    A float outside the range of an integer type gives any number: see `truncated`.
    """
    if x.element == to:
        return x
    if is_small(to):
        return replace(convert(x, byte_type(to)) & _mask(to), element=to)
    if is_small(x.element):
        x = _widened(x)
    source = x.element
    if INDEX in (source, to):
        return _cast_index(x, to)
    if is_bool(to):
        return x != 0
    if is_float(source):
        return _cast_float(x, to)
    extends_zeros = is_bool(source) or is_unsigned(source)
    if is_float(to):
        op = arith.UIToFPOp if extends_zeros else arith.SIToFPOp
        return apply(op, x, result=to)
    if bits_of(to) == bits_of(source):
        return bitcast(x, to)
    if bits_of(to) < bits_of(source):
        return apply(arith.TruncIOp, x, result=to)
    return apply(arith.ExtUIOp if extends_zeros else arith.ExtSIOp, x, result=to)


def _mask(small: Attribute) -> int:
    """Return a mask of the bits of an integer of fewer than 8 bits."""
    return (1 << width_of(small)) - 1


def _widened(x: Value) -> Value:
    """Return small integers as bytes; the upper bits of those in `x` may be any."""
    byte = replace(x, element=byte_type(x.element))
    if is_unsigned(x.element):
        return byte & _mask(x.element)
    shift = 8 - width_of(x.element)
    return (byte << shift) >> shift


def _cast_index(x: Value, to: Attribute) -> Value:
    if is_float(to):
        return convert(apply(arith.IndexCastOp, x, result=i64), to)
    if is_float(x.element) or is_unsigned(x.element) or is_bool(x.element):
        x = convert(x, i64)
    return apply(arith.IndexCastOp, x, result=to)


def _cast_float(x: Value, to: Attribute) -> Value:
    if is_float(to):
        if bits_of(to) == bits_of(x.element):  # f16 and bf16: no op between them
            return convert(convert(x, f32), to)
        widens = bits_of(to) > bits_of(x.element)
        return apply(arith.ExtFOp if widens else arith.TruncFOp, x, result=to)
    if bits_of(to) < 32:  # the low bits of an i32
        return convert(apply(arith.FPToSIOp, x, result=i32), to)
    op = arith.FPToUIOp if is_unsigned(to) else arith.FPToSIOp
    return apply(op, x, result=to)


def truncated(x: Value, to: Attribute) -> Value:
    """
    Return a float as an integer of 32 or 64 bits, truncated toward zero.

    NaN and numbers out of the range of a signed type become its lowest one, as on x86.
    Unsigned numbers with the highest bit are converted without it, then get it back.
    """
    if is_unsigned(to):
        return _truncated_unsigned(x, to)
    # A number of the lowest one's magnitude fits only if it is the lowest one.
    fits = absolute(x) < -lowest(to)
    return apply(arith.FPToSIOp, select(fits, x, lowest(to)), result=to)


def _truncated_unsigned(x: Value, to: Attribute) -> Value:
    signed = signless(to)
    top = -lowest(signed)
    has_top = x >= top
    low = truncated(select(has_top, x - top, x), signed)
    bit = select(has_top, low.like(lowest(signed)), 0)
    return bitcast(low ^ bit, to)


def lowest(element: Attribute) -> float:
    """Return a lower bound of the values of type `element`."""
    if is_float(element):
        return float("-inf")
    return 0 if is_unsigned(element) else -_bound(element)


def highest(element: Attribute) -> float:
    """Return an upper bound of the values of type `element`."""
    return float("inf") if is_float(element) else _bound(element) - 1


def _bound(element: Attribute) -> int:
    """Return the least integer greater than all of type `element`."""
    bits = width_of(element)
    return 1 << (bits if is_unsigned(element) else bits - 1)


def as_unsigned(x: Value) -> Value:
    """Return the same bits as unsigned integers."""
    return replace(x, element=unsigned(x.element))
