"""Elements along an axis, each at the place that its own index names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import arith, func, scf, vector
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Region, SSAValue

from glow.lowering.memory_to_loops.builder import INDEX, Body
from glow.lowering.memory_to_loops.kernels.faults import (
    checked_index,
    reporter,
    reporting_function,
)
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.nest import Row, nest
from glow.lowering.memory_to_loops.kernels.numbers import Numbers
from glow.lowering.memory_to_loops.kernels.strips import Piece, Strips, rest_of

Values = list[SSAValue]

AT_ONCE = 4


@dataclass(frozen=True)
class ElementPicks(Kernel):
    """
    Copy an element per index; one out of range is reported and taken as 0.

    The indices of a line are neighbours. They are checked before, on vectors; only if
    one is out of range does each element check its own.
    Row: `outer` loops (extent; strides of x, indices, y), the line (extent; strides of
    x, y), the extent and the stride in x of the axis picked from, the fault code.
    """

    element: Attribute
    integer: Attribute
    outer: int
    along: bool
    strips: Strips

    @property
    def prefix(self) -> str:
        return "gather_elements"

    def build(self) -> FuncOp:
        buffers = {"x": self.element, "indices": self.integer, "y": self.element}
        op, b, args = reporting_function(self.symbol, buffers)
        row = Row(b, args)
        outer, ((count, moves),) = row.levels(self.outer, 3), row.levels(1, 2)
        extent, stride = row.next("picked"), row.next("picked_stride")
        report = reporter(args["fault"], row.next("code"))

        def line(b: Body, offsets: Values) -> None:
            x, first, y = offsets

            def copy(b: Body, i: SSAValue, found: SSAValue) -> None:
                at, to = b.sum(x, found), b.sum(y, i)
                if not self.along:
                    at = b.sum(x, b.product(found, stride))
                    at = b.sum(at, b.product(i, moves[0]))
                    to = b.sum(y, b.product(i, moves[1]))
                b.store(b.load(args["x"], at), args["y"], to)

            def checked(b: Body, i: SSAValue) -> None:
                index = b.load(args["indices"], b.sum(first, i))
                copy(b, i, checked_index(b, index, extent, report))

            def trusted(b: Body, i: SSAValue) -> None:
                index = b.load(args["indices"], b.sum(first, i))
                copy(b, i, _from_front(b, index, extent))

            is_wrong = self._is_any_outside(b, args["indices"], first, count, extent)
            each = _branch(b, lambda b: b.each(0, count, checked, nonempty=True))
            fast = _branch(b, lambda b: _unrolled(b, count, trusted))
            b.do(scf.IfOp(is_wrong, [], each, fast))

        nest(b, outer, 3, line)
        b.do(func.ReturnOp())
        return op

    def _is_any_outside(
        self,
        b: Body,
        indices: SSAValue,
        first: SSAValue,
        count: SSAValue,
        extent: SSAValue,
    ) -> SSAValue:
        """Return whether some index plus `extent` is, without a sign, too large."""
        shift = self._integer(b, extent)

        def step(b: Body, i: SSAValue, piece: Piece, carried: Values) -> Values:
            n = Numbers(b, self.integer, piece.lanes)
            values = piece.load(b, indices, b.sum(first, i))
            return [
                b.binary(arith.MaxUIOp, most, n.add(value, n.spread(shift)))
                for most, value in zip(carried, values, strict=True)
            ]

        initial = [Numbers(b, self.integer, k).const(0) for k in self.strips.carried]
        most = self.strips.joined(
            b,
            self.strips.fold(b, count, initial, step),
            lambda b, x, y, lanes: b.binary(arith.MaxUIOp, x, y),
            lambda b, v: Numbers(b, self.integer).across(
                vector.CombiningKindFlag.MAXUI, v
            ),
        )
        limit = self._integer(b, b.product(extent, 2))
        return b.add(arith.CmpiOp(most, limit, "uge"))

    def _integer(self, b: Body, value: SSAValue) -> SSAValue:
        cast = arith.IndexCastOp.create(operands=[value], result_types=[self.integer])
        return b.add(cast)


def _from_front(b: Body, value: SSAValue, extent: SSAValue) -> SSAValue:
    """Return an index that is in range, counted from the front."""
    n = Numbers(b, INDEX)
    index = b.add(arith.IndexCastOp.create(operands=[value], result_types=[INDEX]))
    is_from_end = n.compare("lt", index, b.const(0))
    return n.select(is_from_end, b.sum(index, extent), index)


def _branch(b: Body, body: Callable[[Body], None]) -> Region:
    inner = Body(Block(), b.consts, b.entry)
    body(inner)
    inner.do(scf.YieldOp())
    return Region(inner.block)


def _unrolled(b: Body, count: SSAValue, step: Callable[[Body, SSAValue], None]) -> None:
    """Append a loop over `count` that takes several steps at once."""
    whole = b.difference(count, rest_of(b, count, AT_ONCE))

    def several(b: Body, i: SSAValue) -> None:
        for k in range(AT_ONCE):
            step(b, b.sum(i, k))

    b.each(0, whole, several, step=AT_ONCE)
    b.each(whole, count, step)
