"""Conditions on values, and choices by them."""

from dataclasses import replace

from xdsl.dialects import arith

from glow.codegen.values import Number, Value, aligned, apply, compared, expect_one_type
from glow.codegen.writer import emit


def compare_floats(predicate: str, x: Value, y: Value | Number) -> Value:
    """Compare by a predicate of `arith.cmpf`, such as `ugt` or `uno`."""
    return compared(arith.CmpfOp, predicate, *aligned(x, y))


def is_nan(x: Value) -> Value:
    """Return where x is NaN."""
    return compare_floats("uno", x, x)


def is_outside(x: Value, bound: Value | Number) -> Value:
    """Return whether x < 0 or x >= bound, of integers."""
    return compared(arith.CmpiOp, "uge", *aligned(x, bound))


def select(condition: Value, x: Value | Number, y: Value | Number) -> Value:
    """
    Return x where the condition holds, else y; one of them is not a Python number.

    A scalar condition selects whole vectors.
    """
    like = next(value for value in (x, y) if isinstance(value, Value))
    x, y = (v if isinstance(v, Value) else like.like(v) for v in (x, y))
    expect_one_type(x, y)
    if condition.lanes or not y.lanes:
        return apply(arith.SelectOp, *aligned(condition, x, y))
    pairs = zip(x.parts, y.parts, strict=True)
    parts = (emit(arith.SelectOp(condition.ssa, *pair)) for pair in pairs)
    return replace(y, parts=tuple(parts))
