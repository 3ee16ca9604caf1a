"""Lower gathers and scatters by tuples: loops over the tuples, and over a slice."""

from __future__ import annotations

from xdsl.ir import SSAValue

from glow.dialects.memory.address import Addressing, addressing_of
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.indexing import GatherNdOp, ScatterNdOp
from glow.lowering.memory_to_loops.axes import Axis, collapse, nest_row
from glow.lowering.memory_to_loops.kernels.element_picks import ElementPicks
from glow.lowering.memory_to_loops.kernels.picks import CHECK, Picks
from glow.lowering.memory_to_loops.kernels.strips import Strips
from glow.lowering.memory_to_loops.main import Main, lowers


@lowers(GatherNdOp)
def lower_gather_nd(main: Main, op: GatherNdOp) -> None:
    if not _lower_elements(main, op):
        _lower(main, op, "gather", op.data, op.result)


@lowers(ScatterNdOp)
def lower_scatter_nd(main: Main, op: ScatterNdOp) -> None:
    _lower(main, op, op.kind.data, op.result, op.updates)


def _lower_elements(main: Main, op: GatherNdOp) -> bool:
    """Append the call for single elements by lines of indices, if these are such."""
    picked, dense = addressing_of(op.data), addressing_of(op.result)
    indices, batch = addressing_of(op.indices), op.batch_dims.value.data
    is_one = len(picked.shape) == batch + 1 and indices.shape[-1] == 1
    if not is_one or 0 in dense.shape or 0 in picked.shape:
        return False
    loops = collapse(_loops(picked, indices, dense, batch), (2, 1))
    element, integer = (buffer_type(v).element_type for v in (op.data, op.indices))
    strips = Strips.of(main.target, [integer], unroll=2)
    if not loops or loops[-1].strides[1] != 1 or loops[-1].extent < strips.lanes:
        return False
    *outer, line = loops
    extent, stride = picked.shape[-1], picked.strides[-1]
    code = main.message(op, f"expected an index in [{-extent}, {extent - 1}]")
    row = [*nest_row(outer), line.extent, line.strides[0], line.strides[2]]
    along = (line.strides[0], line.strides[2], stride) == (0, 1, 1)
    kernel = ElementPicks(element, integer, len(outer), along, strips)
    arguments = [main.base(v) for v in (op.data, op.indices, op.result)]
    main.call(kernel, [*arguments, main.fault], [*row, extent, stride, code])
    return True


def _lower(
    main: Main, op: GatherNdOp | ScatterNdOp, kind: str, x: SSAValue, y: SSAValue
) -> None:
    """Append the call that moves slices between places in `x` and dense `y`."""
    picked, dense = addressing_of(x), addressing_of(y)
    indices, batch = addressing_of(op.indices), op.batch_dims.value.data
    if 0 in dense.shape:
        return
    count, loops = indices.shape[-1], len(indices.shape) - 1
    # Of slices that are written twice, the last one must come last.
    is_any_order = kind == "gather" or loops - batch < 2
    outer = collapse(_loops(picked, indices, dense, batch), (2, 1) * is_any_order)
    row = nest_row(outer)
    for k in range(count):
        extent, stride = picked.shape[batch + k], picked.strides[batch + k]
        message = f"expected an index in [{-extent}, {extent - 1}]"
        row += [extent, stride, indices.strides[-1], main.message(op, message)]
    slices = _slices(picked, dense, batch + count, loops)
    strips = Strips.of(main.target, [buffer_type(x).element_type], unroll=2)
    if not slices or slices[-1].strides != (1, 1) or slices[-1].extent < strips.lanes:
        strips = Strips(0)
    if 0 in picked.shape:  # nothing can be picked: any index fails
        kind, x, slices, strips = CHECK, y, [], Strips(0)
    element, integer = (buffer_type(value).element_type for value in (x, op.indices))
    kernel = Picks(kind, element, integer, len(outer), count, len(slices), strips)
    arguments = [main.base(x), main.base(op.indices), main.base(y), main.fault]
    main.call(kernel, arguments, [*row, *nest_row(slices)])


def _loops(
    picked: Addressing, indices: Addressing, dense: Addressing, batch: int
) -> list[Axis]:
    """Return the axes over the tuples, with strides of all three."""
    return [
        Axis(
            extent,
            (
                picked.strides[axis] if axis < batch else 0,
                indices.strides[axis],
                dense.strides[axis],
            ),
        )
        for axis, extent in enumerate(indices.shape[:-1])
    ]


def _slices(
    picked: Addressing, dense: Addressing, first: int, other: int
) -> list[Axis]:
    """Return the axes of a slice, from `first` of one side and `other` of the other."""
    pairs = zip(picked.strides[first:], dense.strides[other:], strict=True)
    return collapse(
        [
            Axis(extent, strides)
            for extent, strides in zip(picked.shape[first:], pairs, strict=True)
        ],
        (1, 0),
    )
