"""Copies of runs of neighbours."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, func
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from glow.lowering.memory_to_loops.builder import INDEX, TABLE, Body, flat, function
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.nest import Row, nest
from glow.lowering.memory_to_loops.kernels.strips import rest_of


@dataclass(frozen=True)
class Runs(Kernel):
    """
    Copy lines of at least `lanes` elements that lie next to each other on both sides.

    The last vector of a line ends with it, over elements that were copied before.
    Row: `outer` loops, then the length of a line.
    """

    element: Attribute
    outer: int
    lanes: int
    unroll: int

    @property
    def prefix(self) -> str:
        return "copy"

    def build(self) -> FuncOp:
        memory = flat(self.element)
        arguments = [("x", memory), ("y", memory), ("rows", TABLE), ("at", INDEX)]
        op, b, args = function(self.symbol, arguments)
        row = Row(b, args)
        levels, length = row.levels(self.outer, 2), row.next("length")
        last = b.difference(length, b.const(self.lanes))
        size = self.lanes * self.unroll
        whole = b.difference(length, rest_of(b, length, size))

        def line(b: Body, offsets: list[SSAValue]) -> None:
            def step(b: Body, i: SSAValue, count: int) -> None:
                source, result = (b.sum(offset, i) for offset in offsets)
                places = [k * self.lanes for k in range(count)]
                loaded = [
                    b.load_vector(args["x"], b.sum(source, k), lanes=self.lanes)
                    for k in places
                ]
                for value, k in zip(loaded, places, strict=True):
                    b.store_vector(value, args["y"], b.sum(result, k))

            done = b.const(0)
            if self.unroll > 1:
                b.each(done, whole, lambda b, i: step(b, i, self.unroll), step=size)
                done = whole
            b.each(
                done,
                length,
                lambda b, i: step(b, b.binary(arith.MinSIOp, i, last), 1),
                step=self.lanes,
                nonempty=self.unroll == 1,
            )

        nest(b, levels, 2, line)
        b.do(func.ReturnOp())
        return op
