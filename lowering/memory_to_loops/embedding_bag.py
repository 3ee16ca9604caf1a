"""Lower embedding bags: loops over bags, over their columns, over their rows."""

from __future__ import annotations

from math import prod

from xdsl.ir import Attribute, SSAValue

from glow.dialects.memory.address import Addressing, addressing_of
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.embedding import EmbeddingBagOp
from glow.lowering.memory_to_loops.axes import Axis, collapse, levels_of
from glow.lowering.memory_to_loops.kernels.bags import EvenBags, ToldBags
from glow.lowering.memory_to_loops.kernels.columns import Columns
from glow.lowering.memory_to_loops.kernels.embedding_bag import (
    EmbeddingBag,
    EmbeddingBagRow,
)
from glow.lowering.memory_to_loops.kernels.kernel import Work, work_of
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
    bags, told = _bags(main, op, result)
    padding = None if op.padding_idx is None else op.padding_idx.value.data % rows
    kernel = EmbeddingBag(
        element,
        buffer_type(op.indices).element_type,
        op.kind.data,
        op.weights is not None,
        padding is not None,
        columns,
        *told,
    )
    count = prod(addressing_of(op.indices).shape)
    row = EmbeddingBagRow(
        count,
        _stride(op.indices),
        _stride(op.weights),
        rows,
        table.strides[0],
        padding or 0,
        main.message(op, f"expected an index in [{-rows}, {rows - 1}]"),
        columns.row(width, strides),
        bags,
    )
    # Nothing can be picked of nothing: any index fails, and any element will do.
    source = op.table if rows else op.result
    given = [source, op.indices, op.offsets or op.lengths, op.weights, op.result]
    arguments = [main.base(value) for value in given if value is not None]
    main.call(kernel, [*arguments, main.fault], row, _work(bags, count * width))


def _work(bags: EvenBags[int] | ToldBags[int], cost: int) -> Work:
    if isinstance(bags, EvenBags):
        return work_of(bags.levels, cost)
    return Work(bags.count, -(-cost // bags.count))


def _stride(value: SSAValue | None) -> int:
    """Return how far apart the elements of a list lie, or of what is row-major."""
    if value is None:
        return 0
    found = addressing_of(value)
    return found.strides[0] if len(found.shape) == 1 else 1


def _bags(
    main: Main, op: EmbeddingBagOp, result: Addressing
) -> tuple[EvenBags[int] | ToldBags[int], tuple[str, Attribute | None, int]]:
    """Return the row of the bags, and what the kernel must know of them."""
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
        levels = levels_of(collapse(axes, (1, 0)))
        return EvenBags(shape[-1], levels), ("", None, len(levels))
    told, integer = addressing_of(bounds), buffer_type(bounds).element_type
    moves = result.strides[0], told.shape[0], told.strides[0]
    row = ToldBags(result.shape[0], *moves, main.message(op, text))
    return row, (kind, integer, 0)
