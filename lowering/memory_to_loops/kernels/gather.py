"""Slices of a buffer, picked by indices that are known only when it runs."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from glow.lowering.memory_to_loops.builder import Body
from glow.lowering.memory_to_loops.kernels.faults import (
    checked_index,
    reporter,
    reporting_function,
)
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.nest import Row, nest, nest_pieces
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
        buffers = {"data": self.element, "indices": self.integer, "y": self.element}
        op, b, args = reporting_function(self.symbol, buffers)
        row = Row(b, args)
        before, index = row.levels(self.before, 2), row.levels(self.index, 2)
        slices = row.levels(self.after, 2)
        extent, stride = row.next("picked"), row.next("picked_stride")
        report = reporter(args["fault"], row.next("code"))

        def copy(b: Body, at: Values, piece: Piece) -> None:
            piece.store(b, piece.load(b, args["data"], at[0]), args["y"], at[1])

        def outer(b: Body, offsets: Values) -> None:
            data, result = offsets

            def pick(b: Body, places: Values) -> None:
                index = b.load(args["indices"], places[0])
                found = checked_index(b, index, extent, report)
                starts = [b.sum(data, b.product(found, stride)), places[1]]
                nest_pieces(b, slices, self.strips, copy, starts)

            nest(b, index, 2, pick, [b.const(0), result])

        nest(b, before, 2, outer)
        b.do(func.ReturnOp())
        return op
