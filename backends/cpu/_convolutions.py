"""Which layouts convolutions read and write."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import prod

from xdsl.ir import Attribute

from glow.analysis.constants import constant_behind
from glow.dialects.graph.convolution import ConvOp, ConvTransposeOp
from glow.dialects.layout.attribute import LayoutAttr
from glow.lowering.convolution.packing import (
    GENERIC,
    MOST_PLANES,
    choose_conv_algorithm,
    filter_depthwise,
    filter_panels,
    grouped_channels,
    panel_width,
)
from glow.lowering.tile_heights import PERIOD_BYTES
from glow.support.layout import Layout, permuted
from glow.support.targets import LayoutChoice, Target
from glow.support.types import dtype_of, element_of, shape_of

# What a byte costs of a product whose rows are neighbours instead of its columns, in
# bytes moved: 0.03 to 0.15 ns an element, where movements take 0.1 to 0.4 ns.
TURNED = 0.75
# What a byte costs of an image with channels first, each time that a panel reads it:
# 0.01 to 0.06 ns an element.
_FIRST = 0.3
# Shorter stretches take longer to begin than to multiply.
_SHORTEST = 16
# An image of a batch begins with a tile of its own; with fewer, that costs too much.
_TILES = 16

Shape = tuple[int, ...]
Priced = tuple[Attribute | None, float]
"""What is asked, and what it costs more than the best."""


@cache
def channels_last(rank: int) -> Layout:
    """Return NWC, NHWC or NDHWC, and so on for any rank."""
    return permuted((0, *range(2, rank), 1))


@cache
def attribute(layout: Layout | None) -> Attribute | None:
    """Return how a choice asks for `layout`."""
    return None if layout is None else LayoutAttr(layout)


@dataclass(frozen=True)
class _Product:
    """A convolution as far as layouts depend on it; many in a network are alike."""

    element: Attribute
    input: Shape
    filter: Shape
    result: Shape
    strides: Shape
    pads: Shape
    dilations: Shape
    group: int
    is_known: bool
    """Whether the filter can be packed: it is a constant."""

    def algorithm(self, target: Target) -> str:
        if not self.is_known:
            return GENERIC.name
        return choose_conv_algorithm(
            target,
            self.element,
            self.input,
            self.filter,
            self.result,
            self.strides,
            self.dilations,
            self.group,
        ).name

    @property
    def columns(self) -> int:
        """The outputs of a group."""
        return self.filter[0] // self.group

    def bytes(self, shape: Shape) -> int:
        return prod(shape) * dtype_of(self.element).itemsize


def convolution_choices(op: ConvOp, target: Target) -> list[LayoutChoice]:
    """
    Ask for channels last, or, of either side, for channels first at a price.

    Channels of groups may take turns in the result instead: that is the order in
    which a shuffle of channels keeps bytes.
    """
    p = op.parameters()
    conv = _Product(
        element_of(op.filter),
        shape_of(op.input),
        shape_of(op.filter),
        shape_of(op.result),
        p["strides"],
        p["pads"],
        p["dilations"],
        p["group"],
        constant_behind(op.filter) is not None,
    )
    filter = attribute(_filter_layout(conv, target))
    others = filter, *(None for _ in op.operands[2:])
    return [
        LayoutChoice((input, *others), (result,), price + cost)
        for input, price in _inputs(conv, target)
        for result, cost in (*_results(conv, target), *_turns(conv, target))
    ]


def transposed_choices(op: ConvTransposeOp, target: Target) -> list[LayoutChoice]:
    """
    Ask for channels last, or for a result with channels first at a price.

    With strides, phases write places that are apart, which no register can turn.
    """
    p, (channels, outputs, *kernel) = op.parameters(), shape_of(op.filter)
    ones, group = (1,) * len(kernel), p["group"]
    conv = _Product(
        element_of(op.filter),
        shape_of(op.input),
        (group * outputs, channels // group, *kernel),
        shape_of(op.result),
        ones,
        (0,) * (2 * len(kernel)),
        p["dilations"],
        group,
        constant_behind(op.filter) is not None,
    )
    last = attribute(channels_last(len(conv.input)))
    operands = (last, *(None for _ in op.operands[1:]))
    return [
        LayoutChoice(operands, (result,), cost)
        for result, cost in _results(conv, target)
        if result == last or not any(stride > 1 for stride in p["strides"])
    ]


@cache
def _inputs(conv: _Product, target: Target) -> list[Priced]:
    """Return orders of the input, and what each costs."""
    found: list[Priced] = [(attribute(channels_last(len(conv.input))), 0.0)]
    if conv.algorithm(target) == "direct" and _reads_first(conv):
        panels = -(-conv.columns // panel_width(target, conv.columns))
        reads = panels * prod(conv.filter[2:]) / prod(conv.strides)
        found.append((None, _FIRST * reads * conv.bytes(conv.input)))
    return found


def _reads_first(conv: _Product) -> bool:
    """
    Return whether the kernel reads images with channels first as fast as others.

    A border has to be made, and then channels move as well; few channels are short
    stretches; and channels of which each pixel competes for one place of the cache
    are slow.
    """
    _, depth, *kernel = conv.filter
    distance = conv.bytes(conv.input[2:])
    is_long = prod(kernel) == 1 or depth >= _SHORTEST
    return is_long and not any(conv.pads) and distance % PERIOD_BYTES != 0


@cache
def _results(conv: _Product, target: Target) -> list[Priced]:
    """
    Return orders of the result, and what each costs.

    Whole registers are turned, whatever they hold.
    """
    batch, outputs, *pixels = conv.result
    found: list[Priced] = [(attribute(channels_last(len(conv.result))), 0.0)]
    tiles = 1 if batch == 1 else _TILES
    has_tiles = prod(pixels) >= tiles * target.tile_rows
    if conv.algorithm(target) == "direct" and conv.group < outputs and has_tiles:
        lanes = target.f32_lanes
        waste = -(-conv.columns // lanes) * lanes / conv.columns
        found.append((None, TURNED * conv.bytes(conv.result) * waste))
    return found


@cache
def _turns(conv: _Product, target: Target) -> list[Priced]:
    """Return the order of the result in which channels of groups take turns."""
    is_direct = conv.algorithm(target) == "direct" and conv.group < conv.result[1]
    if not is_direct or not 1 < conv.group <= MOST_PLANES:
        return []
    turns = grouped_channels(len(conv.result) - 2, conv.columns)
    return [(attribute(turns), _turns_cost(target) * conv.bytes(conv.result))]


def _turns_cost(target: Target) -> float:
    """
    Return what a byte costs of a result whose groups take turns, in bytes moved.

    Measured at 28x28 pixels, 4 groups of 34: a movement costs 2 for each byte.
    """
    return {512: 1.0, 256: 2.0}.get(target.vector_bits, 1.4)


@cache
def _filter_layout(conv: _Product, target: Target) -> Layout | None:
    """
    Return the layout of a convolution's filter; None where its kernel wants none.

    Depthwise filters have output channels innermost. A panel never spans two groups,
    so groups that no panel divides stay row-major: their padding is no layout.
    """
    algorithm, spatial = conv.algorithm(target), len(conv.filter) - 2
    if algorithm == "depthwise":
        return filter_depthwise(spatial)
    width = panel_width(target, conv.columns)
    if algorithm != "direct" or (conv.group > 1 and conv.columns % width):
        return None
    return filter_panels(spatial, width)
