"""Lower embedding bags: loops over bags, over their columns, over their rows."""

from __future__ import annotations

from math import prod

from xdsl.ir import SSAValue

from glow.dialects.memory.address import Addressing, addressing_of
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.embedding import EmbeddingBagOp
from glow.lowering.memory_to_loops.axes import Axis, collapse, nest_row
from glow.lowering.memory_to_loops.kernels.bags import Bags
from glow.lowering.memory_to_loops.kernels.columns import Columns
from glow.lowering.memory_to_loops.kernels.embedding_bag import EmbeddingBag
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.layout import row_major_strides


@lowers(EmbeddingBagOp)
def lower_embedding_bag(main: Main, op: EmbeddingBagOp) -> None:
    table, result = addressing_of(op.table), addressing_of(op.result)
    if 0 in result.shape:
        return
    element = buffer_type(op.table).element_type
    rows, width = table.shape
    strides = table.strides[1], result.strides[-1]
    columns = Columns(0)
    if strides == (1, 1):
        columns = Columns.of(main.target, element, width)
    bags, bounds, row = _bags(main, op, result)
    padding = None if op.padding_idx is None else op.padding_idx.value.data % rows
    kernel = EmbeddingBag(
        element,
        buffer_type(op.indices).element_type,
        op.kind.data,
        op.weights is not None,
        padding is not None,
        columns,
        bags,
    )
    code = main.message(op, f"expected an index in [{-rows}, {rows - 1}]")
    numbers = [prod(addressing_of(op.indices).shape), _stride(op.indices)]
    numbers += [_stride(op.weights), rows, table.strides[0], padding or 0, code]
    numbers += [*columns.row(width, strides), *row]
    # Nothing can be picked of nothing: any index fails, and any element will do.
    source = op.table if rows else op.result
    given = [source, op.indices, *bounds, op.weights, op.result]
    arguments = [main.base(value) for value in given if value is not None]
    main.call(kernel, [*arguments, main.fault], numbers)


def _stride(value: SSAValue | None) -> int:
    """Return how far apart the elements of a list lie, or of what is row-major."""
    if value is None:
        return 0
    found = addressing_of(value)
    return found.strides[0] if len(found.shape) == 1 else 1


def _bags(
    main: Main, op: EmbeddingBagOp, result: Addressing
) -> tuple[Bags, list[SSAValue], list[int]]:
    """Return how bags are told, by which buffer if by any, and their row."""
    shape = addressing_of(op.indices).shape
    kind, bounds = "lengths", op.lengths
    text = f"expected lengths of 0 or more that add up to {prod(shape)}"
    if op.offsets is not None:
        kind, bounds = "offsets", op.offsets
        text = f"expected offsets that rise from 0 to at most {prod(shape)}"
    if bounds is None:
        starts = row_major_strides(shape)
        axes = [
            Axis(shape[i], (result.strides[i], starts[i]))
            for i in range(len(shape) - 1)
        ]
        axes = collapse(axes, (1, 0))
        return Bags(levels=len(axes)), [], [shape[-1], *nest_row(axes)]
    told, integer = addressing_of(bounds), buffer_type(bounds).element_type
    row = [result.shape[0], result.strides[0], told.shape[0], told.strides[0]]
    return Bags(kind, integer), [bounds], [*row, main.message(op, text)]
