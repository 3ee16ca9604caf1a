"""Winograd's algorithms for 3x3 windows: which one, its filters, tiles and scratch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glow.lowering.tile_heights import tile_turns
from glow.support.arrays import aligned_empty
from glow.support.mapping import forget
from glow.support.targets import Target

Array = NDArray[Any]
Shape = Sequence[int]


@dataclass(frozen=True)
class Form:
    """
    Winograd's F(tile x tile, 3x3), which computes squares of `tile` pixels.

    `points` say how three taps of a filter act on the points of the transform. Fewer
    pixels multiply more and round less, and their filters are smaller.
    """

    tile: int
    points: tuple[tuple[float, float, float], ...]

    @property
    def side(self) -> int:
        """The pixels of the input that a tile reads, in each direction."""
        return self.tile + 2

    @property
    def places(self) -> int:
        """The products of a tile, each with a matrix of its own."""
        return self.side**2

    def tiles(self, result: Shape) -> int:
        """Return how many tiles cover the result."""
        batch, _, *spatial = result
        return batch * prod(-(-extent // self.tile) for extent in spatial)


F2 = Form(2, ((1, 0, 0), (1 / 2, 1 / 2, 1 / 2), (1 / 2, -1 / 2, 1 / 2), (0, 0, 1)))
F4 = Form(
    4,
    (
        (1 / 4, 0, 0),
        (-1 / 6, -1 / 6, -1 / 6),
        (-1 / 6, 1 / 6, -1 / 6),
        (1 / 24, 1 / 12, 1 / 6),
        (1 / 24, -1 / 12, 1 / 6),
        (0, 0, 1),
    ),
)
FORMS = (F2, F4)

# What a step costs in multiplications per input and output channel: transforming a
# tile's channel, per place, and reading a weight that no cache holds.
_TRANSFORM, _WEIGHT = 17, 32
_LINE = 16

# Filters of so many bytes, four times those of the model, are taken only if small tiles
# take so much longer.
_LARGE_BYTES, _MUCH_LONGER = 16 << 20, 1.3


def winograd_form(filter: Shape, result: Shape) -> Form | None:
    """Return the form that beats the direct sum over a window, if one does."""
    outputs, inputs, *kernel = filter
    if kernel != [3, 3] or inputs % _LINE or outputs % _LINE:
        return None

    def cost(form: Form) -> float:
        tiles = form.tiles(result)
        shares = 1 / inputs + 1 / outputs
        transforms = _TRANSFORM * form.places * tiles * shares
        return _together(2 * form.places * tiles, form.places * _WEIGHT) + transforms

    pixels = result[0] * prod(result[2:])
    best = min(FORMS, key=cost)
    if cost(best) >= _together(18 * pixels, 9 * _WEIGHT):
        return None
    is_large = 4 * F4.places * inputs * outputs >= _LARGE_BYTES
    return F2 if is_large and cost(F2) <= _MUCH_LONGER * cost(best) else best


def _together(multiplying: float, reading: float) -> float:
    """Return what both cost, most of the shorter one during the longer one."""
    return max(multiplying, reading) + min(multiplying, reading) / 4


def form_with(places: int) -> Form:
    """Return the form that has so many places."""
    (found,) = (form for form in FORMS if form.places == places)
    return found


def winograd_filter(array: Array, panel: int, form: Form) -> Array:
    """Return [O, I, 3, 3] as one matrix for each place, [places, ceil(O/p), I, p]."""
    outputs, depth = array.shape[:2]
    panels = -(-outputs // panel)
    shape = (form.places, panels, depth, panel)
    found = aligned_empty(prod(shape) * array.itemsize).view(array.dtype).reshape(shape)
    for i in range(panels):
        columns = array[i * panel : (i + 1) * panel]
        count = len(columns)
        taps = columns.transpose(2, 3, 1, 0).astype(np.float64, order="C")
        rows = _at_points(taps, form).swapaxes(0, 1)
        matrices = _at_points(rows, form).swapaxes(0, 1)
        found[:, i, :, :count] = matrices.reshape(form.places, depth, count)
        found[:, i, :, count:] = 0
        forget(columns)
    return found


def _at_points(taps: Array, form: Form) -> Array:
    """
    Return what `taps` become along the first axis, as sums of few terms.

    A matrix product would start the threads of BLAS, for longer than it takes.
    """
    return np.stack(
        [
            sum(weight * tap for weight, tap in zip(row, taps, strict=True) if weight)
            for row in form.points
        ]
    )


# What a block costs beside its products, in turns of a row and a k: reading the line
# of a panel again, from a cache or from far away; and per tile its transforms, more
# where they do not stay in L2, divided by the channels that share them.
_STREAM, _STREAM_FAR, _TURN, _SPILL = 6.0, 24.0, 0.5, 25.0


@cache
def _block(target: Target, form: Form, tiles: int, inputs: int, outputs: int) -> int:
    tile_bytes = 4 * form.places * (inputs + outputs)
    filter_bytes = 4 * form.places * inputs * outputs
    stream = _STREAM if filter_bytes <= 8 * target.l2_bytes else _STREAM_FAR
    spill = _SPILL * (1 / inputs + 1 / outputs)
    panel = target.panel_widths[0]

    def cost(block: int) -> tuple[float, int]:
        excess = block * tile_bytes / (2 * target.l2_bytes) - 1
        turns = tile_turns(target, block, panel) + stream
        turns += block * (_TURN + spill * min(max(excess, 0), 2))
        return -(-tiles // block) * turns, -block

    return min({-(-tiles // count) for count in range(1, tiles + 1)}, key=cost)


def winograd_block(target: Target, form: Form, input: Shape, result: Shape) -> int:
    """
    Return how many tiles are transformed together.

    More tiles read the filter less often, fewer ones stay in L2. The last block begins
    early enough to be as large as the others.
    """
    return _block(target, form, form.tiles(result), input[1], result[1])


def winograd_stride(block: int, channels: int) -> int:
    """
    Return the elements from one place's matrix to the next.

    An odd number of cache lines, so that they do not compete for the same places in
    the cache.
    """
    lines = -(-block * channels // _LINE)
    return (lines | 1) * _LINE


def winograd_scratch_elements(
    target: Target, form: Form, input: Shape, result: Shape
) -> int:
    """Return the elements of scratch that the Winograd kernel needs."""
    block = winograd_block(target, form, input, result)
    return form.places * sum(
        winograd_stride(block, shape[1]) for shape in (input, result)
    )
