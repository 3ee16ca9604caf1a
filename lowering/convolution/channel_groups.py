"""Channels by group: where each group's lie, also interleaved with the others'."""

from functools import cache

from glow.dialects.layout.attribute import LayoutAttr, layout_of, strides_of
from glow.dialects.memory.address import Addressing, find_addressing
from glow.dialects.memory.base import Buffer
from glow.support.layout import Dim, Layout, reshaped
from glow.support.types import dtype_of

GROUPS, CHANNELS = 1, 2
"""The axes of what `find_groups` returns."""


def find_groups(type_: Buffer, group: int) -> Addressing | None:
    """
    Return the addressing of [N, group, C / group, ...] of a buffer of `type_`.

    None if channels of a group are not equally far from each other.
    """
    shape, own = type_.get_shape(), find_addressing(type_)
    batch, channels, *spatial = shape
    wide = (batch, group, channels // group, *spatial)
    if own is not None:
        outer, step, *others = own.strides
        strides = (outer, channels // group * step, step, *others)
        return Addressing(wide, strides, own.offset)
    layout = layout_of(type_)
    split = None if layout is None else reshaped(layout, shape, wide)
    if split is None:
        return None
    size = dtype_of(type_.element_type).itemsize
    addressing = strides_of(LayoutAttr(split), wide, size)
    return None if addressing is None else Addressing(wide, *addressing)


MOST_PLANES = 8
"""The most groups whose channels a kernel interleaves."""


@cache
def grouped_channels(spatial: int, columns: int) -> Layout:
    """Return [N, ..., columns, groups]: channels last, the groups interleaved."""
    turns = (Dim(1, columns), Dim(1, None, columns))
    return Layout([Dim(0), *(Dim(2 + i) for i in range(spatial)), *turns])
