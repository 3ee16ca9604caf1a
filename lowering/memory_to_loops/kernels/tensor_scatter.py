"""Lines of a cache, written from a place on that is known only at run time."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, func
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from glow.lowering.memory_to_loops.builder import (
    INDEX,
    Body,
)
from glow.lowering.memory_to_loops.kernels.faults import (
    Report,
    reporter,
    reporting_function,
)
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.nest import Row, nest, nest_pieces
from glow.lowering.memory_to_loops.kernels.numbers import Numbers
from glow.lowering.memory_to_loops.kernels.strips import Piece, Strips

Values = list[SSAValue]


@dataclass(frozen=True)
class TensorScatter(Kernel):
    """
    Copy lines to where a batch's write index says; beyond the end on from the front.

    Where it is not `circular`, an index that leaves too little room is reported, and
    nothing is written. On vectors, a line has unit stride along its fastest axis on
    both sides.
    Row: the batch (extent; strides of y, starts, u), places along the axis in y and in
    u, strides of both along it, the fault code, `before` loops (extent; strides of y,
    u), `after` loops over a line.
    """

    element: Attribute
    integer: Attribute
    circular: bool
    before: int
    after: int
    strips: Strips

    @property
    def prefix(self) -> str:
        return "tensor_scatter"

    def build(self) -> FuncOp:
        buffers = {"y": self.element, "starts": self.integer, "u": self.element}
        op, b, args = reporting_function(self.symbol, buffers)
        row = Row(b, args)
        batch, room, count = row.levels(1, 3), row.next("room"), row.next("count")
        strides, report = row.take(2, "stride"), reporter(args["fault"], row.next("c"))
        before, after = row.levels(self.before, 2), row.levels(self.after, 2)

        def copy(b: Body, at: Values, piece: Piece) -> None:
            piece.store(b, piece.load(b, args["u"], at[1]), args["y"], at[0])

        def lines(b: Body, many: SSAValue, starts: Values) -> None:
            def one(b: Body, offsets: Values) -> None:
                nest_pieces(b, after, self.strips, copy, offsets)

            def along(b: Body, offsets: Values) -> None:
                def step(b: Body, i: SSAValue) -> None:
                    moves = [b.product(i, stride) for stride in strides]
                    one(b, list(map(b.sum, offsets, moves)))

                b.each(0, many, step)

            nest(b, before, 2, along, starts)

        def each(b: Body, offsets: Values) -> None:
            y, place, u = offsets
            cast = arith.IndexCastOp.create(
                operands=[b.load(args["starts"], place)], result_types=[INDEX]
            )
            start = b.add(cast)
            if self.circular:
                start = _around(b, start, room)
                first = Numbers(b, INDEX).minimum(count, b.difference(room, start))
            else:
                first = _fitting(b, start, room, count, report)
            lines(b, first, [b.sum(y, b.product(start, strides[0])), u])
            if self.circular:
                rest = b.difference(count, first)
                lines(b, rest, [y, b.sum(u, b.product(first, strides[1]))])

        nest(b, batch, 3, each)
        b.do(func.ReturnOp())
        return op


def _around(b: Body, start: SSAValue, room: SSAValue) -> SSAValue:
    """Return the place within `room` that is whole rounds from `start`."""
    n, rest = Numbers(b, INDEX), b.binary(arith.RemSIOp, start, room)
    return n.select(n.compare("lt", rest, b.const(0)), b.sum(rest, room), rest)


def _fitting(
    b: Body, start: SSAValue, room: SSAValue, count: SSAValue, report: Report
) -> SSAValue:
    """Return `count`, or report and return 0 where there is no room from `start` on."""
    # A negative number is a large one without a sign.
    is_outside = b.add(arith.CmpiOp(start, b.difference(room, count), "ugt"))
    report(b, is_outside)
    return Numbers(b, INDEX).select(is_outside, b.const(0), count)
