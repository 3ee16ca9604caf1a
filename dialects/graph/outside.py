"""Optional operands, applied by ops after the op that they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir import Operation, SSAValue

from glow.dialects.graph.binary import AddOp, MulOp
from glow.dialects.graph.movement import ReshapeOp
from glow.dialects.graph.optional import NOTHING, Neutral
from glow.support.types import shape_of


def added(op: Any, result: SSAValue, operand: SSAValue) -> Sequence[Operation]:
    """Add `operand`, which broadcasts to the result."""
    return (AddOp(result, operand),)


def multiplied(op: Any, result: SSAValue, operand: SSAValue) -> Sequence[Operation]:
    """Multiply by `operand`, which broadcasts to the result."""
    return (MulOp(result, operand),)


def _per_channel(result: SSAValue, operand: SSAValue) -> ReshapeOp:
    """Return the vector `operand` with its elements along axis 1 of the result."""
    ones = (1,) * (len(shape_of(result)) - 2)
    return ReshapeOp(operand, shape=(*shape_of(operand), *ones))


def _added(op: Any, result: SSAValue, operand: SSAValue) -> Sequence[Operation]:
    column = _per_channel(result, operand)
    return column, AddOp(result, column.result)


def _multiplied(op: Any, result: SSAValue, operand: SSAValue) -> Sequence[Operation]:
    column = _per_channel(result, operand)
    return column, MulOp(result, column.result)


def _channels(op: Any) -> Sequence[int]:
    return shape_of(op.result)[1:2]


PER_CHANNEL_BIAS = Neutral(NOTHING, _channels, outside=_added)
PER_CHANNEL_SCALE = Neutral(1, _channels, outside=_multiplied)
