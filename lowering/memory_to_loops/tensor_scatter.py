"""Lower tensor_scatter: a copy per batch, to where its write index says."""

from __future__ import annotations

from collections.abc import Iterable

from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.indexing import TensorScatterOp
from glow.lowering.memory_to_loops.axes import Axis, collapse, nest_row
from glow.lowering.memory_to_loops.kernels.strips import Strips
from glow.lowering.memory_to_loops.kernels.tensor_scatter import TensorScatter
from glow.lowering.memory_to_loops.main import Main, lowers


@lowers(TensorScatterOp)
def lower_tensor_scatter(main: Main, op: TensorScatterOp) -> None:
    result, updates = addressing_of(op.result), addressing_of(op.updates)
    starts, axis = addressing_of(op.write_indices), op.axis.value.data
    if 0 in result.shape:
        return

    def axes(places: Iterable[int]) -> list[Axis]:
        return [
            Axis(result.shape[i], (result.strides[i], updates.strides[i]))
            for i in places
        ]

    before = collapse(axes(range(1, axis)), (0, 1))
    after = collapse(axes(range(axis + 1, len(result.shape))), (0, 1))
    element = buffer_type(op.result).element_type
    strips = Strips.of(main.target, [element], unroll=2)
    if not after or after[-1].strides != (1, 1) or after[-1].extent < strips.lanes:
        strips = Strips(0)
    room, count = result.shape[axis], updates.shape[axis]
    kernel = TensorScatter(
        element,
        buffer_type(op.write_indices).element_type,
        op.circular is not None,
        len(before),
        len(after),
        strips,
    )
    code = 0  # of no message: any index is taken around
    if op.circular is None:
        code = main.message(op, f"expected a write index in [0, {room - count}]")
    batch = Axis(
        result.shape[0], (result.strides[0], starts.strides[0], updates.strides[0])
    )
    row = nest_row([batch])
    row += [room, count, result.strides[axis], updates.strides[axis], code]
    arguments = [main.base(v) for v in (op.result, op.write_indices, op.updates)]
    row += nest_row([*before, *after])
    main.call(kernel, [*arguments, main.fault], row)
