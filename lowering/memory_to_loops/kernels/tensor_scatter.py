"""Lines of a cache, written from a place on that is known only at run time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic

from xdsl.dialects import arith
from xdsl.ir import Attribute

from glow.codegen.functions import function, minimum
from glow.codegen.loops import Level, N, levels_like, loop, moved, nest
from glow.codegen.memory import Strips, nest_strips
from glow.codegen.values import INDEX, Value, is_outside, select
from glow.lowering.memory_to_loops.kernels.faults import Fault
from glow.lowering.memory_to_loops.kernels.kernel import (
    FAULT,
    Call,
    Kernel,
    Operand,
)


@dataclass(frozen=True)
class TensorScatterRow(Generic[N]):
    """
    The batch (strides of y, starts, u); places along the axis in y and in u.

    Then the strides of both along it, the fault code, the loops before it and over a
    line (strides of y, u).
    """

    batch: Level[N]
    room: N
    count: N
    strides: tuple[N, N]
    code: N
    before: tuple[Level[N], ...]
    after: tuple[Level[N], ...]


@dataclass(frozen=True)
class TensorScatter(Kernel):
    """
    Copy lines to where a batch's write index says; beyond the end on from the front.

    Where it is not `circular`, an index that leaves too little room is reported, and
    nothing is written. On vectors, a line has unit stride along its fastest axis on
    both sides.
    Unit: an element of the batch.
    """

    element: Attribute
    integer: Attribute
    circular: bool
    before: int
    after: int
    strips: Strips

    @property
    def prefix(self) -> str:
        return "tensor_scatter"

    def operands(self) -> Mapping[str, Operand]:
        data = Operand(self.element)
        starts = Operand(self.integer, INDEX)
        return {"y": data, "starts": starts, "u": data, "fault": FAULT}

    def row(self) -> TensorScatterRow[int]:
        (batch,) = levels_like(1, 3)
        loops = (levels_like(self.before, 2), levels_like(self.after, 2))
        return TensorScatterRow(batch, 0, 0, (0, 0), 0, *loops)

    def write(self, call: Call, row: TensorScatterRow[Value]) -> None:
        y_step, u_step = row.strides
        for y, place, u in nest([row.batch], 3, bounds=call.range):
            start = call["starts"][place]
            if self.circular:
                start = _around(start, row.room)
                first = minimum(row.count, row.room - start)
            else:
                is_wrong = is_outside(start, row.room - row.count + 1)
                Fault(call["fault"], row.code).report(is_wrong)
                first = select(is_wrong, 0, row.count)
            self._lines(call, row, first, [y + start * y_step, u])
            if self.circular:
                rest = row.count - first
                self._lines(call, row, rest, [y, u + first * u_step])

    def _lines(
        self,
        call: Call,
        row: TensorScatterRow[Value],
        count: Value,
        starts: list[Value],
    ) -> None:
        """Copy `count` lines from `starts` on."""
        along = Level(count, row.strides)
        for offsets in nest(row.before, 2, starts=starts):
            for i in loop(0, count):
                at = moved(offsets, i, along)
                for (y, u), strip in nest_strips(row.after, self.strips, at):
                    call["y"].store(call["u"].load(u, strip), y, strip)


def _around(start: Value, room: Value) -> Value:
    """Return the place within `room` that is whole rounds from `start`."""
    rest = function(arith.RemSIOp, start, room)
    return select(rest < 0, rest + room, rest)
