"""Lower tensor_scatter: a copy per batch, to the position of its write index."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Generic

from xdsl.dialects import arith

from glow.codegen.conditions import is_outside, select
from glow.codegen.functions import function, minimum
from glow.codegen.loops import Level, N, loop, moved, nest
from glow.codegen.strips import Strips, nest_strips
from glow.codegen.values import INDEX, Value
from glow.dialects.graph.scattering import TensorScatterOp
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.lowering.memory_to_loops.axes import axes_along, collapse
from glow.lowering.memory_to_loops.kernels.kernel import Call, Fault, Kernel, work_of
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.types import normalize_axis


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

    circular: bool
    strips: Strips

    def write(self, call: Call[TensorScatterRow[Value]]) -> None:
        row = call.row
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
            self._lines(call, first, [y + start * y_step, u])
            if self.circular:
                rest = row.count - first
                self._lines(call, rest, [y, u + first * u_step])

    def _lines(
        self, call: Call[TensorScatterRow[Value]], count: Value, starts: list[Value]
    ) -> None:
        """Copy `count` lines from `starts` on."""
        row = call.row
        along = Level(count, row.strides)
        for offsets in nest(row.before, 2, starts=starts):
            for i in loop(0, count):
                at = moved(offsets, i, along)
                for (y, u), strip in nest_strips(row.after, self.strips, at):
                    call["y"].store(call["u"].load(u, strip), y, strip)


def _around(start: Value, room: Value) -> Value:
    """Return `start` modulo `room`, which is not negative."""
    rest = function(arith.RemSIOp, start, room)
    return select(rest < 0, rest + room, rest)


@lowers(TensorScatterOp, updates=True)
def lower_tensor_scatter(main: Main, op: ApplyOp) -> None:
    buffers = [op.buffer(slot) for slot in ("result", "write_indices", "updates")]
    result, starts, updates = map(addressing_of, buffers)
    if 0 in result.shape:
        return
    p = op.graph_op().parameters()
    axis = normalize_axis(p["axis"], len(result.shape))
    circular = p["mode"] == "circular"

    axes = axes_along(result.shape, result.strides, updates.strides)
    before, after = (
        collapse(part, (0, 1)) for part in (axes[1:axis], axes[axis + 1 :])
    )
    strips = main.strips(buffers[0], unroll=2, moved=True)
    if not after or after[-1].strides != (1, 1) or after[-1].extent < strips.lanes:
        strips = Strips(0)
    room, count = result.shape[axis], updates.shape[axis]
    code = 0  # of no message: any index is taken around
    if not circular:
        code = main.message(op, f"expected a write index in [0, {room - count}]")
    moves = result.strides[0], starts.strides[0], updates.strides[0]
    strides = result.strides[axis], updates.strides[axis]
    loops = tuple(before), tuple(after)
    level = Level(result.shape[0], moves)
    row = TensorScatterRow(level, room, count, strides, code, *loops)
    work = work_of([row.batch], prod(updates.shape))
    arguments = {
        "y": main.stored(buffers[0]),
        "starts": main.base(buffers[1], compute=INDEX),
        "u": main.stored(buffers[2]),
        "fault": main.fault,
    }
    main.call(TensorScatter(circular, strips), arguments, row, work)
