"""The register tile that all products are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import MemRefType, i1
from xdsl.ir import Attribute, SSAValue

from glow.dialects.llvm_ext.memory import PrefetchOp
from glow.lowering.memory_to_loops.builder import Body, vector_of

_SECOND_LEVEL = 2
_LINE, _PAGE = 16, 1024
"""Elements of a line of the cache, and of a page."""
_FEW = 2
"""
The rows of tiles that take panels as fast as they come.

Processors fetch such a stream ahead by themselves, but stop where a page ends, so that
it is enough to ask for what later pages begin with. More would take a tenth of what
the second and third level can deliver.
"""
_PAGES_AHEAD, _LINES_OF_PAGE = 4, 2


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


def element_of(base: SSAValue) -> Attribute:
    """Return the type of the elements of a flat memref."""
    assert isinstance(base.type, MemRefType)
    return base.type.element_type  # pyright: ignore


@dataclass(frozen=True)
class Columns:
    """Reads and writes rows of a tile, only as many columns as there are."""

    tile: Tile
    masks: tuple[SSAValue, ...] = ()
    last: SSAValue | None = None
    """The last column that exists, where not all do."""

    @staticmethod
    def of(b: Body, tile: Tile, count: SSAValue) -> Columns:
        """Return the access to rows of which `count` columns exist if `masked`."""
        if not tile.masked:
            return Columns(tile)
        type_ = vector_of(i1, tile.lanes)
        masks: list[SSAValue] = []
        for j in range(tile.vectors):
            left = b.sum(count, -j * tile.lanes)
            op = vector.CreateMaskOp.create(operands=[left], result_types=[type_])
            masks.append(b.add(op))
        return Columns(tile, tuple(masks), b.sum(count, -1))

    def load(self, b: Body, base: SSAValue, at: SSAValue) -> list[SSAValue]:
        """Load one row; columns that do not exist are 0."""
        lanes = self.tile.lanes
        starts = [b.sum(at, j * lanes) for j in range(self.tile.vectors)]
        if not self.masks:
            return [b.load_vector(base, start, lanes=lanes) for start in starts]
        zero = b.scalar(0, element_of(base), lanes)
        return [
            b.add(
                vector.MaskedLoadOp.create(
                    operands=[base, start, mask, zero], result_types=[zero.type]
                )
            )
            for start, mask in zip(starts, self.masks, strict=True)
        ]

    def gather(
        self, b: Body, base: SSAValue, at: SSAValue, step: SSAValue
    ) -> list[SSAValue]:
        """Load one row whose columns are `step` apart, one after the other."""
        lanes, found = self.tile.lanes, list[SSAValue]()
        for j in range(self.tile.vectors):
            value = b.scalar(0, element_of(base), lanes)
            for lane in range(lanes):
                column = b.const(j * lanes + lane)
                if self.last is not None:
                    column = b.binary(arith.MinSIOp, column, self.last)
                scalar = b.load(base, b.sum(at, b.product(column, step)))
                value = b.add(vector.InsertOp(scalar, value, [lane]))
            found.append(value)
        return found

    def count(self, b: Body) -> SSAValue:
        """Return how many columns exist."""
        return b.const(self.tile.columns) if self.last is None else b.sum(self.last, 1)

    def store(
        self, b: Body, row: Sequence[SSAValue], base: SSAValue, at: SSAValue
    ) -> None:
        """Store one row."""
        for j, value in enumerate(row):
            start = b.sum(at, j * self.tile.lanes)
            if self.masks:
                operands = [base, start, self.masks[j], value]
                b.do(vector.MaskedStoreOp.create(operands=operands))
            else:
                b.store_vector(value, base, start)


@dataclass(frozen=True)
class Factors:
    """
    What a tile multiplies.

    Sum over segments s and k < run of
    `left[rows[i] + segments[s] + k * step] * right[start + (s * run + k) * pitch + j]`.
    """

    left: SSAValue
    rows: Sequence[SSAValue]
    table: SSAValue
    segments: SSAValue
    """Where the offsets of the segments begin in `table`."""
    segment_count: SSAValue
    run: SSAValue
    step: SSAValue
    right: SSAValue
    start: SSAValue
    pitch: SSAValue
    ahead: SSAValue
    """What of the right factor comes next, to be fetched on the way."""
    ahead_step: SSAValue


def multiply(
    b: Body, panel: Columns, factors: Factors, sums: Sequence[SSAValue]
) -> list[SSAValue]:
    """
    Add the products of `factors` to `sums`, row after row, and return them.

    `panel` is how rows of the right factor are read.

    One k per turn: the loop's own work hides behind the multiply-adds, and all
    addresses stay in registers. The next panel is fetched on the way, but by few rows.
    """
    f, zero, depth = factors, b.const(0), _Depth(panel, factors)
    run = depth.by_page if panel.tile.rows <= _FEW else depth.by_k

    def segment(b: Body, s: SSAValue, carried: list[SSAValue]) -> list[SSAValue]:
        start = b.offset(f.table, b.sum(f.segments, s))
        ahead, *rest = carried
        ahead, _, *rest = run(b, [ahead, start, *rest])
        return [ahead, *rest]

    carried = [f.ahead, f.start, *sums]
    _, _, *done = b.loop(
        zero, f.segment_count, 1, carried, segment, name="s", nonempty=True
    )
    return done


@dataclass(frozen=True)
class _Depth:
    """The loop along a segment; it carries what is ahead, k, the line and the sums."""

    panel: Columns
    factors: Factors

    def by_k(self, b: Body, carried: list[SSAValue]) -> list[SSAValue]:
        """Fetch a line of the next panel with each k."""
        f = self.factors

        def step(b: Body, _: SSAValue, carried: list[SSAValue]) -> list[SSAValue]:
            ahead, *rest = carried
            return [b.sum(ahead, f.ahead_step), *self._turn(b, rest, ahead)]

        return b.loop(0, f.run, 1, carried, step, name="k", nonempty=True)

    def by_page(self, b: Body, carried: list[SSAValue]) -> list[SSAValue]:
        """With each page of the panel, fetch where a later one begins."""
        f, turns = self.factors, _PAGE // self.panel.tile.columns
        ahead, *rest = carried

        def one(b: Body, _: SSAValue, carried: list[SSAValue]) -> list[SSAValue]:
            return self._turn(b, carried)

        def page(b: Body, k: SSAValue, carried: list[SSAValue]) -> list[SSAValue]:
            _, line, *_ = carried
            for i in range(_LINES_OF_PAGE):
                begin = b.sum(line, _PAGES_AHEAD * _PAGE + i * _LINE)
                b.do(PrefetchOp(f.right, [begin], _SECOND_LEVEL))
            last = b.binary(arith.MinSIOp, b.sum(k, turns), f.run)
            return b.loop(k, last, 1, carried, one, name="k", nonempty=True)

        return [
            ahead,
            *b.loop(0, f.run, turns, rest, page, name="p", nonempty=True),
        ]

    def _turn(
        self, b: Body, carried: list[SSAValue], ahead: SSAValue | None = None
    ) -> list[SSAValue]:
        """Add the products of one k."""
        f, tile = self.factors, self.panel.tile
        k, line, *sums = carried
        line_of_panel = self.panel.load(b, f.right, line)
        if ahead is not None:
            b.do(PrefetchOp(f.right, [ahead], _SECOND_LEVEL))
        for i, row in enumerate(f.rows):
            x = b.splat(b.load(f.left, b.sum(row, k)), tile.lanes)
            for j, y in enumerate(line_of_panel):
                n = i * tile.vectors + j
                sums[n] = b.fma(x, y, sums[n])
        return [b.sum(k, f.step), b.sum(line, f.pitch), *sums]


def multiply_lanes(
    b: Body, columns: Columns, factors: Factors, sums: Sequence[SSAValue]
) -> list[SSAValue]:
    """
    Add products of the same lane of both factors to `sums`; a stretch is one row.

    Sum over s of `left[rows[i] + segments[s] + j] * right[start + s * pitch + j]`.
    """
    f, vectors = factors, columns.tile.vectors

    def segment(b: Body, s: SSAValue, carried: list[SSAValue]) -> list[SSAValue]:
        line, *acc = carried
        begin = b.offset(f.table, b.sum(f.segments, s))
        weights = columns.load(b, f.right, line)
        for i, row in enumerate(f.rows):
            values = columns.load(b, f.left, b.sum(row, begin))
            for j, (x, y) in enumerate(zip(values, weights, strict=True)):
                n = i * vectors + j
                acc[n] = b.fma(x, y, acc[n])
        return [b.sum(line, f.pitch), *acc]

    carried = [f.start, *sums]
    _, *done = b.loop(0, f.segment_count, 1, carried, segment, name="s", nonempty=True)
    return done
