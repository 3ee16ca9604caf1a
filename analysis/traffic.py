"""Costs of moving data."""

from __future__ import annotations

from xdsl.ir import SSAValue

from glow.analysis.constants import constant_behind
from glow.support.layout import Layout, row_major, size_of
from glow.support.types import dtype_of, element_of, shape_of

CALL_BYTES = 4096
"""Cost of starting a movement, in bytes that could move in that time."""


def movement_cost(value: SSAValue, layout: Layout | None) -> int:
    """
    Return what it costs a run to have `value` in another `layout` too.

    That is the bytes read and written, padding included, and a call; constants move
    when the model is compiled. None is row-major.
    """
    shape = shape_of(value)
    if 0 in shape or constant_behind(value) is not None:
        return 0
    itemsize = dtype_of(element_of(value)).itemsize
    plain = row_major(len(shape))
    elements = size_of(plain, shape) + size_of(layout or plain, shape, itemsize)
    return elements * itemsize + CALL_BYTES
