"""Cuts of matrices into register tiles: heights, panels, blocks of attention."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from math import gcd, lcm, prod

from xdsl.dialects.builtin import bf16
from xdsl.ir import Attribute

from glow.support.arrays import Shape
from glow.support.layout import Dim, Layout
from glow.support.targets import Target
from glow.support.types import dtype_of

_HEIGHTS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12)
"""The heights of tiles, few, to share kernels; 7 cuts 7 x 7 images evenly."""

_APART = 1.02
"""
The cost factor of tiles that neither divide the rows nor begin where wide ones do.

They take no longer, but a thread cannot go on from one product to the next.
"""

MANY_PARTS = 10
"""
The least number of parts of a strand; each ends where pieces of all its calls do.

Tiles of 8 pixels and lines of 28 meet every 56 pixels, 14 times in 28 x 28, tiles of 12
and pieces of 7 every 84 pixels, 10 times. Where calls have fewer such parts, threads
wait for each other between them instead.
"""

_MORE_PADDING = 1 + 1 / 32
"""
How many times the columns of usual panels those of wide ones may be.

On AVX2 wide panels pay for 512 columns, which leave 8 of them, and not for 128.
"""

_ROWS_OF_ONE = 8
"""
The most rows of a tile whose rows are one vector.

Processors have general registers for so many addresses; others are loaded from the
stack for each multiply-add, which takes half of the throughput of loads.
"""


def tile_rows(
    target: Target, rows: int, panel: int, stride: int = 0, whole: int = 0
) -> int:
    """
    Return the height of the tiles for `rows` rows, the last tile padded.

    Of heights with equal cost it is one that divides the rows, then the tallest. One
    that does not divide them, and neither divides the height of tiles of wide panels
    nor is a multiple of it, counts as `_APART` times as much.
    `stride` says how many bytes lie between rows of the left factor: a tile reads all
    its rows at once, and those that compete for the same ways of the cache make it
    slower.
    `whole` is the height of the tiles of whole panels, if the tiles are for the columns
    that those leave and threads do some rows of both: it is taken if registers hold so
    many rows and the two would seldom end together.
    """
    heights = [h for h in _HEIGHTS if h <= most_rows(target, panel)]
    wide = most_rows(target, target.wide_panel) if target.wide_panel else 1

    def cost(height: int) -> tuple[float, bool, int]:
        each = height_cost(target, panel, height) + _crowding(target, height, stride)
        rest = rows % height > 0
        is_apart = rest and height % wide > 0 and wide % height > 0
        total = -(-rows // height) * each * (_APART if is_apart else 1)
        return total, rest, -height

    best = min(min(heights, key=cost), rows)
    is_apart = whole % best > 0 and best % whole > 0
    return whole if is_apart and whole <= heights[-1] else best


def most_rows(target: Target, panel: int) -> int:
    """Return how many rows of a panel the registers of a tile hold."""
    vectors = -(-panel // target.lanes_for(panel))
    sums = target.registers * 3 // 4
    most = min(target.tile_rows, sums // vectors)
    if panel <= target.f32_lanes:
        most = min(most, _ROWS_OF_ONE)
    return max(1, most)


def panel_for(target: Target, columns: int) -> int:
    """
    Return the width of packed panels of a right factor of `columns` columns.

    It is the wide one unless the last would have many more columns without use.
    """
    wide, usual = target.wide_panel, target.panel_width
    if not wide:
        return usual
    padded, usually = (-(-columns // width) * width for width in (wide, usual))
    return wide if padded <= _MORE_PADDING * usually else usual


def image_panel(target: Target, columns: int, image: Shape) -> int:
    """
    Return the width of packed panels where rows of the product are pixels of an image.

    It is the usual one if only tiles of that width often end with a line: a thread can
    then go on with what is done by lines, such as a depthwise convolution.
    """
    panel, usual = panel_for(target, columns), target.panel_width
    parts, usual_parts = (_parts_of(target, n, image) for n in (panel, usual))
    return usual if parts < MANY_PARTS <= usual_parts else panel


def _parts_of(target: Target, panel: int, image: Shape) -> int:
    """Return how many parts an image has that end with both a tile and a line."""
    pixels = prod(image)
    if not pixels:
        return 0
    return -(-pixels // lcm(tile_rows(target, pixels, panel), image[-1]))


def panel_cost(target: Target, rows: int, panel: int) -> float:
    """Return what `rows` rows of a panel cost, in multiply-adds of a vector, per k."""
    height = tile_rows(target, rows, panel)
    return -(-rows // height) * height_cost(target, panel, height)


def height_cost(target: Target, panel: int, height: int) -> float:
    """
    Return what a tile of this height costs, in multiply-adds of a vector, per k.

    It is one per row, no fewer than a sum's latency needs, and a constant part.
    """
    per_row = max(1, panel // target.f32_lanes)
    return max(height, target.sums_in_flight / per_row) + target.costs.tile


def open_panel(target: Target, rows: int) -> int:
    """
    Return the columns of a panel of a matrix that is not packed, for `rows` rows.

    For few rows it is wide, as far as registers hold the sums: more of each line of the
    matrix is read at a time, and lines are often pages apart.
    """
    vectors = max(1, target.registers // 2 // rows)
    lanes = target.f32_lanes << (vectors.bit_length() - 1)
    return max(lanes, target.panel_width)


def _crowding(target: Target, height: int, stride: int) -> float:
    """Return what is lost where rows compete for ways of the cache."""
    if not stride:
        return 0
    return target.costs.crowding * max(0, height - lines_together(target, stride)) ** 2


def lines_together(target: Target, stride: int) -> int:
    """Return how many lines, `stride` bytes apart, surely fit into the cache."""
    period = target.l1_way_bytes
    return period // gcd(abs(stride), period) * target.l1_ways


Digits = tuple[Dim, ...]
"""The dims of one axis, from outer to inner."""
IN_ORDER: Digits = (Dim(0),)
IN_PAIRS: Digits = (Dim(0, None, 2), Dim(0, 2))


@cache
def matrix_panels(
    rank: int, columns: int, width: int, order: Digits = IN_ORDER
) -> Layout:
    """
    Return [batch..., columns / width, rows, width] of a stack of matrices.

    `order` says how rows follow each other in a panel; `IN_PAIRS` is two at a time,
    [batch..., columns / width, rows / 2, width, 2].
    """
    rows = 2 * rank - 3 - columns
    outer, inner = Dim(columns, None, width), Dim(columns, width)
    lines, pair = [replace(dim, axis=rows) for dim in order], []
    if order == IN_PAIRS:
        lines, pair = lines[:1], lines[1:]
    batch = (Dim(axis) for axis in range(rank - 2))
    return Layout([*batch, outer, *lines, inner, *pair])


def has_pairs(layout: Layout | None) -> bool:
    """Return whether `layout` is one of panels with two rows at a time."""
    if layout is None or len(layout.dims) < 4:
        return False
    row, inner, pair = layout.dims[-3:]
    return row.axis == pair.axis != inner.axis and row.stride == pair.extent == 2


def multiplies_pairs(target: Target, element: Attribute, depth: int) -> bool:
    """Return whether `target` sums `depth` products of `element` in pairs."""
    return target.multiplies_bf16 and element == bf16 and depth > 0 and depth % 2 == 0


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


@dataclass(frozen=True)
class UnitBlock:
    """Units of a recurrent cell that are computed together."""

    units: int
    gates_apart: bool
    """Whether products with the state are computed gate after gate, or all at once."""


def unit_block(
    target: Target, element: Attribute, gates: int, units: int, batch: int
) -> UnitBlock:
    """
    Return a block of whole vectors for a cell of `units` units.

    With one gate two vectors, so that there is more to multiply per state loaded. Three
    of them, gates apart, where all gates of one vector leave registers for so few rows
    of the batch that each sum waits for the one before: on AVX2 tiles of 4 x 3 vectors
    take 0.65 to 0.8 of the time of 2 x 4.
    """
    lanes = target.vector_bytes // dtype_of(element).itemsize
    if gates == 1:
        return UnitBlock(2 * lanes if units > lanes else lanes, gates_apart=False)
    together, apart = (n * cell_rows(target, batch, n) for n in (gates, 3))
    # Units that fill up the last block take as long as others.
    padded = -(-units // (3 * lanes)) * 3 * lanes
    is_short = together <= target.sums_in_flight < apart
    if is_short and padded <= 1.15 * units:
        return UnitBlock(3 * lanes, gates_apart=True)
    return UnitBlock(lanes, gates_apart=False)


def cell_rows(target: Target, batch: int, vectors: int) -> int:
    """
    Return how many rows of a batch a tile of a recurrent cell has, tiles about equal.

    Registers hold its sums, a weight for each of `vectors` and one state.
    """
    most = max(min((target.registers - 1) // vectors - 1, target.tile_rows), 1)
    tiles = max(1, -(-batch // most))
    return -(-batch // tiles)


@dataclass(frozen=True)
class Blocks:
    """The numbers of queries and keys of a block."""

    joins_heads: bool
    """Whether the heads that share a key are in one block."""
    queries: int
    keys: int


def blocks_of(
    target: Target, group: int, length: int, total: int, is_windowed: bool
) -> Blocks:
    """
    Return the blocks for `group` heads of `length` queries and `total` keys.

    `is_windowed`: not all queries see the same keys.
    """
    costs = target.costs
    limit = costs.windowed_query_block if is_windowed else costs.query_block
    joined, own = (_queries(target, n, limit) for n in (group * length, length))
    padded, apart = -(-group * length // joined) * joined, -(-length // own) * own
    joins = padded < group * apart
    return Blocks(joins, joined if joins else own, min(total, costs.key_block))


def _queries(target: Target, count: int, limit: int) -> int:
    """Return how many of `count` queries a block has: whole panels of them."""
    blocks = -(-count // limit)
    each = -(-count // blocks)
    panels = [n for n in panels_of(target) if n in target.panel_widths or each <= n]
    return min(-(-each // panel) * panel for panel in panels)


def panels_of(target: Target) -> tuple[int, ...]:
    """Return how many queries panels may have, the widest first: less for few."""
    return (*target.panel_widths, min(target.panel_widths) // 2)


def query_rows(target: Target, panel: int) -> int:
    """Return the height of tiles of queries by values: it divides `panel`."""
    sums = target.registers // 2
    widest = max(target.panel_widths) // target.f32_lanes
    return 8 if panel > 8 and 8 * widest <= sums else 4
