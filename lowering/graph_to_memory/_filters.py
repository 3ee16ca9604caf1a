"""Filters while convolutions are lowered: known ones, and those that a run packs."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.ir import SSAValue

from glow.analysis.buffers import root_of
from glow.dialects.layout.attribute import LayoutAttr, layout_of, physical_shape_of
from glow.dialects.memory.address import Addressing, find_addressing
from glow.dialects.memory.base import Buffer, buffer_type
from glow.lowering.convolution.algorithm import GENERIC, Algorithm
from glow.lowering.convolution.filters import (
    filter_layout,
    layout_by_groups,
    packed_filter,
    packed_shape,
)
from glow.lowering.graph_to_memory.state import Lowering
from glow.support.arrays import Array
from glow.support.layout import Layout, row_major, row_major_strides
from glow.support.types import shape_of


@dataclass(frozen=True)
class Filter:
    """The weights of a convolution, known or computed at run time."""

    shape: tuple[int, ...]
    """[outputs, channels of a group, window...]."""
    hint: str
    stored: Array | None = None
    """The bytes in the order of `layout`, or None if a run computes them."""
    layout: Layout | None = None
    buffer: SSAValue | None = None
    apart: Addressing | None = None
    """Where [groups, outputs of a group, ...] lie in `buffer`; None if blocked."""

    @staticmethod
    def of(lowering: Lowering, value: SSAValue, group: int) -> Filter:
        stored, layout = lowering.known(value), layout_of(value)
        shape, buffer = shape_of(value), lowering[value]
        own = find_addressing(buffer_type(buffer))
        if own is not None:
            columns = shape[0] // group
            strides = (columns * own.strides[0], *own.strides)
            own = Addressing((group, columns, *shape[1:]), strides, own.offset)
        return Filter(shape, hint_of(value), stored, layout, buffer, own)


def hint_of(value: SSAValue) -> str:
    """Return the name hint for a constant made of `value`."""
    symbol = getattr(value.owner, "symbol", None)
    return "filter" if symbol is None else symbol.string_value()


def packed_weights(
    lowering: Lowering, weights: Filter, algorithm: Algorithm, group: int
) -> SSAValue:
    """Return a buffer with `weights` as `algorithm` reads them."""
    stored = weights.stored
    if stored is None:
        return _packed_at_run_time(lowering, weights, algorithm, group)
    array = packed_filter(algorithm, stored, weights.layout, weights.shape, group)
    return lowering.constant(array, f"{weights.hint}.{algorithm.name}")


def _packed_at_run_time(
    lowering: Lowering, weights: Filter, algorithm: Algorithm, group: int
) -> SSAValue:
    """Return a buffer with `weights` as `algorithm` reads them, copied if need be."""
    buffer, own, shape = weights.buffer, weights.apart, weights.shape
    assert buffer is not None
    wanted = packed_shape(algorithm, shape, group)
    if own is None:
        return lowering.relabeled(buffer, wanted, row_major(len(wanted)))
    if _is_packed(weights, algorithm, group):
        # A strided view does not show the padding, which its root has.
        root = root_of(buffer)
        if prod(physical_shape_of(buffer_type(root))) == prod(wanted):
            return lowering.relabeled(root, wanted, row_major(len(wanted)))
    element, apart = buffer_type(buffer).element_type, lowering.view(buffer, own)
    if algorithm == GENERIC:
        whole = own.reshaped(shape)
        if whole is not None:
            return lowering.view(buffer, whole)
        new = lowering.temporary(element, shape)
        split = Addressing(own.shape, row_major_strides(own.shape))
        lowering.copy(apart, lowering.view(new, split))
        return new
    layout = LayoutAttr(layout_by_groups(algorithm, len(shape) - 2))
    new = lowering.alloc(Buffer(element, own.shape, layout))
    lowering.zero_padding(new)
    lowering.copy(apart, new)
    return lowering.relabeled(new, wanted, row_major(len(wanted)))


def _is_packed(weights: Filter, algorithm: Algorithm, group: int) -> bool:
    """Return whether layout assignment has put `weights` in the order that is read."""
    wanted, buffer = filter_layout(algorithm, weights.shape, group), weights.buffer
    if weights.layout is None or weights.layout != wanted or buffer is None:
        return False
    type_ = buffer_type(buffer)
    given = Buffer(type_.element_type, weights.shape, LayoutAttr(weights.layout))
    return find_addressing(type_) == find_addressing(given)
