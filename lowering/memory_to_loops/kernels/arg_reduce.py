"""Where the greatest or the least element along an axis lies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from xdsl.dialects import arith, func, vector
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
from glow.lowering.memory_to_loops.kernels.numbers import Numbers, highest, lowest
from glow.lowering.memory_to_loops.kernels.strips import Piece, Strips
from glow.support.types import is_float, is_unsigned

Values = list[SSAValue]

_IS_BETTER = {"max": "gt", "min": "lt"}
_FLAGS = vector.CombiningKindFlag
# What combines the lanes of a vector: of integers, unsigned ones, floats.
_ACROSS = {
    "max": (_FLAGS.MAXSI, _FLAGS.MAXUI, _FLAGS.MAXNUMF),
    "min": (_FLAGS.MINSI, _FLAGS.MINUI, _FLAGS.MINNUMF),
}


@dataclass(frozen=True)
class _ArgReduce(Kernel):
    """
    Index of the greatest (max) or least (min) element; of equal ones the first or last.

    NaN is never better than what came before, and nothing is better than NaN.
    """

    kind: str
    element: Attribute
    outer: int
    last: bool
    strips: Strips

    def _function(self) -> tuple[FuncOp, Body, dict[str, SSAValue]]:
        arguments = [
            ("x", flat(self.element)),
            ("y", flat(i64)),
            ("rows", TABLE),
            ("at", INDEX),
        ]
        return function(self.symbol, arguments)


@dataclass(frozen=True)
class ArgReduceColumns(_ArgReduce):
    """
    Search along any axis, one element after the other.

    On vectors, lanes are neighbours along the fastest of the other axes.
    Row: `outer` loops, the fastest axis (extent, strides of input and result), the
    axis searched (extent, stride).
    """

    @property
    def prefix(self) -> str:
        return f"arg_{self.kind}"

    def build(self) -> FuncOp:
        op, b, args = self._function()
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


@dataclass(frozen=True)
class ArgReduceRows(_ArgReduce):
    """
    Search along an axis of unit stride: the best element, then where it stands.

    Row: `outer` loops (extent, strides of input and result), the extent of the axis.
    """

    @property
    def prefix(self) -> str:
        return f"arg_{self.kind}_rows"

    def build(self) -> FuncOp:
        op, b, args = self._function()
        row = Row(b, args)
        levels, extent = row.levels(self.outer, 2), row.next("extent")

        def line(b: Body, offsets: Values) -> None:
            source, result = offsets
            best = self._best(b, args["x"], source, extent)
            found = self._place(b, args["x"], source, extent, best)
            if is_float(self.element):
                n, places = Numbers(b, self.element), Numbers(b, i32)
                first = b.load(args["x"], source)
                is_number = n.compare("eq", first, first)
                found = places.select(is_number, found, places.const(0))
            extended = arith.ExtSIOp.create(operands=[found], result_types=[i64])
            b.store(b.add(extended), args["y"], result)

        nest(b, levels, 2, line)
        b.do(func.ReturnOp())
        return op

    def _best(
        self, b: Body, base: SSAValue, at: SSAValue, extent: SSAValue
    ) -> SSAValue:
        """Return the greatest or least element, NaN aside."""
        bound = lowest if self.kind == "max" else highest

        def better(b: Body, x: SSAValue, y: SSAValue, lanes: int) -> SSAValue:
            n = Numbers(b, self.element, lanes)
            return n.select(n.compare(_IS_BETTER[self.kind], x, y), x, y)

        def step(b: Body, i: SSAValue, piece: Piece, carried: Values) -> Values:
            values = piece.load(b, base, b.sum(at, i), bound(self.element))
            pairs = zip(values, carried, strict=True)
            return [better(b, *pair, piece.lanes) for pair in pairs]

        initial = [
            Numbers(b, self.element, lanes).const(bound(self.element))
            for lanes in self.strips.carried
        ]
        signed, unsigned, floats = _ACROSS[self.kind]
        kind = floats if is_float(self.element) else signed
        if is_unsigned(self.element):
            kind = unsigned
        return self.strips.joined(
            b,
            self.strips.fold(b, extent, initial, step),
            better,
            lambda b, v: Numbers(b, self.element).across(kind, v),
        )

    def _place(
        self, b: Body, base: SSAValue, at: SSAValue, extent: SSAValue, best: SSAValue
    ) -> SSAValue:
        """Return where the first or the last element equal to `best` stands."""
        lanes = self.strips.lanes
        wanted = {n: Piece(n).spread(b, best) for n in (0, lanes)}
        nowhere = -1 if self.last else highest(i32)

        def further(b: Body, x: SSAValue, y: SSAValue, lanes: int) -> SSAValue:
            n = Numbers(b, i32, lanes)
            return n.maximum(x, y) if self.last else n.minimum(x, y)

        def step(b: Body, i: SSAValue, piece: Piece, carried: Values) -> Values:
            n, places = (Numbers(b, t, piece.lanes) for t in (self.element, i32))
            cast = arith.IndexCastOp.create(operands=[i], result_types=[i32])
            start = b.add(cast)
            found: Values = []
            values = piece.load(b, base, b.sum(at, i))
            for k, (value, old) in enumerate(zip(values, carried, strict=True)):
                place = Numbers(b, i32).add(start, b.scalar(k * lanes, i32))
                place = places.spread(place)
                if piece.lanes:
                    place = places.add(place, b.lane_numbers(i32, piece.lanes))
                is_here = n.compare("eq", value, wanted[piece.lanes])
                if piece.mask is not None:
                    is_here = b.binary(arith.AndIOp, is_here, piece.mask)
                place = places.select(is_here, place, places.const(nowhere))
                found.append(further(b, old, place, piece.lanes))
            return found

        initial = [Numbers(b, i32, n).const(nowhere) for n in self.strips.carried]
        kind = _FLAGS.MAXSI if self.last else _FLAGS.MINSI
        return self.strips.joined(
            b,
            self.strips.fold(b, extent, initial, step),
            further,
            lambda b, v: Numbers(b, i32).across(kind, v),
        )
