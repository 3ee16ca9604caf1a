"""Bytes that a call touches through a buffer."""

from __future__ import annotations

from xdsl.dialects.builtin import NoneAttr, StridedLayoutAttr
from xdsl.ir import SSAValue

from glow.analysis.buffers import root_of, size_bytes
from glow.dialects.layout.attribute import LayoutAttr
from glow.dialects.memory.address import Addressing, addressing_of, find_addressing
from glow.dialects.memory.base import buffer_type
from glow.dialects.team.touches import Bytes
from glow.lowering.memory_to_loops.kernels.kernel import Argument
from glow.lowering.memory_to_loops.kernels.unit_rows import UnitRows
from glow.support.types import dtype_of


def bytes_behind(argument: Argument, *, writes: bool) -> Bytes:
    """Return what a call may touch behind the pointer of an argument into a buffer."""
    assert argument.buffer is not None
    within = writes and not argument.is_around
    return bytes_of(argument.buffer, writes=within).moved(-argument.lead)


def bytes_of(buffer: SSAValue, *, writes: bool) -> Bytes:
    """
    Return what a call may touch through `buffer`, from the start of its root on.

    Reads may go beyond its elements, to a border or padding that it or its root stores.
    """
    root, type_ = root_of(buffer), buffer_type(buffer)
    whole = bytes_of_root(root)
    if root is buffer and type(type_.layout) is NoneAttr:
        return whole
    addressing = find_addressing(type_)
    if addressing is None:
        return whole
    own = footprint(addressing, dtype_of(type_.element_type).itemsize)
    layouts = type_.layout, buffer_type(root).layout
    has_padding = any(isinstance(layout, LayoutAttr) for layout in layouts)
    if writes or not (root is buffer or has_padding):
        return own
    return Bytes(min(0, own.begin), max(whole.end, own.end))


def bytes_of_root(root: SSAValue) -> Bytes:
    """Return where `root` lies; a strided one has as much room behind as before."""
    type_ = buffer_type(root)
    if not isinstance(type_.layout, StridedLayoutAttr):
        return Bytes(0, size_bytes(type_))
    addressing = addressing_of(root)
    own = footprint(addressing, dtype_of(type_.element_type).itemsize)
    return Bytes(0, own.begin + own.end)


def bytes_of_rows(rows: UnitRows, size: int) -> tuple[Bytes, int]:
    """Return where rows of elements of `size` bytes lie, and how far a unit moves."""
    first, width, pitch = (n * size for n in (rows.first, rows.width, rows.pitch))
    end = first + (rows.count - 1) * pitch + width
    gaps = (width, pitch) if width < pitch else ()
    return Bytes(first, end, *gaps), rows.each * pitch


def footprint(addressing: Addressing, size: int) -> Bytes:
    """Return where elements of `size` bytes lie."""
    low, high = addressing.bounds
    own = Bytes(low * size, (high + 1) * size)
    run = period = 1
    axes = zip(addressing.shape, map(abs, addressing.strides), strict=True)
    for stride, extent in sorted((s, n) for n, s in axes if n > 1 and s):
        if period > 1:
            if stride % period:
                return own
        elif stride <= run:
            run += (extent - 1) * stride
        else:
            period = stride
    if period == 1:
        return own
    return Bytes(own.begin, own.end, run * size, period * size)
