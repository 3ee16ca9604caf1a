"""Lower tensor_scatter: a copy per batch, to where its write index says."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from glow.codegen.loops import Level
from glow.codegen.memory import Strips
from glow.dialects.graph.scattering import TensorScatterOp
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import buffer_type
from glow.lowering.memory_to_loops.axes import Axis, collapse, levels_of
from glow.lowering.memory_to_loops.kernels.kernel import work_of
from glow.lowering.memory_to_loops.kernels.tensor_scatter import (
    TensorScatter,
    TensorScatterRow,
)
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.types import normalize_axis


@lowers(TensorScatterOp, updates=True)
def lower_tensor_scatter(main: Main, op: ApplyOp) -> None:
    buffers = [op.buffer(slot) for slot in ("result", "write_indices", "updates")]
    result, starts, updates = map(addressing_of, buffers)
    if 0 in result.shape:
        return
    p = op.graph_op().parameters()
    axis = normalize_axis(p["axis"], len(result.shape))
    circular = p["mode"] == "circular"

    def axes(places: Iterable[int]) -> list[Axis]:
        return [
            Axis(result.shape[i], (result.strides[i], updates.strides[i]))
            for i in places
        ]

    before = collapse(axes(range(1, axis)), (0, 1))
    after = collapse(axes(range(axis + 1, len(result.shape))), (0, 1))
    element, integer = (buffer_type(each).element_type for each in buffers[:2])
    strips = Strips.of(main.target, [element], unroll=2)
    if not after or after[-1].strides != (1, 1) or after[-1].extent < strips.lanes:
        strips = Strips(0)
    room, count = result.shape[axis], updates.shape[axis]
    kernel = TensorScatter(element, integer, circular, len(before), len(after), strips)
    code = 0  # of no message: any index is taken around
    if not circular:
        code = main.message(op, f"expected a write index in [0, {room - count}]")
    batch = Axis(
        result.shape[0], (result.strides[0], starts.strides[0], updates.strides[0])
    )
    strides = result.strides[axis], updates.strides[axis]
    loops = levels_of(before), levels_of(after)
    level = Level(batch.extent, batch.strides)
    row = TensorScatterRow(level, room, count, strides, code, *loops)
    work = work_of([row.batch], prod(updates.shape))
    main.call(kernel, [*map(main.base, buffers), main.fault], row, work)
