"""How a kernel walks the columns of rows: as many vectors at once as registers hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.ir import Attribute, SSAValue

from glow.lowering.memory_to_loops.builder import Body
from glow.lowering.memory_to_loops.kernels.nest import Row
from glow.lowering.memory_to_loops.kernels.strips import Piece, Strips, mask_of
from glow.support.targets import Target
from glow.support.types import dtype_of


@dataclass(frozen=True)
class Chunk:
    """
    Neighbouring columns that are handled together, in vectors or as one scalar.

    `first` is the first column of rows that are read, `column` of those written.
    """

    lanes: int
    pieces: tuple[Piece, ...]
    first: SSAValue
    column: SSAValue

    @property
    def count(self) -> int:
        """How many vectors, or scalars, there are."""
        return len(self.pieces)

    def load(self, b: Body, base: SSAValue, row: SSAValue) -> list[SSAValue]:
        """Load these columns of the row that begins at `row`."""
        at = b.sum(row, self.first)
        return [
            piece.load(b, base, b.sum(at, k * self.lanes))[0]
            for k, piece in enumerate(self.pieces)
        ]

    def store(
        self, b: Body, values: list[SSAValue], base: SSAValue, row: SSAValue
    ) -> None:
        """Store these columns of the row that begins at `row`."""
        at = b.sum(row, self.column)
        for k, (piece, value) in enumerate(zip(self.pieces, values, strict=True)):
            piece.store(b, [value], base, b.sum(at, k * self.lanes))


@dataclass(frozen=True)
class Columns:
    """
    Loops over columns: chunks of `loop` vectors, one of `last`, then what is left.

    Rows are as short as that chunk mostly, so that what happens per chunk happens once.
    `masked`: the last vector is a part of one; else what is left are scalars. Without
    lanes all are scalars.
    Row: columns in the loop, columns in all; without lanes the latter, then strides
    along rows that are read and written.
    """

    lanes: int
    loop: int = 0
    last: int = 0
    masked: bool = False

    @staticmethod
    def of(target: Target, element: Attribute, extent: int) -> Columns:
        """Return how `target` walks `extent` columns of unit stride."""
        strips = Strips.of(target, [element])
        lanes, size = strips.lanes, dtype_of(element).itemsize
        most = max(1, target.registers // 2 * 4 // size)
        whole, rest = divmod(extent, lanes)
        masked = bool(rest) and strips.masked
        vectors = whole + masked
        if vectors == 0:
            return Columns(0)
        chunks = -(-vectors // most)
        each = -(-vectors // chunks)
        last = vectors - (chunks - 1) * each
        return Columns(lanes, each if chunks > 1 else 0, last, masked)

    def row(self, extent: int, strides: tuple[int, int]) -> list[int]:
        """Return what `read` reads, for so many columns with these strides."""
        if not self.lanes:
            return [extent, *strides]
        vectors = extent // self.lanes + self.masked
        return [(vectors - self.last) * self.lanes, extent]

    def read(self, b: Body, row: Row) -> Walk:
        """Read the row of a kernel."""
        if not self.lanes:
            extent, first, column = row.take(3, "columns")
            return Walk(self, extent, extent, (first, column), None)
        upto, extent = row.take(2, "columns")
        mask = None
        if self.masked:
            done = b.sum(upto, (self.last - 1) * self.lanes)
            mask = mask_of(b, b.difference(extent, done), self.lanes)
        return Walk(self, upto, extent, None, mask)


@dataclass(frozen=True)
class Walk:
    """Columns with what the row says of them."""

    columns: Columns
    upto: SSAValue
    extent: SSAValue
    strides: tuple[SSAValue, SSAValue] | None
    mask: SSAValue | None

    def each(self, b: Body, body: Callable[[Body, Chunk], None]) -> None:
        """Append loops that call `body` for each chunk."""
        lanes, last = self.columns.lanes, self.columns.last

        def several(b: Body, i: SSAValue) -> None:
            body(b, Chunk(lanes, (Piece(lanes),) * self.columns.loop, i, i))

        def single(b: Body, i: SSAValue) -> None:
            first, column = (
                (i, i)
                if self.strides is None
                else [b.product(i, stride) for stride in self.strides]
            )
            body(b, Chunk(0, (Piece(0),), first, column))

        if not lanes:
            b.each(0, self.extent, single)
            return
        if self.columns.loop:
            size = self.columns.loop * lanes
            b.each(0, self.upto, several, step=size, nonempty=True)
        pieces = [Piece(lanes)] * last
        if self.mask is not None:
            pieces[-1] = Piece(lanes, 1, self.mask)
        body(b, Chunk(lanes, tuple(pieces), self.upto, self.upto))
        if self.mask is None:
            b.each(b.sum(self.upto, last * lanes), self.extent, single)
