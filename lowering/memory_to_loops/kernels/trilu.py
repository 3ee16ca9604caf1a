"""The part of matrices above or below a diagonal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import arith, func
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from glow.lowering.memory_to_loops.builder import INDEX, TABLE, Body, flat, function
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.nest import Level, Row, nest
from glow.lowering.memory_to_loops.kernels.numbers import Numbers
from glow.lowering.memory_to_loops.kernels.strips import Piece, Strips

Values = list[SSAValue]
Move = Callable[[Body, Values, Piece], None]


@dataclass(frozen=True)
class Trilu(Kernel):
    """
    Copy a part of each row, clear the other; k is read, or 0 where it has no type.

    On vectors, columns have unit stride on both sides.
    Row: rows, columns and `outer` loops (extent; strides of input and result).
    """

    element: Attribute
    integer: Attribute | None
    upper: bool
    outer: int
    strips: Strips

    @property
    def prefix(self) -> str:
        return "triu" if self.upper else "tril"

    def build(self) -> FuncOp:
        arguments = [("x", flat(self.element)), ("y", flat(self.element))]
        if self.integer is not None:
            arguments.append(("k", flat(self.integer)))
        op, b, args = function(
            self.symbol, [*arguments, ("rows", TABLE), ("at", INDEX)]
        )
        row = Row(b, args)
        (rows,), (columns,) = row.levels(1, 2), row.levels(1, 2)
        outer = row.levels(self.outer, 2)
        first = self._first(b, args, rows[0], columns[0])

        def matrix(b: Body, starts: Values) -> None:
            def line(b: Body, i: SSAValue) -> None:
                moves = [b.product(i, stride) for stride in rows[1]]
                at = list(map(b.sum, starts, moves))
                self._line(b, args, at, columns, b.sum(first, i))

            b.each(0, rows[0], line, nonempty=True)

        nest(b, outer, 2, matrix)
        b.do(func.ReturnOp())
        return op

    def _first(
        self, b: Body, args: dict[str, SSAValue], rows: SSAValue, columns: SSAValue
    ) -> SSAValue:
        """Return where the second part of the first row would begin."""
        after = 0 if self.upper else 1
        if self.integer is None:
            return b.const(after)
        n, value = Numbers(b, INDEX), b.load(args["k"], b.const(0))
        cast = arith.IndexCastOp.create(operands=[value], result_types=[INDEX])
        least = b.difference(b.const(0), rows)
        return b.sum(n.maximum(n.minimum(b.add(cast), columns), least), after)

    def _line(
        self,
        b: Body,
        args: dict[str, SSAValue],
        at: Values,
        columns: Level,
        border: SSAValue,
    ) -> None:
        extent, strides = columns
        n, zero = Numbers(b, INDEX), b.const(0)
        border = n.minimum(n.maximum(border, zero), extent)
        moves = [b.product(border, stride) for stride in strides]
        later = list(map(b.sum, at, moves))
        first, rest = (at, border), (later, b.difference(extent, border))
        empty, kept = (first, rest) if self.upper else (rest, first)

        def clear(b: Body, at: Values, piece: Piece) -> None:
            value = Numbers(b, self.element, piece.lanes).const(0)
            piece.store(b, [value] * piece.count, args["y"], at[1])

        def copy(b: Body, at: Values, piece: Piece) -> None:
            piece.store(b, piece.load(b, args["x"], at[0]), args["y"], at[1])

        self._part(b, *empty, strides, clear)
        self._part(b, *kept, strides, copy)

    def _part(
        self, b: Body, at: Values, count: SSAValue, strides: Values, move: Move
    ) -> None:
        """Append `move` over `count` columns, none if that is 0."""

        def step(b: Body, i: SSAValue, piece: Piece) -> None:
            moves = [i, i]
            if not self.strips.lanes:
                moves = [b.product(i, stride) for stride in strides]
            move(b, list(map(b.sum, at, moves)), piece)

        if self.strips.lanes:
            self.strips.each(b, count, step)
        else:
            b.each(0, count, lambda b, i: step(b, i, Piece(0)))
