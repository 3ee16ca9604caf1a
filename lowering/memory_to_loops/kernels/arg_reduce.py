"""Where the greatest or the least element along an axis lies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import i32, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from glow.dialects.llvm_ext.conversion import ExtSIOp
from glow.lowering.memory_to_loops.builder import (
    INDEX,
    TABLE,
    Body,
    flat,
    function,
    vector_of,
)
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.nest import Level, Row, nest
from glow.lowering.memory_to_loops.kernels.numbers import Numbers
from glow.lowering.memory_to_loops.kernels.strips import Piece, Strips

Values = list[SSAValue]


@dataclass(frozen=True)
class ArgReduce(Kernel):
    """
    Index of the greatest (max) or least (min) element; of equal ones the first or last.

    NaN is never better than what came before, and nothing is better than NaN. On
    vectors, lanes are neighbours along the fastest of the other axes.
    Row: `outer` loops, the fastest axis (extent, strides of input and result), the
    axis searched (extent, stride).
    """

    kind: str
    element: Attribute
    outer: int
    last: bool
    strips: Strips

    @property
    def prefix(self) -> str:
        return f"arg_{self.kind}"

    def build(self) -> FuncOp:
        arguments = [
            ("x", flat(self.element)),
            ("y", flat(i64)),
            ("rows", TABLE),
            ("at", INDEX),
        ]
        op, b, args = function(self.symbol, arguments)
        row = Row(b, args)
        levels, ((extent, strides),) = row.levels(self.outer, 2), row.levels(1, 2)
        (axis,) = row.levels(1, 1)

        def line(b: Body, offsets: Values) -> None:
            def step(b: Body, i: SSAValue, piece: Piece) -> None:
                moves = [i, i]
                if not self.strips.lanes:
                    moves = [b.product(i, stride) for stride in strides]
                source, result = map(b.sum, offsets, moves)
                found = self._search(b, args["x"], source, piece, axis)
                piece.store(b, found, args["y"], result)

            self.strips.each(b, extent, step)

        nest(b, levels, 2, line)
        b.do(func.ReturnOp())
        return op

    def _search(
        self, b: Body, base: SSAValue, at: SSAValue, piece: Piece, axis: Level
    ) -> Values:
        """Return the indices for one piece, as i64."""
        extent, (stride,) = axis
        lanes, count = piece.lanes, piece.count
        best = ("ge" if self.last else "gt", "le" if self.last else "lt")
        predicate = best[self.kind == "min"]
        first = Numbers(b, i32, lanes).const(0)

        def step(b: Body, i: SSAValue, carried: Values) -> Values:
            n, numbers = Numbers(b, self.element, lanes), Numbers(b, i32, lanes)
            cast = arith.IndexCastOp.create(operands=[i], result_types=[i32])
            place = numbers.spread(b.add(cast))
            values = piece.load(b, base, b.sum(at, b.product(i, stride)))
            greatest, found = carried[:count], carried[count:]
            better = list(map(partial(n.compare, predicate), values, greatest))
            kept = map(n.select, better, values, greatest)
            places = map(numbers.select, better, [place] * count, found)
            return [*kept, *places]

        initial = [*piece.load(b, base, at), *[first] * count]
        places = b.loop(1, extent, 1, initial, step)[count:]
        wide = vector_of(i64, lanes) if lanes else i64
        extend = ExtSIOp if lanes else arith.ExtSIOp
        return [
            b.add(extend.create(operands=[place], result_types=[wide]))
            for place in places
        ]
