"""Slices of a buffer, picked by indices that are known only when it runs."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, func
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from glow.lowering.memory_to_loops.builder import (
    INDEX,
    OFFSETS,
    TABLE,
    Body,
    flat,
    function,
)
from glow.lowering.memory_to_loops.kernels.faults import Report, reporter
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.nest import Level, Row, nest
from glow.lowering.memory_to_loops.kernels.numbers import Numbers
from glow.lowering.memory_to_loops.kernels.strips import Piece, Strips

Values = list[SSAValue]


@dataclass(frozen=True)
class Gather(Kernel):
    """
    Copy a slice per index; an index out of range is reported and taken as 0.

    On vectors, a slice has unit stride along its fastest axis on both sides.
    Row: `before` loops (extent; strides of data and result), `index` loops (extent;
    strides of indices and result), `after` loops over a slice as the first ones, extent
    and stride of the axis picked from, the fault code.
    """

    element: Attribute
    integer: Attribute
    before: int
    index: int
    after: int
    strips: Strips

    @property
    def prefix(self) -> str:
        return "gather"

    def build(self) -> FuncOp:
        op, b, args = function(
            self.symbol,
            [
                ("data", flat(self.element)),
                ("indices", flat(self.integer)),
                ("y", flat(self.element)),
                ("fault", OFFSETS),
                ("rows", TABLE),
                ("at", INDEX),
            ],
        )
        row = Row(b, args)
        before, index = row.levels(self.before, 2), row.levels(self.index, 2)
        slices = row.levels(self.after, 2)
        extent, stride = row.next("picked"), row.next("picked_stride")
        report = reporter(args["fault"], row.next("code"))

        def outer(b: Body, offsets: Values) -> None:
            data, result = offsets

            def pick(b: Body, places: Values) -> None:
                index = b.load(args["indices"], places[0])
                found = self._checked(b, index, extent, report)
                starts = [b.sum(data, b.product(found, stride)), places[1]]
                self._slice(b, args, slices, starts)

            nest(b, index, 2, pick, [b.const(0), result])

        nest(b, before, 2, outer)
        b.do(func.ReturnOp())
        return op

    def _checked(
        self, b: Body, value: SSAValue, extent: SSAValue, report: Report
    ) -> SSAValue:
        """Return an index counted from the front, 0 if it is out of range."""
        cast = arith.IndexCastOp.create(operands=[value], result_types=[INDEX])
        n, zero = Numbers(b, INDEX), b.const(0)
        index = b.add(cast)
        from_end = b.sum(index, extent)
        index = n.select(n.compare("lt", index, zero), from_end, index)
        # A negative number is a large one without a sign.
        is_outside = b.add(arith.CmpiOp(index, extent, "uge"))
        report(b, is_outside)
        return n.select(is_outside, zero, index)

    def _slice(
        self, b: Body, args: dict[str, SSAValue], levels: list[Level], starts: Values
    ) -> None:
        def copy(b: Body, at: Values, piece: Piece) -> None:
            piece.store(b, piece.load(b, args["data"], at[0]), args["y"], at[1])

        if not self.strips.lanes:
            nest(b, levels, 2, lambda b, at: copy(b, at, Piece(0)), starts)
            return
        *outer, (extent, _) = levels

        def line(b: Body, offsets: Values) -> None:
            def step(b: Body, i: SSAValue, piece: Piece) -> None:
                copy(b, [b.sum(offset, i) for offset in offsets], piece)

            self.strips.each(b, extent, step)

        nest(b, outer, 2, line, starts)
