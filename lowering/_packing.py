"""How kernels want weights, and which algorithm a convolution gets: rules of shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute

from glow.lowering._tiling import tile_turns
from glow.support.arrays import aligned, aligned_empty
from glow.support.layout import Dim, Layout, permuted
from glow.support.mapping import forget
from glow.support.targets import Target
from glow.support.types import dtype_of

Array = NDArray[Any]
Shape = Sequence[int]


def choose_conv_algorithm(
    target: Target,
    element: Attribute,
    input: Shape,
    filter: Shape,
    result: Shape,
    strides: Shape,
    dilations: Shape,
    group: int,
    *,
    exact: bool = False,
) -> str:
    """
    Return direct, depthwise, winograd or generic; shapes are logical.

    Winograd's algorithm rounds more than the others; `exact` forgoes it.
    """
    if element != f32 or 0 in filter:
        return "generic"
    if group > 1 and group == input[1] == filter[0]:
        return "depthwise"
    is_plain = all(n == 1 for n in (*strides, *dilations, group))
    if not exact and is_plain and _is_winograd(filter, result):
        return "winograd"
    return "direct"


# What a step costs in multiplications per input and output channel: transforming a
# tile's channel, and reading a weight that no cache holds.
_TRANSFORM, _WEIGHT = 600, 32


def _is_winograd(filter: Shape, result: Shape) -> bool:
    """Say whether F(4x4, 3x3) beats the direct sum over a 3x3 window."""
    outputs, inputs, *kernel = filter
    if kernel != [3, 3] or inputs % _LINE or outputs % _LINE:
        return False
    pixels, tiles = result[0] * prod(result[2:]), winograd_tiles(result)
    direct = 18 * pixels + 9 * _WEIGHT
    transforms = _TRANSFORM * tiles * (1 / inputs + 1 / outputs)
    return direct > (72 * tiles + transforms + WINOGRAD_PLACES * _WEIGHT)


def panel_width(target: Target, columns: int) -> int:
    """
    Return how many columns (of one group) go into a panel.

    The last panel is computed in no more registers than it has columns for, so that
    a wide one costs nothing but some memory.
    """
    return target.panel_widths[0]


def unit_block(target: Target, element: Attribute, gates: int, units: int) -> int:
    """
    Return how many units of a recurrent cell are computed together: whole vectors.

    With one gate two of them, so that there is more to multiply per state loaded.
    """
    lanes = target.vector_bytes // dtype_of(element).itemsize
    return 2 * lanes if gates == 1 and units > lanes else lanes


@cache
def filter_panels(spatial: int, panel: int) -> Layout:
    """Return the layout [O/p, k..., I, p] of a filter over `spatial` axes."""
    outer, inner = Dim(0, None, panel), Dim(0, panel)
    return Layout([outer, *(Dim(2 + i) for i in range(spatial)), Dim(1), inner])


@cache
def filter_depthwise(spatial: int) -> Layout:
    """Return the layout [k..., 1, C] of a depthwise filter over `spatial` axes."""
    return permuted((*range(2, 2 + spatial), 1, 0))


Digits = tuple[Dim, ...]
"""The dims of one axis, from outer to inner."""
IN_ORDER: Digits = (Dim(0),)


@cache
def matrix_panels(
    rank: int, columns: int, width: int, order: Digits = IN_ORDER
) -> Layout:
    """
    Return [batch..., columns / width, rows, width] of a stack of matrices.

    `order` says how rows follow each other in a panel.
    """
    rows = 2 * rank - 3 - columns
    outer, inner = Dim(columns, None, width), Dim(columns, width)
    lines = [replace(dim, axis=rows) for dim in order]
    return Layout([*(Dim(axis) for axis in range(rank - 2)), outer, *lines, inner])


def depth_order(layout: Layout, shape: tuple[int, ...], axis: int) -> Digits | None:
    """
    Return in which order a left factor holds what is summed, which runs along `axis`.

    None unless each row is dense, and other axes are whole.
    """
    count = len(layout.digits(axis))
    outer, order = layout.dims[:-count], layout.dims[-count:]
    is_plain = not layout.has_halo and not layout.is_aligned
    if not is_plain or any(dim.axis != axis for dim in order):
        return None
    if len({dim.axis for dim in outer}) != len(outer):
        return None
    top = max(order, key=lambda dim: dim.stride)
    return None if shape[axis] % top.stride else order


MOST_PLANES = 8
"""The groups whose channels a kernel interleaves."""


@cache
def grouped_channels(spatial: int, columns: int) -> Layout:
    """Return [N, ..., columns, groups]: channels last, those of groups taking turns."""
    turns = (Dim(1, columns), Dim(1, None, columns))
    return Layout([Dim(0), *(Dim(2 + i) for i in range(spatial)), *turns])


def pack_filter(array: Array, group: int, panel: int) -> Array:
    """Return [O, I/g, k...] as [g, ceil(O/g/p), k..., I/g, p], padded with zeros."""
    outputs, depth, *kernel = array.shape
    columns = outputs // group
    panels = -(-columns // panel)
    split = array.reshape(group, columns, depth, *kernel)
    if columns % panel:
        rest = panels * panel - columns
        split = np.pad(split, [(0, 0), (0, rest), *[(0, 0)] * (1 + len(kernel))])
    split = split.reshape(group, panels, panel, depth, *kernel)
    spatial = range(4, 4 + len(kernel))
    return aligned(split.transpose(0, 1, *spatial, 3, 2))


def pack_depthwise(array: Array) -> Array:
    """Return [C, 1, k...] as [k..., C]."""
    return aligned(np.moveaxis(array[:, 0], 0, -1))


# How a filter of three taps acts on the six points of Winograd's F(4, 3).
WINOGRAD_POINTS = np.array(
    [
        [1 / 4, 0, 0],
        [-1 / 6, -1 / 6, -1 / 6],
        [-1 / 6, 1 / 6, -1 / 6],
        [1 / 24, 1 / 12, 1 / 6],
        [1 / 24, -1 / 12, 1 / 6],
        [0, 0, 1],
    ]
)
WINOGRAD_PLACES = 36
_WINOGRAD_TILE = 4
_LINE = 16
# What a block costs beside its products, in turns of a row and a k: reading the line
# of a panel again, from a cache or from far away; and per tile its transforms, more
# where they do not stay in L2, divided by the channels that share them.
_STREAM, _STREAM_FAR, _TURN, _SPILL = 6.0, 24.0, 0.5, 25.0


def winograd_filter(array: Array, target: Target) -> Array:
    """Return [O, I, 3, 3] as the 36 matrices of F(4x4, 3x3), [36, ceil(O/p), I, p]."""
    outputs, depth = array.shape[:2]
    panel = panel_width(target, outputs)
    panels = -(-outputs // panel)
    shape = (WINOGRAD_PLACES, panels, depth, panel)
    found = aligned_empty(prod(shape) * array.itemsize).view(array.dtype).reshape(shape)
    for i in range(panels):
        columns = array[i * panel : (i + 1) * panel]
        count = len(columns)
        taps = columns.transpose(2, 3, 1, 0).astype(np.float64, order="C")
        rows = _at_points(taps).swapaxes(0, 1)
        matrices = _at_points(rows).swapaxes(0, 1)
        found[:, i, :, :count] = matrices.reshape(WINOGRAD_PLACES, depth, count)
        found[:, i, :, count:] = 0
        forget(columns)
    return found


def _at_points(taps: Array) -> Array:
    """
    Return what `taps` become along the first axis, as sums of few terms.

    A matrix product would start the threads of BLAS, for longer than it takes.
    """
    return np.stack(
        [
            sum(weight * tap for weight, tap in zip(row, taps, strict=True) if weight)
            for row in WINOGRAD_POINTS
        ]
    )


def winograd_tiles(result: Shape) -> int:
    """Return how many tiles of 4x4 pixels cover the result."""
    batch, _, *spatial = result
    return batch * prod(-(-extent // _WINOGRAD_TILE) for extent in spatial)


@cache
def _block(target: Target, tiles: int, inputs: int, outputs: int) -> int:
    tile_bytes = 4 * WINOGRAD_PLACES * (inputs + outputs)
    filter_bytes = 4 * WINOGRAD_PLACES * inputs * outputs
    stream = _STREAM if filter_bytes <= 8 * target.l2_bytes else _STREAM_FAR
    spill = _SPILL * (1 / inputs + 1 / outputs)
    panel = target.panel_widths[0]

    def cost(block: int) -> tuple[float, int]:
        excess = block * tile_bytes / (2 * target.l2_bytes) - 1
        turns = tile_turns(target, block, panel) + stream
        turns += block * (_TURN + spill * min(max(excess, 0), 2))
        return -(-tiles // block) * turns, -block

    return min({-(-tiles // count) for count in range(1, tiles + 1)}, key=cost)


def winograd_block(target: Target, input: Shape, result: Shape) -> int:
    """
    Return how many tiles are transformed together.

    More tiles read the filter less often, fewer ones stay in L2. The last block begins
    early enough to be as large as the others.
    """
    return _block(target, winograd_tiles(result), input[1], result[1])


def winograd_stride(block: int, channels: int) -> int:
    """
    Return the elements from one of the 36 matrices to the next.

    An odd number of cache lines, so that they do not compete for the same places in
    the cache.
    """
    lines = -(-block * channels // _LINE)
    return (lines | 1) * _LINE


def winograd_scratch_elements(target: Target, input: Shape, result: Shape) -> int:
    """Return the elements of scratch that the Winograd kernel needs."""
    block = winograd_block(target, input, result)
    return WINOGRAD_PLACES * sum(
        winograd_stride(block, shape[1]) for shape in (input, result)
    )
