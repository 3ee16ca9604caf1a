"""Winograd's algorithms for 3x3 windows: forms and their costs, filters, scratch."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import inf, prod, sqrt
from typing import NamedTuple

import numpy as np

from glow.lowering.tiles import panel_cost
from glow.support.arrays import Array, Shape, aligned_empty
from glow.support.costs import Costs
from glow.support.mapped_files import forget
from glow.support.sharing import for_each
from glow.support.targets import LINE_BYTES, Target


@dataclass(frozen=True)
class Form:
    """
    Winograd's F(tile x tile, 3x3), which computes squares of `tile` pixels.

    `points` say how three taps of a filter act on the points of the transform: 0, then
    pairs that differ in sign, then infinity. Smaller tiles take more multiplications,
    but round less, and their filters are smaller.

    F(4 x 4) has the points 0, sqrt(1/2), sqrt(2) and infinity. Their powers are closer
    to 1 than those of 1 and 2, which are usual: a sixth of the error, as many
    operations. Errors of both forms are in benchmarks/ACCURACY.md.
    """

    tile: int
    points: tuple[tuple[float, float, float], ...]
    steps: tuple[int, int]
    """The instructions that transform a line of the input, and one of products."""

    @property
    def side(self) -> int:
        """The pixels of the input that a tile reads, in each direction."""
        return self.tile + 2

    @property
    def places(self) -> int:
        """The products of a tile, each with a matrix of its own."""
        return self.side**2

    def steps_of(self, inputs: int, result: Shape) -> int:
        """Return the instructions, lane by lane, other than those on the filter."""
        before, after = self.steps
        products = self.places * inputs * result[1]
        sums = 2 * self.side * before * inputs
        sums += (self.side + self.tile) * after * result[1]
        return self.tiles(result) * (products + sums)

    def tiles(self, result: Shape) -> int:
        """Return how many tiles cover the result."""
        batch, _, *spatial = result
        return batch * prod(-(-extent // self.tile) for extent in spatial)


F2 = Form(
    2, ((1, 0, 0), (1 / 2, 1 / 2, 1 / 2), (1 / 2, -1 / 2, 1 / 2), (0, 0, 1)), (4, 4)
)
_ROOT = sqrt(2)
F4 = Form(
    4,
    (
        (1, 0, 0),
        (-_ROOT / 3, -1 / 3, -_ROOT / 6),
        (-_ROOT / 3, 1 / 3, -_ROOT / 6),
        (1 / 3, _ROOT / 3, 2 / 3),
        (1 / 3, -_ROOT / 3, 2 / 3),
        (0, 0, 1),
    ),
    (12, 10),
)
FORMS = (F2, F4)

_LINE = LINE_BYTES // 4
"""The f32 elements of a cache line."""


def is_winograd_window(
    kernel: Shape, strides: Shape, dilations: Shape, group: int
) -> bool:
    """Return whether a form fits this window, apart from the number of channels."""
    return tuple(kernel) == (3, 3) and all(
        n == 1 for n in (*strides, *dilations, group)
    )


def winograd_form(
    costs: Costs,
    filter: Shape,
    result: Shape,
    itemsize: int = 4,
    known: Sequence[Shape] = (),
) -> Form | None:
    """
    Return the form that beats the direct sum over a 3 x 3 window, if one does.

    Results of the `known` shapes read the same filter. It is packed once, in the form
    that is best for all of them, and in another one for `result` only if the former
    would take more than `second_form` times as long as the latter.

    F2 rounds the transforms of 16-bit filters, which adds half again to the error of
    rounding the result. F4 would make that error ten times as large, so it keeps its
    transforms in f32, and is chosen only where these take little memory.
    """
    outputs, inputs = filter[:2]
    if inputs % _LINE or outputs % _LINE:
        return None
    size = 4 * F4.places * inputs * outputs
    is_too_wide = itemsize < 4 and size > costs.winograd_wide_filter
    forms = (None, F2) if is_too_wide else (None, *FORMS)

    @cache
    def times(form: Form | None, shape: Shape) -> float:
        """Return how many times as long `form` takes as the best for `shape`."""
        taken = {each: _cost(costs, each, filter, shape, itemsize) for each in forms}
        return taken[form] / min(taken.values())

    def best(shapes: Sequence[Shape]) -> Form | None:
        sums = {form: sum(times(form, tuple(s)) for s in shapes) for form in forms}
        least = min(sums.values())
        if sums[None] == least:
            return None
        is_large = size >= costs.winograd_large_filter
        patience = costs.winograd_patience if is_large else 1
        return F2 if sums[F2] <= patience * least else F4

    form = best(known or [result])
    return form if times(form, tuple(result)) <= costs.second_form else best([result])


def _cost(
    costs: Costs, form: Form | None, filter: Shape, result: Shape, itemsize: int
) -> float:
    """Return the cost of a 3 x 3 window by `form`, or by the direct sum."""
    weight = costs.winograd_weight * itemsize / 4
    if form is None:
        return _together(18 * result[0] * prod(result[2:]), 9 * weight)
    if form == F4:
        weight = costs.winograd_weight
    work = form.places * form.tiles(result)
    transforms = costs.winograd_transform * work * (1 / filter[0] + 1 / filter[1])
    return _together(2 * work, form.places * weight) + transforms


def border_after(extent: int, before: int, after: int) -> int:
    """
    Return the border after an axis that whole tiles of any form read.

    It is for the largest tiles; smaller ones read no more.
    """
    tiles = -(-(extent + before + after - 2) // F4.tile)
    return max(after, F4.tile * tiles + 2 - extent - before)


def _together(multiplying: float, reading: float) -> float:
    """Return the cost of both, when most of the shorter one overlaps the longer."""
    return max(multiplying, reading) + min(multiplying, reading) / 4


def form_with(places: int) -> Form:
    """Return the form with this number of places."""
    return next(form for form in FORMS if form.places == places)


def winograd_filter(array: Array, panel: int, form: Form) -> Array:
    """Return [O, I, 3, 3] as one matrix for each place, [places, ceil(O/p), I, p]."""
    outputs, depth = array.shape[:2]
    panels = -(-outputs // panel)
    shape = (form.side, form.side, panels, depth, panel)
    dtype = np.result_type(array, np.float32) if form == F4 else array.dtype
    packed = aligned_empty(prod(shape) * dtype.itemsize).view(dtype).reshape(shape)

    weights = np.kron(form.points, form.points)
    step = max(1, _ONE_THREAD // (weights.size * panel))

    def transform(i: int) -> None:
        columns = array[i * panel : (i + 1) * panel]
        count = len(columns)
        for first in range(0, depth, step):
            part = columns[:, first : first + step].transpose(2, 3, 1, 0)
            taps = part.astype(np.float64, order="C").reshape(9, -1)
            matrices = (weights @ taps).reshape(form.side, form.side, -1, count)
            packed[:, :, i, first : first + step, :count] = matrices
        packed[:, :, i, :, count:] = 0
        forget(columns)

    for_each(transform, range(panels), array.nbytes)
    return packed.reshape(form.places, panels, depth, panel)


_ONE_THREAD = 1 << 18
"""Multiplications that OpenBLAS does without its threads, which take long to start."""


@cache
def _best_block(
    target: Target,
    form: Form,
    tiles: int,
    channels: tuple[int, int],
    panel: int,
    *,
    workers: int = 1,
    caches: int = 1,
) -> tuple[float, int]:
    """
    Return what `tiles` cost in blocks of the best size, and that size.

    Larger blocks read panels less often, smaller ones stay in L2, of which there are
    `caches`. The blocks can be shared evenly by `workers`; where no size allows that,
    the cost is infinite.
    """
    costs, (inputs, outputs) = target.costs, channels
    tile_bytes = 4 * form.places * (inputs + outputs)
    filter_bytes = 4 * form.places * inputs * outputs
    is_near = filter_bytes <= 8 * target.l2_bytes
    stream = costs.panel_near if is_near else costs.panel_far
    spill = costs.winograd_spill * (1 / inputs + 1 / outputs)
    room = caches * costs.winograd_room * target.l2_bytes

    def cost(block: int) -> tuple[float, int]:
        excess = block * tile_bytes / room - 1
        per_block = panel_cost(target, block, panel) + stream
        per_block += block * (costs.winograd_tile + spill * min(max(excess, 0), 2))
        # Of two workers one waits for half of a block in the end.
        count = -(-tiles // block)
        return (count + (workers > 1)) * per_block, -block

    def are_even(count: int) -> bool:
        return -(-count // workers) * workers <= _UNEVEN * count

    blocks = {-(-tiles // count) for count in range(1, tiles + 1)}
    even = [block for block in blocks if are_even(-(-tiles // block))]
    best = min(even, key=cost, default=0)
    return (cost(best)[0], best) if best else (inf, tiles)


_WORKERS, _UNEVEN = 16, 1.1
"""
How many workers should be able to share blocks, and how long that may take, as a
multiple of the time if blocks could be divided.
"""


class TileBlocks(NamedTuple):
    """How many tiles are transformed together, and how threads share the work."""

    tiles: int
    in_parts: bool
    """Whether threads share the parts of each block; else each does whole blocks."""


def winograd_blocks(
    target: Target, form: Form, input: Shape, result: Shape, *, shared: bool
) -> TileBlocks:
    """
    Return how the tiles of an image are transformed, by threads that share them or not.

    A thread that does whole blocks reads all weights for its tiles. Threads that share
    the parts of a block, which fits into their caches together, read transforms that
    others wrote; the fewer the channels, the larger that share of the time.
    """
    panel = winograd_panel(target, form, result)
    tiles, channels = form.tiles(result), (input[1], result[1])
    best = partial(_best_block, target, form, tiles, channels, panel)
    if not shared:
        return TileBlocks(best()[1], in_parts=False)
    costs = target.costs
    whole_cost, whole = best(workers=_WORKERS)
    parts_cost, parts = best(caches=costs.winograd_caches)
    exchange = costs.winograd_exchange * (1 / channels[0] + 1 / channels[1])
    if whole_cost <= parts_cost * (1 + exchange):
        return TileBlocks(whole, in_parts=False)
    return TileBlocks(parts, in_parts=True)


def winograd_panel(target: Target, form: Form, result: Shape) -> int:
    """
    Return the width of the panels of a transformed filter.

    Images of few tiles get the usual width, of which a kernel takes more tiles at once,
    and so do channels that wide panels do not divide: each place would have a tail.
    """
    wide, usual = target.wide_panel, target.panel_width
    few = form.tiles((1, *result[1:])) < target.costs.winograd_wide_tiles
    return usual if few or not wide or result[1] % wide else wide


def winograd_stride(block: int, channels: int) -> int:
    """
    Return the elements from one place's matrix to the next.

    An odd number of cache lines, so that they do not compete for the same places in
    the cache.
    """
    lines = -(-block * channels // _LINE)
    return (lines | 1) * _LINE


class BlockRoom(NamedTuple):
    """
    Where the matrices of a block lie in the scratch: one of each kind for each place.

    Units: elements.
    """

    tiles: int
    """The tiles of a block."""
    transforms: int
    """Where the transformed input begins."""
    products: int
    strides: tuple[int, int]
    """The distances from one place to the next, in transforms and in products."""
    elements: int


def winograd_room(
    form: Form, tiles: int, channels: tuple[int, int], *, in_turn: bool
) -> BlockRoom:
    """
    Return where the matrices of a block lie; `channels` are those of input and result.

    Where places are multiplied `in_turn`, the products of each replace the transforms
    of the one before: in half of the memory, more stays in a cache.
    """
    strides = winograd_stride(tiles, channels[0]), winograd_stride(tiles, channels[1])
    if not in_turn:
        before, after = (form.places * stride for stride in strides)
        return BlockRoom(tiles, 0, before, strides, before + after)
    stride = max(strides)
    return BlockRoom(tiles, stride, 0, (stride, stride), (form.places + 1) * stride)


def winograd_scratch_elements(
    target: Target, form: Form, input: Shape, result: Shape
) -> int:
    """Return the elements of scratch that the kernel needs for one thread or more."""
    channels = input[1], result[1]
    ways = [
        winograd_blocks(target, form, input, result, shared=shared)
        for shared in (False, True)
    ]
    return max(
        winograd_room(form, tiles, channels, in_turn=in_turn).elements
        for tiles, in_parts in ways
        for in_turn in {False, not in_parts}
    )
