"""Lower gathers: loops around the picked axis, over the indices, over a slice."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Generic

from glow.codegen.loops import Level, N, nest
from glow.codegen.memory import Strips, nest_strips
from glow.codegen.values import Value, index
from glow.dialects.graph.indexing import GatherOp
from glow.dialects.memory.address import Addressing, addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import buffer_type
from glow.lowering.memory_to_loops.axes import Axis, collapse, levels_of
from glow.lowering.memory_to_loops.kernels.faults import Fault
from glow.lowering.memory_to_loops.kernels.kernel import (
    Call,
    Kernel,
    work_of,
)
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.types import normalize_axis


@dataclass(frozen=True)
class GatherRow(Generic[N]):
    """
    Loops before the picked axis, over the indices, and over a slice.

    Strides are those of data and result; of indices and result over the indices.
    """

    before: tuple[Level[N], ...]
    index: tuple[Level[N], ...]
    after: tuple[Level[N], ...]
    extent: N
    stride: N
    code: N


@dataclass(frozen=True)
class Gather(Kernel):
    """
    Copy a slice per index; an index out of range is reported and taken as 0.

    On vectors, a slice has unit stride along its fastest axis on both sides.
    Unit: an iteration of the outermost loop before the slice.
    """

    strips: Strips

    def write(self, call: Call, row: GatherRow[Value]) -> None:
        data, indices, y = call["data"], call["indices"], call["y"]
        fault = Fault(call["fault"], row.code)
        outer = call.range if row.before else None
        inner = None if row.before else call.range
        for source, result in nest(row.before, 2, bounds=outer):
            places = nest(row.index, 2, starts=[index(0), result], bounds=inner)
            for place, to in places:
                picked = fault.checked(indices[place], row.extent)
                starts = [source + picked * row.stride, to]
                for (at, out), strip in nest_strips(row.after, self.strips, starts):
                    y.store(data.load(at, strip), out, strip)


@lowers(GatherOp)
def lower_gather(main: Main, op: ApplyOp) -> None:
    buffers = [op.buffer(slot) for slot in ("data", "indices", "result")]
    data, indices, result = map(addressing_of, buffers)
    axis = normalize_axis(op.graph_op().parameters()["axis"], len(data.shape))
    count = len(indices.shape)
    before = _paired(data, result, range(axis), 0)
    index = _paired(indices, result, range(count), axis)
    after = _paired(data, result, range(axis + 1, len(data.shape)), count - 1)
    if prod(indices.shape) == 1:  # read it once, whatever lies before its axis
        before, after = [], collapse([*before, *after], (1, 0))
    strips = Strips.of(main.target, [buffer_type(buffers[0]).element_type], unroll=2)
    if not after or after[-1].strides != (1, 1) or after[-1].extent < strips.lanes:
        strips = Strips(0)
    extent, step = data.shape[axis], data.strides[axis]
    code = main.message(op, f"expected an index in [{-extent}, {extent - 1}]")
    row = GatherRow(
        *(levels_of(before), levels_of(index), levels_of(after)),
        *(extent, step, code),
    )
    # Nothing can be picked of nothing: any index fails, and any element will do.
    data = buffers[0 if extent else 2]
    arguments = {
        "data": main.stored(data),
        "indices": main.base(buffers[1]),
        "y": main.stored(buffers[2]),
        "fault": main.fault,
    }
    work = work_of([*row.before, *row.index], prod(result.shape))
    main.call(Gather(strips), arguments, row, work)


def _paired(
    source: Addressing, result: Addressing, axes: range, shift: int
) -> list[Axis]:
    """Return axes of `source` with those of the result, `shift` later, merged."""
    return collapse(
        [
            Axis(source.shape[i], (source.strides[i], result.strides[i + shift]))
            for i in axes
        ],
        (1, 0),
    )
