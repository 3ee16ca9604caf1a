"""Normalizations that scale and shift each channel by numbers of its own."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import SSAValue

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.optional import Neutrals
from glow.dialects.graph.outside import PER_CHANNEL_BIAS, PER_CHANNEL_SCALE
from glow.support.types import (
    FLOAT,
    Tensor,
    check_rank,
    check_shape,
    same_element,
    shape_of,
    tensor,
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
    shape = check_rank("an input", input, 2)
    for name, value in vectors.items():
        check_shape(name, value, shape[1:2], ", one per channel")
    return tensor(same_element(input, *vectors.values()), shape)
