"""Zeros between the lines of a buffer: what a halo is made of."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func
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
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.nest import Row, nest
from glow.lowering.memory_to_loops.kernels.strips import Piece, Strips


@dataclass(frozen=True)
class ZeroGaps(Kernel):
    """
    Write zeros to runs of elements, listed in `gaps` as (start, length).

    Row: how often all runs repeat and at which distance, the number of runs.
    """

    element: Attribute
    strips: Strips

    @property
    def prefix(self) -> str:
        return "zero_gaps"

    def build(self) -> FuncOp:
        memory = flat(self.element)
        arguments = [("y", memory), ("gaps", OFFSETS), ("rows", TABLE), ("at", INDEX)]
        op, b, args = function(self.symbol, arguments)
        row = Row(b, args)
        levels, count = row.levels(1, 1), row.next("count")

        def repeat(b: Body, offsets: list[SSAValue]) -> None:
            b.each(0, count, lambda b, i: self._gap(b, args, offsets[0], i))

        nest(b, levels, 1, repeat)
        b.do(func.ReturnOp())
        return op

    def _gap(
        self, b: Body, args: dict[str, SSAValue], offset: SSAValue, i: SSAValue
    ) -> None:
        entry = b.product(i, 2)
        start = b.sum(offset, b.offset(args["gaps"], entry))
        length = b.offset(args["gaps"], b.sum(entry, 1))

        def step(b: Body, i: SSAValue, piece: Piece) -> None:
            zeros = [b.scalar(0, self.element, piece.lanes)] * piece.count
            piece.store(b, zeros, args["y"], b.sum(start, i))

        self.strips.each(b, length, step)
