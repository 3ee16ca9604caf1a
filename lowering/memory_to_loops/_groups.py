"""Channels of a convolution seen by group, also where groups take turns in memory."""

from __future__ import annotations

from xdsl.ir import SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.dialects.layout.attribute import LayoutAttr, layout_of, strides_of
from glow.dialects.memory.address import Addressing, find_addressing
from glow.dialects.memory.base import buffer_type
from glow.lowering.memory_to_loops.axes import strides_in
from glow.support.layout import reshaped
from glow.support.types import dtype_of

GROUPS, CHANNELS = 1, 2
"""The axes of what `by_group` returns."""


def by_group(buffer: SSAValue, shape: tuple[int, ...], group: int) -> Addressing:
    """
    Return `buffer`, broadcast to [N, C, ...], as [N, group, C / group, ...].

    The offset counts from the base pointer of the buffer.
    Errors: blocked channels, unless a group's are as far from each other everywhere.
    """
    batch, channels, *spatial = shape
    wide = (batch, group, channels // group, *spatial)
    type_ = buffer_type(buffer)
    own = find_addressing(type_)
    if own is not None:
        outer, step, *others = strides_in(own, shape)
        return Addressing(wide, (outer, channels // group * step, step, *others))
    found = None
    if (layout := layout_of(type_)) is not None and type_.get_shape() == shape:
        split = reshaped(layout, shape, wide)
        size = dtype_of(type_.element_type).itemsize
        found = None if split is None else strides_of(LayoutAttr(split), wide, size)
    if found is None:
        raise PassFailedException(
            f"expected channels of {group} groups that are whole in memory, got {type_}"
        )
    return Addressing(wide, *found)
