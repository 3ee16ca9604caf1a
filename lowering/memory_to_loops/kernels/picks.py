"""Slices of a buffer at places that tuples of indices name: to read, write, combine."""

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
from glow.lowering.memory_to_loops.kernels.numbers import Numbers
from glow.lowering.memory_to_loops.kernels.strips import Piece, Strips

Values = list[SSAValue]

CHECK = "check"


@dataclass(frozen=True)
class Picks(Kernel):
    """
    Move a slice per tuple of indices; one out of range is reported and taken as 0.

    `kind` is "gather": y is what x has there; "none": x becomes y there; the name of a
    combination: x becomes x and y combined; "check": nothing moves. On vectors, a slice
    has unit stride along its fastest axis in x and y.
    Row: `outer` loops (extent; strides of x, indices, y), for each of `count` indices
    the extent and the stride in x of its axis, its stride in the tuple and its fault
    code, `slices` loops over a slice (extent; strides of x, y).
    """

    kind: str
    element: Attribute
    integer: Attribute
    outer: int
    count: int
    slices: int
    strips: Strips

    @property
    def prefix(self) -> str:
        return "gather_nd" if self.kind == "gather" else f"scatter_{self.kind}"

    def build(self) -> FuncOp:
        buffers = {"x": self.element, "indices": self.integer, "y": self.element}
        op, b, args = reporting_function(self.symbol, buffers)
        row = Row(b, args)
        outer = row.levels(self.outer, 3)
        picks = [row.take(4, "pick") for _ in range(self.count)]
        slices = row.levels(self.slices, 2)

        def pick(b: Body, offsets: Values) -> None:
            x, place, y = offsets
            for extent, stride, step, code in picks:
                report = reporter(args["fault"], code)
                found = checked_index(b, b.load(args["indices"], place), extent, report)
                x = b.sum(x, b.product(found, stride))
                place = b.sum(place, step)
            if self.kind == CHECK:
                return

            def move(b: Body, at: Values, piece: Piece) -> None:
                self._move(b, args, at, piece)

            nest_pieces(b, slices, self.strips, move, [x, y])

        nest(b, outer, 3, pick)
        b.do(func.ReturnOp())
        return op

    def _move(
        self, b: Body, args: dict[str, SSAValue], at: Values, piece: Piece
    ) -> None:
        x, y = at
        if self.kind == "gather":
            piece.store(b, piece.load(b, args["x"], x), args["y"], y)
            return
        values = piece.load(b, args["y"], y)
        if self.kind != "none":
            n = Numbers(b, self.element, piece.lanes)
            combine = {
                "add": n.add,
                "mul": n.mul,
                "max": n.maximum,
                "min": n.minimum,
            }[self.kind]
            values = list(map(combine, piece.load(b, args["x"], x), values))
        piece.store(b, values, args["x"], x)
