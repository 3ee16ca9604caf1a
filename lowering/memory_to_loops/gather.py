"""Lower gathers: loops around the picked axis, over the indices, over a slice."""

from __future__ import annotations

from math import prod

from glow.codegen.memory import Strips
from glow.dialects.graph.indexing import GatherOp
from glow.dialects.memory.address import Addressing, addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import buffer_type
from glow.lowering.memory_to_loops.axes import Axis, collapse, levels_of
from glow.lowering.memory_to_loops.kernels.gather import Gather, GatherRow
from glow.lowering.memory_to_loops.kernels.kernel import work_of
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.types import normalize_axis


@lowers(GatherOp)
def lower_gather(main: Main, op: ApplyOp) -> None:
    buffers = [op.buffer(slot) for slot in ("data", "indices", "result")]
    data, indices, result = map(addressing_of, buffers)
    if 0 in result.shape:
        return
    axis = normalize_axis(op.graph_op().parameters()["axis"], len(data.shape))
    count = len(indices.shape)
    before = _paired(data, result, range(axis), 0)
    index = _paired(indices, result, range(count), axis)
    after = _paired(data, result, range(axis + 1, len(data.shape)), count - 1)
    if prod(indices.shape) == 1:  # read it once, whatever lies before its axis
        before, after = [], collapse([*before, *after], (1, 0))
    element, integer = (buffer_type(each).element_type for each in buffers[:2])
    strips = Strips.of(main.target, [element], unroll=2)
    if not after or after[-1].strides != (1, 1) or after[-1].extent < strips.lanes:
        strips = Strips(0)
    kernel = Gather(element, integer, len(before), len(index), len(after), strips)
    extent = data.shape[axis]
    code = main.message(op, f"expected an index in [{-extent}, {extent - 1}]")
    row = GatherRow(
        *(levels_of(before), levels_of(index), levels_of(after)),
        *(extent, data.strides[axis], code),
    )
    # Nothing can be picked of nothing: any index fails, and any element will do.
    buffers[0] = buffers[0] if extent else buffers[2]
    work = work_of([*row.before, *row.index], prod(result.shape))
    main.call(kernel, [*map(main.base, buffers), main.fault], row, work)


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
