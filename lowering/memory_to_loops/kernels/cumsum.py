"""Running sums along an axis."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func, vector
from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from glow.lowering.memory_to_loops.builder import INDEX, TABLE, Body, flat, function
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.nest import Level, Row, nest
from glow.lowering.memory_to_loops.kernels.numbers import Numbers
from glow.lowering.memory_to_loops.kernels.shuffles import shuffled
from glow.lowering.memory_to_loops.kernels.strips import Piece, Strips, rest_of
from glow.support.types import signless

Values = list[SSAValue]


@dataclass(frozen=True)
class _Cumsum(Kernel):
    """What both kernels have: `outer` loops, and whether sums leave out their last."""

    element: Attribute
    outer: int
    exclusive: bool

    @property
    def prefix(self) -> str:
        return "cumsum"

    def _function(self) -> tuple[FuncOp, Body, dict[str, SSAValue]]:
        memory = flat(self.element)
        arguments = [("x", memory), ("y", memory), ("rows", TABLE), ("at", INDEX)]
        return function(self.symbol, arguments)


@dataclass(frozen=True)
class CumsumColumns(_Cumsum):
    """
    Sum along any axis, one element after the other.

    On vectors, lanes are neighbours along the fastest of the other axes.
    Row: `outer` loops, the fastest axis, the axis summed (extent, strides of input and
    result each).
    """

    strips: Strips

    def build(self) -> FuncOp:
        op, b, args = self._function()
        row = Row(b, args)
        levels, ((extent, strides),) = row.levels(self.outer, 2), row.levels(1, 2)
        (axis,) = row.levels(1, 2)

        def line(b: Body, offsets: Values) -> None:
            def step(b: Body, i: SSAValue, piece: Piece) -> None:
                moves = [i, i]
                if not self.strips.lanes:
                    moves = [b.product(i, stride) for stride in strides]
                self._sums(b, args, list(map(b.sum, offsets, moves)), piece, axis)

            self.strips.each(b, extent, step)

        nest(b, levels, 2, line)
        b.do(func.ReturnOp())
        return op

    def _sums(
        self, b: Body, args: dict[str, SSAValue], at: Values, piece: Piece, axis: Level
    ) -> None:
        extent, strides = axis

        def step(b: Body, i: SSAValue, sums: Values) -> Values:
            n = Numbers(b, self.element, piece.lanes)
            source, result = (
                b.sum(start, b.product(i, stride))
                for start, stride in zip(at, strides, strict=True)
            )
            found = list(map(n.add, sums, piece.load(b, args["x"], source)))
            piece.store(b, sums if self.exclusive else found, args["y"], result)
            return found

        zero = Numbers(b, self.element, piece.lanes).const(0)
        b.loop(0, extent, 1, [zero] * piece.count, step, nonempty=True)


@dataclass(frozen=True)
class CumsumRows(_Cumsum):
    """
    Sum along an axis of unit stride: within a vector first, then onto what came before.

    `backward`: the stride is -1. Floats are not added in their order.
    Row: `outer` loops (extent, strides of input and result), the extent of the axis.
    """

    backward: bool
    lanes: int

    def build(self) -> FuncOp:
        op, b, args = self._function()
        row = Row(b, args)
        levels, extent = row.levels(self.outer, 2), row.next("extent")

        def line(b: Body, offsets: Values) -> None:
            whole = b.difference(extent, rest_of(b, extent, self.lanes))

            def several(b: Body, i: SSAValue, total: Values) -> Values:
                return [self._vector(b, args, self._at(b, offsets, i), *total)]

            def one(b: Body, i: SSAValue, total: Values) -> Values:
                return [self._scalar(b, args, self._at(b, offsets, i), *total)]

            zero = Numbers(b, self.element).const(0)
            total = b.loop(0, whole, self.lanes, [zero], several)
            b.loop(whole, extent, 1, total, one)

        nest(b, levels, 2, line)
        b.do(func.ReturnOp())
        return op

    def _at(self, b: Body, offsets: Values, i: SSAValue) -> Values:
        move = b.difference if self.backward else b.sum
        return [move(offset, i) for offset in offsets]

    def _scalar(
        self, b: Body, args: dict[str, SSAValue], at: Values, total: SSAValue
    ) -> SSAValue:
        found = Numbers(b, self.element).add(total, b.load(args["x"], at[0]))
        b.store(total if self.exclusive else found, args["y"], at[1])
        return found

    def _vector(
        self, b: Body, args: dict[str, SSAValue], at: Values, total: SSAValue
    ) -> SSAValue:
        """Store the sums of a vector; return the sum of everything so far."""
        lanes, n = self.lanes, Numbers(b, self.element, self.lanes)
        flipped, zero = range(lanes - 1, -1, -1), n.const(0)
        if self.backward:  # the first element of a vector is the last in memory
            at = [b.sum(place, 1 - lanes) for place in at]
        found = b.load_vector(args["x"], at[0], lanes=lanes)
        if self.backward:
            found = shuffled(b, found, found, flipped)
        step = 1
        while step < lanes:
            found = n.add(found, shuffled(b, zero, found, _later(lanes, step)))
            step *= 2
        last = _last_of(b, found, self.element, lanes)
        if self.exclusive:
            found = shuffled(b, zero, found, _later(lanes, 1))
        found = n.add(found, n.spread(total))
        if self.backward:
            found = shuffled(b, found, found, flipped)
        b.store_vector(found, args["y"], at[1])
        return Numbers(b, self.element).add(total, last)


def _later(lanes: int, step: int) -> list[int]:
    """Return the lanes that are x's own, `step` later, behind those of zeros."""
    return [*range(step), *range(lanes, 2 * lanes - step)]


def _last_of(b: Body, x: SSAValue, element: Attribute, lanes: int) -> SSAValue:
    extract = vector.ExtractOp.create(
        operands=[x],
        result_types=[signless(element)],
        properties={"static_position": DenseArrayBase.from_list(i64, [lanes - 1])},
    )
    return b.add(extract)
