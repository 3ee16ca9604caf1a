"""Copies in which the fastest axis of the source becomes a slower one."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, func
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from glow.lowering.memory_to_loops.builder import INDEX, TABLE, Body, flat, function
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.nest import Row, nest
from glow.lowering.memory_to_loops.kernels.shuffles import (
    interleaved,
    separated,
    transposed,
)
from glow.lowering.memory_to_loops.kernels.strips import rest_of
from glow.support.types import dtype_of

# Columns of the source that are finished for all rows before the next ones: their
# lines of the result stay in the first-level cache until they are full.
_BLOCK = 16


@dataclass(frozen=True)
class Transpose(Kernel):
    """
    Copy along two axes, each of unit stride on one side, in squares of `lanes`.

    What squares do not cover goes element by element.
    Row: `outer` loops, then rows (extent, stride in the source), columns (extent,
    stride in the result).
    """

    element: Attribute
    outer: int
    lanes: int

    @property
    def prefix(self) -> str:
        return "transpose"

    def build(self) -> FuncOp:
        memory = flat(self.element)
        arguments = [("x", memory), ("y", memory), ("rows", TABLE), ("at", INDEX)]
        op, b, args = function(self.symbol, arguments)
        row = Row(b, args)
        levels = row.levels(self.outer, 2)
        rows, row_stride = row.next("height"), row.next("row_stride")
        columns, column_stride = row.next("width"), row.next("column_stride")
        square = _Square(self, args["x"], args["y"], row_stride, column_stride)

        def plane(b: Body, offsets: list[SSAValue]) -> None:
            height = b.difference(rows, rest_of(b, rows, self.lanes))
            width = b.difference(columns, rest_of(b, columns, self.lanes))
            square.blocks(b, offsets, height, width)
            zero = b.const(0)
            square.elements(b, offsets, (height, rows), (zero, columns))
            square.elements(b, offsets, (zero, height), (width, columns))

        nest(b, levels, 2, plane)
        b.do(func.ReturnOp())
        return op


@dataclass(frozen=True)
class _Square:
    """Emits copies of parts of a plane."""

    kernel: Transpose
    source: SSAValue
    result: SSAValue
    row_stride: SSAValue
    column_stride: SSAValue

    def blocks(
        self, b: Body, offsets: list[SSAValue], height: SSAValue, width: SSAValue
    ) -> None:
        """Append loops over the whole squares, in blocks of columns."""
        lanes = self.kernel.lanes

        def block(b: Body, start: SSAValue) -> None:
            stop = b.binary(arith.MinSIOp, b.sum(start, _BLOCK), width)

            def line(b: Body, r: SSAValue) -> None:
                source = b.sum(offsets[0], b.product(r, self.row_stride))
                result = b.sum(offsets[1], r)
                b.each(
                    start, stop, lambda b, c: self._one(b, source, result, c),
                    step=lanes, nonempty=True,
                )  # fmt: skip

            b.each(0, height, line, step=lanes)

        b.each(0, width, block, step=_BLOCK)

    def _one(self, b: Body, source: SSAValue, result: SSAValue, c: SSAValue) -> None:
        lanes = self.kernel.lanes
        bits = 8 * dtype_of(self.kernel.element).itemsize
        at, rows = b.sum(source, c), list[SSAValue]()
        for i in range(lanes):
            rows.append(b.load_vector(self.source, at, lanes=lanes))
            at = b.sum(at, self.row_stride) if i < lanes - 1 else at
        at = b.sum(result, b.product(c, self.column_stride))
        for i, column in enumerate(transposed(b, rows, bits)):
            b.store_vector(column, self.result, at)
            at = b.sum(at, self.column_stride) if i < lanes - 1 else at

    def elements(
        self,
        b: Body,
        offsets: list[SSAValue],
        rows: tuple[SSAValue, SSAValue],
        columns: tuple[SSAValue, SSAValue],
    ) -> None:
        """Append loops over single elements of rows and columns from, to."""

        def line(b: Body, c: SSAValue) -> None:
            source = b.sum(offsets[0], c)
            result = b.sum(offsets[1], b.product(c, self.column_stride))

            def element(b: Body, r: SSAValue) -> None:
                value = b.load(
                    self.source, b.sum(source, b.product(r, self.row_stride))
                )
                b.store(value, self.result, b.sum(result, r))

            b.each(*rows, element)

        b.each(*columns, line)


@dataclass(frozen=True)
class Interleave(Kernel):
    """
    Copy `planes` lines into one whose elements take turns, or (`inverse`) back.

    Row: `outer` loops, then the length of a line, the distance of lines.
    """

    element: Attribute
    outer: int
    planes: int
    lanes: int
    inverse: bool

    @property
    def prefix(self) -> str:
        return "separate" if self.inverse else "interleave"

    def build(self) -> FuncOp:
        memory = flat(self.element)
        arguments = [("x", memory), ("y", memory), ("rows", TABLE), ("at", INDEX)]
        op, b, args = function(self.symbol, arguments)
        row = Row(b, args)
        levels = row.levels(self.outer, 2)
        length, distance = row.next("length"), row.next("distance")

        def line(b: Body, offsets: list[SSAValue]) -> None:
            whole = b.difference(length, rest_of(b, length, self.lanes))
            b.each(
                0, whole, lambda b, i: self._vectors(b, args, offsets, i, distance),
                step=self.lanes,
            )  # fmt: skip
            b.each(
                whole,
                length,
                lambda b, i: self._elements(b, args, offsets, i, distance),
            )

        nest(b, levels, 2, line)
        b.do(func.ReturnOp())
        return op

    def _places(
        self, b: Body, offsets: list[SSAValue], i: SSAValue, distance: SSAValue
    ) -> tuple[list[SSAValue], SSAValue]:
        """Return where element i is on each line, and where all are on the one."""
        separate, joined = offsets[::-1] if self.inverse else offsets
        lines = [b.sum(separate, i)]
        for _ in range(1, self.planes):
            lines.append(b.sum(lines[-1], distance))
        return lines, b.sum(joined, b.product(i, self.planes))

    def _vectors(
        self,
        b: Body,
        args: dict[str, SSAValue],
        offsets: list[SSAValue],
        i: SSAValue,
        distance: SSAValue,
    ) -> None:
        lines, joined = self._places(b, offsets, i, distance)
        parts = [b.sum(joined, k * self.lanes) for k in range(self.planes)]
        sources, results = (parts, lines) if self.inverse else (lines, parts)
        loaded = [b.load_vector(args["x"], at, lanes=self.lanes) for at in sources]
        rearranged = separated if self.inverse else interleaved
        found = rearranged(b, loaded, self.lanes)
        for value, at in zip(found, results, strict=True):
            b.store_vector(value, args["y"], at)

    def _elements(
        self,
        b: Body,
        args: dict[str, SSAValue],
        offsets: list[SSAValue],
        i: SSAValue,
        distance: SSAValue,
    ) -> None:
        lines, joined = self._places(b, offsets, i, distance)
        for k, line in enumerate(lines):
            part = b.sum(joined, k)
            source, result = (part, line) if self.inverse else (line, part)
            b.store(b.load(args["x"], source), args["y"], result)
