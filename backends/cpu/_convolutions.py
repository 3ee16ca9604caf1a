"""Which layouts convolutions read and write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from math import prod

from xdsl.ir import Attribute

from glow.analysis.constants import constant_behind
from glow.dialects.graph.convolution import ConvOp, ConvTransposeOp
from glow.dialects.layout.attribute import LayoutAttr
from glow.lowering._packing import (
    MOST_PLANES,
    choose_conv_algorithm,
    filter_depthwise,
    filter_panels,
    grouped_channels,
    panel_width,
)
from glow.lowering._tiling import PERIOD_BYTES
from glow.support.layout import Layout, permuted
from glow.support.targets import LayoutChoice, Target
from glow.support.types import dtype_of, element_of, shape_of, size_bytes

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


@cache
def channels_last(rank: int) -> Layout:
    """Return NWC, NHWC or NDHWC, and so on for any rank."""
    return permuted((0, *range(2, rank), 1))


@cache
def attribute(layout: Layout | None) -> Attribute | None:
    """Return how a choice asks for `layout`."""
    return None if layout is None else LayoutAttr(layout)


def convolution_choices(op: ConvOp, target: Target) -> list[LayoutChoice]:
    """
    Ask for channels last, or, of either side, for channels first at a price.

    Channels of groups may take turns in the result instead: that is the order in
    which a shuffle of channels keeps bytes.
    """
    algorithm, filter = _algorithm(op, target), _filter_layout(op, target)
    last = attribute(channels_last(len(shape_of(op.input))))
    others = attribute(filter), *(None for _ in op.operands[2:])
    inputs = [(last, 0.0)]
    if algorithm == "direct" and _reads_first(op):
        inputs.append((None, _FIRST * _panel_reads(op, target) * size_bytes(op.input)))
    return [
        LayoutChoice((input, *others), (result,), price + cost)
        for input, price in inputs
        for result, cost in _results(op, algorithm, target)
    ]


def transposed_choices(op: ConvTransposeOp, target: Target) -> list[LayoutChoice]:
    """Ask for channels last, or for a result with channels first at a price."""
    last = attribute(channels_last(len(shape_of(op.input))))
    operands = (last, *(None for _ in op.operands[1:]))
    return [
        LayoutChoice(operands, (result,), cost)
        for result, cost in _results(op, _transposed_algorithm(op, target), target)
    ]


def _results(
    op: ConvOp | ConvTransposeOp, algorithm: str, target: Target
) -> Iterator[tuple[Attribute | None, float]]:
    """Yield orders of the result, and what each costs."""
    batch, outputs, *spatial = shape_of(op.result)
    group, size = op.parameters()["group"], size_bytes(op.result)
    yield attribute(channels_last(2 + len(spatial))), 0.0
    if algorithm != "direct" or group == outputs:
        return
    if isinstance(op, ConvOp) and 1 < group <= MOST_PLANES:
        turns = grouped_channels(len(spatial), outputs // group)
        yield attribute(turns), _turns_cost(target) * size
    tiles = 1 if batch == 1 else _TILES
    if prod(spatial) >= tiles * target.tile_rows:
        columns = outputs // group
        computed = -(-columns // target.f32_lanes) * target.f32_lanes
        yield None, TURNED * size * computed / columns


def _turns_cost(target: Target) -> float:
    """
    Return what a byte costs of a result whose groups take turns, in bytes moved.

    Measured at 28x28 pixels, 4 groups of 34: a movement costs 2 for each byte.
    """
    return {512: 1.0, 256: 2.0}.get(target.vector_bits, 1.4)


def _reads_first(op: ConvOp) -> bool:
    """
    Return whether the kernel reads images with channels first as fast as others.

    A border has to be made, and then channels move as well; few channels are short
    stretches; and channels of which each pixel competes for one place of the cache
    are slow.
    """
    p, (_, channels, *pixels) = op.parameters(), shape_of(op.input)
    is_long = prod(shape_of(op.filter)[2:]) == 1 or channels // p["group"] >= _SHORTEST
    distance = prod(pixels) * dtype_of(element_of(op.input)).itemsize
    return is_long and not any(p["pads"]) and distance % PERIOD_BYTES != 0


def _panel_reads(op: ConvOp, target: Target) -> float:
    """Return how often an element of the input is read: by windows, and per panel."""
    p, columns = op.parameters(), shape_of(op.filter)[0] // op.parameters()["group"]
    windows = prod(shape_of(op.filter)[2:]) / prod(p["strides"])
    return windows * -(-columns // panel_width(target, columns))


def _filter_layout(op: ConvOp, target: Target) -> Layout | None:
    """
    Return the layout of a convolution's filter; None where its kernel wants none.

    Depthwise filters have output channels innermost. A panel never spans two groups,
    so groups that no panel divides stay row-major: their padding is no layout.
    """
    outputs, _, *kernel = shape_of(op.filter)
    algorithm, group = _algorithm(op, target), op.parameters()["group"]
    if algorithm == "depthwise":
        return filter_depthwise(len(kernel))
    columns = outputs // group
    width = panel_width(target, columns)
    if algorithm != "direct" or (group > 1 and columns % width):
        return None
    return filter_panels(len(kernel), width)


def _algorithm(op: ConvOp, target: Target) -> str:
    """Return how `op` will be computed; only constant filters can be packed."""
    p = op.parameters()
    return _chosen(op, target, shape_of(op.filter), p["strides"])


def _transposed_algorithm(op: ConvTransposeOp, target: Target) -> str:
    """Return how the convolution will be computed that `op` becomes."""
    channels, outputs, *kernel = shape_of(op.filter)
    group = op.parameters()["group"]
    filter = (group * outputs, channels // group, *kernel)
    return _chosen(op, target, filter, (1,) * len(kernel))


def _chosen(
    op: ConvOp | ConvTransposeOp,
    target: Target,
    filter: tuple[int, ...],
    strides: Sequence[int],
) -> str:
    if constant_behind(op.filter) is None:
        return "generic"
    p, image = op.parameters(), shape_of(op.input)
    return choose_conv_algorithm(
        target,
        element_of(op.filter),
        image,
        filter,
        shape_of(op.result),
        strides,
        p["dilations"],
        p["group"],
    )
