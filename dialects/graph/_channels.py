"""Normalizations that scale and shift each channel by numbers of its own."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.optional import Neutrals
from glow.dialects.graph.outside import PER_CHANNEL_BIAS, PER_CHANNEL_SCALE
from glow.support.types import (
    FLOAT,
    Tensor,
    same_element,
    shape_of,
    tensor,
    tensor_type,
)


class ChannelsOp(GraphOp):
    """An op on [N, C, ...], the first operand, with vectors [C] as the others."""

    @staticmethod
    def neutrals() -> Neutrals:
        return {"scale": PER_CHANNEL_SCALE, "bias": PER_CHANNEL_BIAS}

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        rank = len(shape_of(self.operands[0]))
        if operand == 0:
            return tuple(range(rank))
        return tuple(0 if axis == 1 else None for axis in range(rank))


def check_channels(input: SSAValue, vectors: Mapping[str, SSAValue | None]) -> Tensor:
    """Return the type of the result, which is that of `input`, after all checks."""
    FLOAT.check(input)
    shape = shape_of(input)
    if len(shape) < 2:
        raise VerifyException(
            f"expected an input of rank 2 or more, got {tensor_type(input)}"
        )
    present = {name: value for name, value in vectors.items() if value is not None}
    for name, value in present.items():
        if shape_of(value) != shape[1:2]:
            raise VerifyException(
                f"expected {name} of shape [{shape[1]}], one per channel, "
                f"got {tensor_type(value)}"
            )
    return tensor(same_element(input, *present.values()), shape)
