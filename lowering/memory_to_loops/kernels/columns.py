"""How a kernel walks the columns of rows: as many vectors at once as registers hold."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Generic

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute

from glow.codegen.loops import N, loop
from glow.codegen.memory import SCALAR, Strip, mask_of
from glow.codegen.strips import Strips
from glow.codegen.values import Value, constant
from glow.support.targets import Target
from glow.support.types import compute_type, dtype_of


@dataclass(frozen=True)
class ColumnsRow(Generic[N]):
    """Columns in the loop, columns in all, strides of what is read and written."""

    upto: N
    extent: N
    strides: tuple[N, N]


@dataclass(frozen=True)
class Chunk:
    """
    Neighboring columns that are handled together.

    `first` is where the first column is in rows that are read, `column` in those that
    are written.
    """

    strip: Strip
    first: Value
    column: Value


@dataclass(frozen=True)
class Columns:
    """
    Loops over columns: chunks of `loop` vectors, one of `last`, then what is left.

    Rows are as short as that chunk mostly, so that what happens per chunk happens once.
    `masked`: the last vector is a part of one; else what is left are scalars. Without
    lanes all are scalars.
    """

    lanes: int
    loop: int = 0
    last: int = 0
    masked: bool = False

    @staticmethod
    def of(target: Target, element: Attribute, extent: int) -> Columns:
        """Return how `target` walks `extent` columns of unit stride."""
        compute = compute_type(element)
        strips = Strips.of(target, [element, compute])
        most = max(1, target.registers // 2 * 4 // dtype_of(compute).itemsize)
        whole, rest = divmod(extent, strips.lanes)
        masked = bool(rest) and strips.masked
        vectors = whole + masked
        if vectors == 0:
            return Columns(0)
        chunks = -(-vectors // most)
        each = -(-vectors // chunks)
        last = vectors - (chunks - 1) * each
        return Columns(strips.lanes, each if chunks > 1 else 0, last, masked)

    def row(self, extent: int, strides: tuple[int, int]) -> ColumnsRow[int]:
        """Return the row of so many columns with these strides."""
        vectors = extent // self.lanes + self.masked if self.lanes else 0
        return ColumnsRow((vectors - self.last) * self.lanes, extent, strides)

    def each(self, row: ColumnsRow[Value]) -> Generator[Chunk]:
        """Write loops over all columns; the body of a Python `for` is that of each."""
        first, column = row.strides
        if not self.lanes:
            for i in loop(0, row.extent):
                yield Chunk(SCALAR, i * first, i * column)
            return
        if self.loop:
            strip = Strip(self.lanes, self.loop)
            for i in loop(0, row.upto, step=strip.size, nonempty=True):
                yield Chunk(strip, i, i)
        done = row.upto + (self.last - 1) * self.lanes
        masks: tuple[Value, ...] = ()
        if self.masked:
            whole = constant(1, i1, self.lanes)
            rest = mask_of(row.extent - done, self.lanes)
            masks = (*[whole] * (self.last - 1), rest)
        yield Chunk(Strip(self.lanes, self.last, masks), row.upto, row.upto)
        if not self.masked:
            for i in loop(done + self.lanes, row.extent):
                yield Chunk(SCALAR, i, i)
