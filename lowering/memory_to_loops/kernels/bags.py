"""Which of a list belong together: told by lengths, by offsets, or evenly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import Attribute, SSAValue

from glow.lowering.memory_to_loops.builder import INDEX, Body, flat
from glow.lowering.memory_to_loops.kernels.faults import Report, reporter
from glow.lowering.memory_to_loops.kernels.nest import Row, nest

Values = list[SSAValue]


@dataclass(frozen=True)
class Bag:
    """Where the result of a bag goes, the first of the list in it, and how many."""

    result: SSAValue
    start: SSAValue
    count: SSAValue


@dataclass(frozen=True)
class Bags:
    """
    Loops over bags, which follow each other in a list.

    `kind` is lengths or offsets, integers of a buffer `bounds`; what does not fit is
    reported, and its bag empty. Without, `levels` loops are over bags of one size.
    Row: bags, stride of the result, bounds, their stride, the fault code; without
    bounds, the size of a bag and `levels` loops (extent; strides of result and list).
    """

    kind: str = ""
    integer: Attribute | None = None
    levels: int = 0

    @property
    def arguments(self) -> list[tuple[str, Attribute]]:
        """The arguments of a kernel with such bags."""
        return [] if self.integer is None else [("bounds", flat(self.integer))]

    def each(
        self,
        b: Body,
        row: Row,
        args: dict[str, SSAValue],
        total: SSAValue,
        body: Callable[[Body, Bag], None],
    ) -> None:
        """Append loops that call `body` for each bag of a list of `total`."""
        if self.integer is None:
            size = row.next("size")
            nest(b, row.levels(self.levels, 2), 2,
                 lambda b, at: body(b, Bag(at[0], at[1], size)))  # fmt: skip
            return
        count, stride, bounds, step = row.take(4, "bags")
        told = _Told(args["bounds"], bounds, step, total)
        report = reporter(args["fault"], row.next("code"))
        if self.kind == "offsets":
            report(b, _compare(b, told.load(b, b.const(0)), b.const(0), "ne"))

        def bag(b: Body, i: SSAValue, carried: Values) -> Sequence[SSAValue]:
            (start,) = carried
            size = self._size(b, told, start, i, report)
            body(b, Bag(b.product(i, stride), start, size))
            return [b.sum(start, size)]

        (end,) = b.loop(0, count, 1, [b.const(0)], bag, nonempty=True)
        if self.kind == "lengths":
            report(b, _compare(b, end, total, "ne"))

    def _size(
        self, b: Body, told: _Told, start: SSAValue, i: SSAValue, report: Report
    ) -> SSAValue:
        """Return the size of the bag that begins at `start`; 0 if it does not fit."""
        if self.kind == "lengths":
            size = told.load(b, i)
            room = b.difference(told.total, start)
            # A negative number is a large one without a sign.
            is_outside = _compare(b, size, room, "ugt")
        else:
            end = told.end(b, i)
            size = b.difference(end, start)
            is_beyond = _compare(b, end, told.total, "ugt")
            falls = _compare(b, end, start, "slt")
            is_outside = b.binary(arith.OrIOp, is_beyond, falls)
        report(b, is_outside)
        return b.add(arith.SelectOp(is_outside, b.const(0), size))


@dataclass(frozen=True)
class _Told:
    """The buffer that tells lengths or offsets, and the size of the list."""

    buffer: SSAValue
    count: SSAValue
    stride: SSAValue
    total: SSAValue

    def load(self, b: Body, i: SSAValue) -> SSAValue:
        found = b.load(self.buffer, b.product(i, self.stride))
        return b.add(arith.IndexCastOp.create(operands=[found], result_types=[INDEX]))

    def end(self, b: Body, i: SSAValue) -> SSAValue:
        """Return the offset behind the `i`-th: the total, if there is none."""
        following = b.sum(i, 1)
        is_last = _compare(b, following, self.count, "eq")
        place = b.add(arith.SelectOp(is_last, b.const(0), following))
        return b.add(arith.SelectOp(is_last, self.total, self.load(b, place)))


def _compare(b: Body, x: SSAValue, y: SSAValue, predicate: str) -> SSAValue:
    return b.add(arith.CmpiOp(x, y, predicate))
