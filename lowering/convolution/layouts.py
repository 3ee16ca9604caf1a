"""Layouts that convolutions read and write, and their costs."""

from collections.abc import Sequence
from functools import cache
from math import prod

from xdsl.ir import Attribute

from glow.analysis.constants import constant_behind
from glow.dialects.graph.convolution import ConvOp, ConvTransposeOp
from glow.dialects.layout.attribute import (
    LayoutAttr,
    layout_attribute,
    layout_of,
    strides_of,
)
from glow.dialects.memory.address import Addressing, find_addressing
from glow.dialects.memory.base import Buffer
from glow.lowering.convolution.algorithm import ConvShape, batches_of, choose_algorithm
from glow.lowering.convolution.filters import filter_layout
from glow.support.layout import Dim, Layout, channels_last, reshaped
from glow.support.targets import LayoutChoice, Target
from glow.support.types import dtype_of, element_of, shape_of

GROUPS, CHANNELS = 1, 2
"""The axes of groups and of their channels in what `find_groups` returns."""

MOST_PLANES = 8
"""The most groups whose channels a kernel interleaves."""

Priced = tuple[Attribute | None, float]
"""A layout to ask for, and its cost above that of the best."""


def convolution_choices(op: ConvOp, target: Target) -> Sequence[LayoutChoice]:
    """
    Return channels last on both sides, or channels first on either at a price.

    The result may interleave the channels of groups instead: a shuffle of channels
    then moves nothing.
    """
    return _choices(ConvShape.of(op), len(op.operands), target)


@cache
def _choices(conv: ConvShape, operands: int, target: Target) -> Sequence[LayoutChoice]:
    layout = filter_layout(choose_algorithm(conv, target), conv.filter, conv.group)
    others = layout_attribute(layout), *(None for _ in range(2, operands))
    return [
        LayoutChoice((input, *others), (result,), price + cost)
        for input, price in _inputs(conv, target)
        for result, cost in (*_results(conv, target), *_interleaved(conv, target))
    ]


def transposed_choices(op: ConvTransposeOp, target: Target) -> list[LayoutChoice]:
    """
    Return channels last, or a result with channels first at a price.

    With strides, phases write scattered elements, which registers cannot transpose.
    """
    p, (channels, outputs, *kernel) = op.parameters(), shape_of(op.filter)
    ones, group = (1,) * len(kernel), p["group"]
    conv = ConvShape(
        element_of(op.filter),
        shape_of(op.input),
        (group * outputs, channels // group, *kernel),
        shape_of(op.result),
        ones,
        (0,) * (2 * len(kernel)),
        p["dilations"],
        group,
        constant_behind(op.filter) is not None,
        batches_of(op, shape_of(op.result)[0]),
    )
    last = layout_attribute(channels_last(len(conv.input)))
    operands = (last, *(None for _ in op.operands[1:]))
    return [
        LayoutChoice(operands, (result,), cost)
        for result, cost in _results(conv, target)
        if result == last or not any(stride > 1 for stride in p["strides"])
    ]


def _inputs(conv: ConvShape, target: Target) -> list[Priced]:
    choices: list[Priced] = [(layout_attribute(channels_last(len(conv.input))), 0.0)]
    algorithm = choose_algorithm(conv, target)
    if algorithm.name == "direct" and _reads_first(conv, target):
        panels = -(-conv.columns // algorithm.panel)
        reads = panels * prod(conv.filter[2:]) / prod(conv.strides)
        cost = target.costs.channels_first * reads
        choices.append((None, cost * conv.bytes(conv.input)))
    return choices


def _reads_first(conv: ConvShape, target: Target) -> bool:
    """
    Return whether the kernel reads images with channels first about as fast.

    It does not if a border needs a copy, which could reorder channels as well; if few
    channels make runs short; or if the channels of a pixel compete for one place of L1.
    """
    _, depth, *kernel = conv.filter
    distance = conv.bytes(conv.input[2:])
    is_long = prod(kernel) == 1 or depth >= target.costs.shortest_run
    return is_long and not any(conv.pads) and distance % target.l1_way_bytes != 0


@cache
def _results(conv: ConvShape, target: Target) -> list[Priced]:
    """
    Return orders of the result with their costs.

    Whole registers are transposed, even if partly filled.
    """
    batch, outputs, *pixels = conv.result
    choices: list[Priced] = [(layout_attribute(channels_last(len(conv.result))), 0.0)]
    tiles = 1 if batch == 1 else target.costs.tiles_of_image
    has_tiles = prod(pixels) >= tiles * target.tile_rows
    if _is_product(conv, target) and conv.group < outputs and has_tiles:
        lanes = target.f32_lanes
        waste = -(-conv.columns // lanes) * lanes / conv.columns
        cost = target.costs.transposed_result * waste
        choices.append((None, cost * conv.bytes(conv.result)))
    return choices


def _interleaved(conv: ConvShape, target: Target) -> list[Priced]:
    is_product = _is_product(conv, target) and conv.group < conv.result[1]
    if not is_product or not 1 < conv.group <= MOST_PLANES:
        return []
    layout = grouped_channels(len(conv.result) - 2, conv.columns)
    cost = target.costs.interleaved_groups * conv.bytes(conv.result)
    return [(layout_attribute(layout), cost)]


def _is_product(conv: ConvShape, target: Target) -> bool:
    return choose_algorithm(conv, target).is_product


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


@cache
def grouped_channels(spatial: int, columns: int) -> Layout:
    """Return [N, ..., columns, groups]: channels last, the groups interleaved."""
    groups = (Dim(1, columns), Dim(1, None, columns))
    return Layout([Dim(0), *(Dim(2 + i) for i in range(spatial)), *groups])
