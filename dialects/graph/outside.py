"""Optional operands, applied by ops after the op that they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir import Operation, SSAValue

from glow.dialects.graph.base import Array
from glow.dialects.graph.binary import AddOp, MulOp
from glow.dialects.graph.elementwise import BinaryOp
from glow.dialects.graph.movement import ReshapeOp
from glow.dialects.graph.optional import NOTHING, Neutral, Outside
from glow.support.types import shape_of


def _apply(op: type[BinaryOp], is_per_channel: bool = False) -> Outside:
    """Return how to apply an operand, which broadcasts or is a vector per channel."""

    def write(_: Any, result: SSAValue, operand: SSAValue) -> Sequence[Operation]:
        if not is_per_channel:
            return (op(result, operand),)
        ones = (1,) * (len(shape_of(result)) - 2)
        column = ReshapeOp(operand, shape=(*shape_of(operand), *ones))
        return column, op(result, column.result)

    return write


def _channels(op: Any) -> Sequence[int]:
    return shape_of(op.result)[1:2]


added = _apply(AddOp)
multiplied = _apply(MulOp)
PER_CHANNEL_BIAS = Neutral(NOTHING, _channels, outside=_apply(AddOp, True))
PER_CHANNEL_SCALE = Neutral(1, _channels, outside=_apply(MulOp, True))


def per_channel(vector: Array, like: Array) -> Array:
    """Return a vector with its elements along axis 1 of another array."""
    return vector.reshape(-1, *(1,) * (like.ndim - 2))
