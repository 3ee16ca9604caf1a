"""The register tile that all products are made of."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import product
from math import gcd

from glow.codegen.conditions import select
from glow.codegen.functions import dot_pairs, fma, minimum
from glow.codegen.loops import Var, loop
from glow.codegen.memory import SECOND_LEVEL, Memory, Strip, mask_of, prefetch
from glow.codegen.shuffles import spread_pair
from glow.codegen.values import Value, index
from glow.support.targets import LINE_BYTES, PAGE_BYTES, Target
from glow.support.types import dtype_of

FEW = 2
"""
The most rows of tiles that use up panels as fast as memory delivers them.

Processors prefetch such a stream by themselves, but stop where a page ends, so that it
is enough to prefetch the beginnings of later pages. More would take a tenth of what the
second and third level can deliver.
"""
_PAGES_AHEAD, _LINES_OF_PAGE = 4, 2
_SHORTEST = 32
"""The least number of k after which such tiles prefetch again."""


@dataclass(frozen=True)
class Tile:
    """
    `rows` x `columns` sums kept in registers while the depth runs.

    A row is `vectors` vectors of `lanes`; LLVM splits a vector that is wider than a
    register. Where `masked`, only the first columns of a row exist in memory.
    """

    rows: int
    vectors: int
    lanes: int = 16
    masked: bool = False

    @property
    def columns(self) -> int:
        return self.vectors * self.lanes

    @property
    def size(self) -> int:
        return self.rows * self.columns

    @property
    def squares(self) -> list[tuple[int, int]]:
        """The rows that are transposed together: four, or the last two."""
        return [(i, min(i + 4, self.rows)) for i in range(0, self.rows, 4)]

    @property
    def row(self) -> Strip:
        """A row without masked columns."""
        return Strip(self.lanes, self.vectors)

    def row_of(self, count: Value) -> Strip:
        """Return a row whose first `count` columns exist, if it is masked."""
        if not self.masked:
            return self.row
        starts = range(0, self.columns, self.lanes)
        masks = tuple(mask_of(count - start, self.lanes) for start in starts)
        return Strip(self.lanes, self.vectors, masks)


class Sums(Enum):
    """
    The order in which the products of a tile are added up.

    The rounding of each addition grows with the sum so far, so that long sums are added
    up in blocks, which costs one part in a hundred: LLVM keeps the totals of large
    tiles on the stack while a block is summed.
    """

    RUNNING = "running"
    """One after the other."""
    BY_SEGMENT = "by segment"
    """Each segment by itself, then their sums."""
    BY_BLOCK = "by block"
    """As many segments as the row says, then their sums."""
    BY_PART = "by part"
    """
    As by segment, but tiles take turns: each adds as many segments as the row says.

    So that part of a panel stays in the cache until all tiles have read it.
    """


@dataclass(frozen=True)
class TileFactors:
    """
    The factors of a tile.

    Sum over segments s, from the first on, and k < runs[s] of
    `left[rows[i] + segments[s] + k * step] * right[start + n * pitch + j]`, where n
    counts all these products.
    """

    left: Memory
    rows: Sequence[Value]
    table: Memory
    segments: Value
    """Where the offsets of the segments begin in `table`."""
    segment_count: Value
    """The number of segments, including those before `first`."""
    runs: Value
    """Where their lengths begin."""
    block: Value
    """The segments of a block."""
    step: Value
    right: Memory
    start: Value
    pitch: Value
    fetched: Memory
    """Data to prefetch: the right factor, or the source of its next part."""
    ahead: Value
    """The next part of that."""
    ahead_step: Value
    first: Value = field(default_factory=lambda: index(0))
    """The first segment."""
    sums: Sums = Sums.RUNNING
    unroll: int = 1
    """How many k an iteration of the loop does: a divisor of each run."""
    streams: tuple[int, ...] = ()
    """
    Offsets, from what is ahead, of the lines that an iteration prefetches.

    If there are none, each k prefetches one line, one after the other.
    """
    in_pairs: bool = False
    """
    Whether each k stands for two neighbors in a row of the left factor.

    Rows of the right factor have pairs of numbers for its columns.
    """


def multiply(f: TileFactors, row: Strip, sums: Sequence[Value]) -> list[Value]:
    """
    Add the products of `f` to `sums`, one per row, and return them.

    `row` is how rows of the right factor are read.
    """
    cursor, totals = (Var(f.ahead), Var(f.start)), [Var(x) for x in sums]
    if f.sums is Sums.RUNNING:
        _add_segments(f, row, (f.first, f.segment_count), cursor, totals)
        return [total.value for total in totals]
    step = f.block if f.sums is Sums.BY_BLOCK else index(1)
    zero, carried = row.constant(0, sums[0].element), (*cursor, *totals)
    blocks = loop(
        f.first, f.segment_count, *carried, step=step, name="block", nonempty=True
    )
    for s in blocks:
        parts = [Var(zero) for _ in sums]
        if f.sums is Sums.BY_BLOCK:
            bounds = s, minimum(s + step, f.segment_count)
            _add_segments(f, row, bounds, cursor, parts)
        else:
            _add_segment(f, row, s, cursor, parts)
        for total, part in zip(totals, parts, strict=True):
            total.value = total.value + part.value
    return [total.value for total in totals]


def _add_segments(
    f: TileFactors,
    row: Strip,
    bounds: tuple[Value, Value],
    cursor: tuple[Var, Var],
    totals: Sequence[Var],
) -> None:
    for s in loop(*bounds, *cursor, *totals, name="s", nonempty=True):
        _add_segment(f, row, s, cursor, totals)


def _add_segment(
    f: TileFactors, row: Strip, s: Value, cursor: tuple[Var, Var], totals: Sequence[Var]
) -> None:
    """
    Add the products of segment `s` to `totals`; `cursor` is `f.ahead` and a line.

    The next panel is prefetched on the way, except by tiles of `FEW` rows or less.
    """
    line, k = cursor[1], Var(f.table[f.segments + s])
    run, by = f.table[f.runs + s], _by_page if len(f.rows) <= FEW else _by_k
    for _ in by(f, run, cursor, (k, *totals), row.size):
        weights = f.right.load(line.value, row)
        for start, total in zip(f.rows, totals, strict=True):
            at = start + k.value
            if f.in_pairs:
                pair = spread_pair(f.left.load(at, Strip(2)), row.lanes)
                total.value = dot_pairs(pair, weights, total.value)
            else:
                total.value = fma(f.left[at], weights, total.value)
        k.value += f.step
        line.value += f.pitch


def _by_k(
    f: TileFactors,
    run: Value,
    cursor: tuple[Var, Var],
    carried: Sequence[Var],
    columns: int,
) -> Generator[None]:
    """
    Write the loop along a segment; a line of the next panel is fetched per k.

    The body is written as often as an iteration has k.
    """
    ahead, carried = cursor[0], (*cursor, *carried)
    for _ in loop(0, run, *carried, step=f.unroll, name="k", nonempty=True):
        for i in range(f.unroll):
            for apart in f.streams[i :: f.unroll] if f.streams else (0,):
                prefetch(f.fetched, ahead.value + apart, SECOND_LEVEL)
            yield
            if not f.streams or i == f.unroll - 1:
                ahead.value += f.ahead_step


def _by_page(
    f: TileFactors,
    run: Value,
    cursor: tuple[Var, Var],
    carried: Sequence[Var],
    columns: int,
) -> Generator[None]:
    """Write the loop; with every few pages, prefetch the beginnings of later ones."""
    size = dtype_of(f.right.element).itemsize
    line, step = cursor[1], max(_SHORTEST, PAGE_BYTES // size // columns)
    pages = max(1, step * columns * size // PAGE_BYTES)
    carried = (line, *carried)
    for p in loop(0, run, *carried, step=step, name="p", nonempty=True):
        for page, i in product(range(pages), range(_LINES_OF_PAGE)):
            lead = (_PAGES_AHEAD + page) * PAGE_BYTES + i * LINE_BYTES
            prefetch(f.right, line.value + lead // size, SECOND_LEVEL)
        last = minimum(p + step, run)
        for _ in loop(p, last, *carried, name="k", nonempty=True):
            yield


def multiply_lanes(f: TileFactors, row: Strip, sums: Sequence[Value]) -> list[Value]:
    """
    Add products of the same lane of both factors to `sums`; a stretch is one row.

    Sum over s of `left[rows[i] + segments[s] + j] * right[start + s * pitch + j]`.
    """
    line, totals = Var(f.start), [Var(x) for x in sums]
    for s in loop(0, f.segment_count, line, *totals, name="s", nonempty=True):
        begin = f.table[f.segments + s]
        weights = f.right.load(line.value, row)
        for start, total in zip(f.rows, totals, strict=True):
            values = f.left.load(start + begin, row)
            total.value = fma(values, weights, total.value)
        line.value += f.pitch
    return [total.value for total in totals]


def multiply_lanes_of_line(
    f: TileFactors, row: Strip, sums: Sequence[Value], taps: int, moves: int
) -> list[Value]:
    """
    Add the same products, in the same order, where rows are pixels of a line.

    Segments are lines of `taps` pixels, `f.step` apart, and rows lie `moves` of these
    apart: each pixel is loaded once for all rows and taps that read it.
    """
    line, totals = Var(f.start), [Var(x) for x in sums]
    _fetch_next_lines(f, row, taps, moves)
    for s in loop(
        0, f.segment_count, line, *totals, step=taps, name="s", nonempty=True
    ):
        at = f.rows[0] + f.table[f.segments + s]
        weights = [f.right.load(line.value + f.pitch * k, row) for k in range(taps)]
        for pixel in range(moves * (len(totals) - 1) + taps):
            values = f.left.load(at, row)
            for k in range(taps):
                i, rest = divmod(pixel - k, moves)
                if not rest and 0 <= i < len(totals):
                    totals[i].value = fma(values, weights[k], totals[i].value)
            at += f.step
        line.value += f.pitch * taps
    return [total.value for total in totals]


def _fetch_next_lines(f: TileFactors, row: Strip, taps: int, moves: int) -> None:
    """
    Prefetch what the tile below reads, as many lines of pixels as rows lie apart.

    Pixels of a line are as far apart as there are channels, and processors do not
    foresee the next one where pages end.
    """
    first, count = f.table[f.segments], f.segment_count
    second = f.table[f.segments + select(count > taps, index(taps), index(0))]
    at = f.rows[0] + f.table[f.segments + count - taps]
    size = dtype_of(f.left.element).itemsize
    for _ in range(moves):
        at += second - first
        place = at
        for _ in range(moves * len(f.rows)):
            for start in range(0, row.size, LINE_BYTES // size):
                prefetch(f.left, place + start)
            place += f.step


def products(
    left: tuple[Memory, Sequence[Value], Value],
    right: tuple[Memory, Value, Value],
    strip: Strip,
    run: Value,
    sums: Sequence[Value],
) -> list[Value]:
    """
    Return `sums` with `run` products of rows and columns added, one per row.

    `left` is a buffer, where each row begins, and the step from element to element;
    `right` a buffer, where the first row of the panel begins, and the step to the next.
    """
    (buffer, rows, step), (other, start, pitch) = left, right
    k, line, totals = Var(index(0)), Var(start), [Var(x) for x in sums]
    for _ in loop(0, run, k, line, *totals, name="k", nonempty=True):
        columns = other.load(line.value, strip)
        for row, total in zip(rows, totals, strict=True):
            total.value = fma(buffer[row + k.value], columns, total.value)
        k.value += step
        line.value += pitch
    return [total.value for total in totals]


def tiles_of(target: Target, panel: int, columns: int, rows: int = 1) -> list[Tile]:
    """
    Return the tile for whole panels, and for what `columns` leaves for the last one.

    The last panel is computed in whole registers, but no more of them than needed, or
    in narrower ones where these take less.
    """
    lanes = gcd(panel, target.tile_lanes)
    whole = Tile(rows, panel // lanes, lanes)
    tiles = [whole] if columns >= panel else []
    rest = columns % panel
    if rest:
        unit = target.lanes_for(rest)
        used = -(-rest // unit) * unit
        lanes = gcd(used, target.tile_lanes)
        tail = replace(whole, vectors=used // lanes, lanes=lanes)
        tiles.append(replace(tail, masked=tail.columns != rest))
    return tiles
