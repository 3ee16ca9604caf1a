"""Copies in which the fastest axis of the source becomes a slower one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import arith, func
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from glow.lowering.memory_to_loops.builder import INDEX, TABLE, Body, flat, function
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.nest import Row, nest
from glow.lowering.memory_to_loops.kernels.shuffles import (
    columns_of,
    interleaved,
    separated,
    transposed,
)
from glow.support.types import dtype_of


@dataclass(frozen=True)
class Side:
    """One of the two axes: its extent, its stride, where its last part starts."""

    extent: SSAValue
    stride: SSAValue
    last: SSAValue

    @staticmethod
    def of(b: Body, row: Row, name: str, size: int) -> Side:
        extent, stride = row.next(f"{name}s"), row.next(f"{name}_stride")
        return Side(extent, stride, b.difference(extent, b.const(size)))

    def each(
        self, b: Body, size: int, body: Callable[[Body, SSAValue, SSAValue], None]
    ) -> None:
        """Append a loop over blocks of `size`; `body` is told from where to where."""

        def block(b: Body, start: SSAValue) -> None:
            end = b.binary(arith.MinSIOp, b.sum(start, size), self.extent)
            body(b, start, end)

        b.each(0, self.extent, block, step=size, nonempty=True)


Plane = Callable[[Body, list[SSAValue]], None]
"""Emits what copies the two axes, given where the source and the result start."""


@dataclass(frozen=True)
class PlaneKernel(Kernel):
    """
    A copy along two axes, each of unit stride on one side, in parts of several lines.

    Both axes are at least as long as a part; the last one of each ends with it, over
    elements that were copied before.
    Row: `outer` loops, then rows (extent, stride in the source), columns (extent,
    stride in the result).
    """

    element: Attribute
    outer: int
    lanes: int
    rows: int
    columns: int

    @property
    @abstractmethod
    def part(self) -> tuple[int, int]:
        """The rows and columns of a part."""

    @abstractmethod
    def plane(
        self, b: Body, source: SSAValue, result: SSAValue, rows: Side, columns: Side
    ) -> Plane:
        """Return what copies the two axes, inside the `outer` loops."""

    def build(self) -> FuncOp:
        memory = flat(self.element)
        arguments = [("x", memory), ("y", memory), ("rows", TABLE), ("at", INDEX)]
        op, b, args = function(self.symbol, arguments)
        row = Row(b, args)
        levels = row.levels(self.outer, 2)
        rows = Side.of(b, row, "row", self.part[0])
        columns = Side.of(b, row, "column", self.part[1])
        plane = self.plane(b, args["x"], args["y"], rows, columns)
        nest(b, levels, 2, plane)
        b.do(func.ReturnOp())
        return op


@dataclass(frozen=True)
class Transpose(PlaneKernel):
    """
    Copy a plane in squares of `lanes`, `beside` each other in a vector of columns.

    Squares go in blocks of `rows` by `columns`.
    """

    beside: int = 1

    @property
    def prefix(self) -> str:
        return "transpose"

    @property
    def width(self) -> int:
        """The columns of all squares of a vector."""
        return self.lanes * self.beside

    @property
    def part(self) -> tuple[int, int]:
        return self.lanes, self.width

    def plane(
        self, b: Body, source: SSAValue, result: SSAValue, rows: Side, columns: Side
    ) -> Plane:
        return _Squares(self, source, result, rows, columns).plane


@dataclass(frozen=True)
class _Squares:
    """Emits copies of the squares of a plane."""

    kernel: Transpose
    source: SSAValue
    result: SSAValue
    rows: Side
    columns: Side

    def plane(self, b: Body, offsets: list[SSAValue]) -> None:
        """Append loops over blocks, and over the squares of each."""
        lanes, width = self.kernel.lanes, self.kernel.width

        def block(
            b: Body, top: SSAValue, bottom: SSAValue, left: SSAValue, right: SSAValue
        ) -> None:
            def line(b: Body, r: SSAValue) -> None:
                r = b.binary(arith.MinSIOp, r, self.rows.last)
                source = b.sum(offsets[0], b.product(r, self.rows.stride))
                result = b.sum(offsets[1], r)
                b.each(
                    left, right, lambda b, c: self._one(b, source, result, c),
                    step=width, nonempty=True,
                )  # fmt: skip

            b.each(top, bottom, line, step=lanes, nonempty=True)

        self.rows.each(
            b,
            self.kernel.rows,
            lambda b, top, bottom: self.columns.each(
                b,
                self.kernel.columns,
                lambda b, left, right: block(b, top, bottom, left, right),
            ),
        )

    def _one(self, b: Body, source: SSAValue, result: SSAValue, c: SSAValue) -> None:
        lanes, width = self.kernel.lanes, self.kernel.width
        bits = 8 * dtype_of(self.kernel.element).itemsize
        c = b.binary(arith.MinSIOp, c, self.columns.last)
        at, rows = b.sum(source, c), list[SSAValue]()
        for i in range(lanes):
            rows.append(b.load_vector(self.source, at, lanes=width))
            at = b.sum(at, self.rows.stride) if i < lanes - 1 else at
        at = b.sum(result, b.product(c, self.columns.stride))
        found = transposed(b, rows, bits) if lanes == width else columns_of(b, rows)
        for i, column in enumerate(found):
            b.store_vector(column, self.result, at)
            at = b.sum(at, self.columns.stride) if i < width - 1 else at


@dataclass(frozen=True)
class Interleave(Kernel):
    """
    Copy `planes` lines into one whose elements take turns, or (`inverse`) back.

    The last vectors of a line end with it, over elements that were copied before.
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

        last = b.difference(length, b.const(self.lanes))

        def vectors(b: Body, offsets: list[SSAValue], i: SSAValue) -> None:
            i = b.binary(arith.MinSIOp, i, last)
            self._vectors(b, args, offsets, i, distance)

        def line(b: Body, offsets: list[SSAValue]) -> None:
            b.each(
                0, length, lambda b, i: vectors(b, offsets, i),
                step=self.lanes, nonempty=True,
            )  # fmt: skip

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
