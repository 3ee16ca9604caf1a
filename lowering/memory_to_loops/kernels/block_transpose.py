"""Transposes by way of the stack, where lines compete for places of the cache."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, memref
from xdsl.ir import Attribute, SSAValue

from glow.lowering.memory_to_loops.builder import Body, flat
from glow.lowering.memory_to_loops.kernels.shuffles import transposed
from glow.lowering.memory_to_loops.kernels.transpose import Plane, PlaneKernel, Side
from glow.support.types import dtype_of


@dataclass(frozen=True)
class BlockTranspose(PlaneKernel):
    """
    Copy a plane in blocks of `rows` by `columns`, and these in squares of `lanes`.

    A block is transposed onto the stack, and goes out from there line after line: so
    few lines are under way that compete for the same place.
    """

    @property
    def prefix(self) -> str:
        return "block_transpose"

    @property
    def part(self) -> tuple[int, int]:
        return self.rows, self.columns

    def plane(
        self, b: Body, source: SSAValue, result: SSAValue, rows: Side, columns: Side
    ) -> Plane:
        place = room(b, self.element, self.rows * self.columns)
        return _Blocks(self, source, result, place, rows, columns).plane


@dataclass(frozen=True)
class _Blocks:
    """Emits copies of the blocks of a plane."""

    kernel: BlockTranspose
    source: SSAValue
    result: SSAValue
    place: SSAValue
    rows: Side
    columns: Side

    def plane(self, b: Body, offsets: list[SSAValue]) -> None:
        source, result = offsets

        def block(b: Body, r: SSAValue, c: SSAValue) -> None:
            r = b.binary(arith.MinSIOp, r, self.rows.last)
            move = b.product(r, self.rows.stride)
            self._take(b, b.sum(b.sum(source, move), c))
            move = b.product(c, self.columns.stride)
            self._give(b, b.sum(b.sum(result, move), r))

        def line(b: Body, c: SSAValue) -> None:
            c = b.binary(arith.MinSIOp, c, self.columns.last)
            b.each(
                0, self.rows.extent, lambda b, r: block(b, r, c),
                step=self.kernel.rows, nonempty=True,
            )  # fmt: skip

        step = self.kernel.columns
        b.each(0, self.columns.extent, line, step=step, nonempty=True)

    def _take(self, b: Body, start: SSAValue) -> None:
        """Put the squares of a block aside, transposed."""
        kernel, stride = self.kernel, self.rows.stride
        bits = 8 * dtype_of(kernel.element).itemsize

        def square(b: Body, r: SSAValue, c: SSAValue) -> None:
            at, found = b.sum(b.sum(start, b.product(r, stride)), c), list[SSAValue]()
            for i in range(kernel.lanes):
                found.append(b.load_vector(self.source, at, lanes=kernel.lanes))
                at = b.sum(at, stride) if i < kernel.lanes - 1 else at
            to = b.sum(b.product(c, kernel.rows), r)
            for i, column in enumerate(transposed(b, found, bits)):
                b.store_vector(column, self.place, b.sum(to, i * kernel.rows))

        def line(b: Body, r: SSAValue) -> None:
            b.each(
                0, kernel.columns, lambda b, c: square(b, r, c),
                step=kernel.lanes, nonempty=True,
            )  # fmt: skip

        b.each(0, kernel.rows, line, step=kernel.lanes, nonempty=True)

    def _give(self, b: Body, start: SSAValue) -> None:
        """Copy the lines that were put aside to the result."""
        kernel = self.kernel

        def line(b: Body, c: SSAValue) -> None:
            source, to = b.product(c, kernel.rows), b.product(c, self.columns.stride)
            to = b.sum(start, to)
            for i in range(0, kernel.rows, kernel.lanes):
                part = b.load_vector(self.place, b.sum(source, i), lanes=kernel.lanes)
                b.store_vector(part, self.result, b.sum(to, i))

        b.each(0, kernel.columns, line, nonempty=True)


def room(b: Body, element: Attribute, size: int) -> SSAValue:
    """Return a flat memref of `size` elements on the stack."""
    place = b.add(memref.AllocaOp.get(element, 64, [size]))
    return b.add(memref.CastOp.get(place, flat(element)))
