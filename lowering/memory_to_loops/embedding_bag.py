"""Lower embedding bags: loops over bags, over their columns, over their rows."""

from __future__ import annotations

from math import prod

from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.dialects.graph.embedding import (
    EmbeddingBagOp,
    EmbeddingOp,
    SparseLengthsSumOp,
)
from glow.dialects.memory.address import Addressing, addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import buffer_type
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


@lowers(EmbeddingOp, contiguous=("indices",))
def lower_embedding(main: Main, op: ApplyOp) -> None:
    """The maximum of one row is the row, bit for bit; what is padding is no row."""
    indices = addressing_of(op.buffer("indices"))
    bags = Addressing((*indices.shape, 1), (*indices.strides, 1), indices.offset)
    _lower(main, op, bags, "max")


@lowers(SparseLengthsSumOp)
@lowers(EmbeddingBagOp, contiguous=("indices", "weights"))
def lower_embedding_bag(main: Main, op: ApplyOp) -> None:
    indices = addressing_of(op.buffer("indices"))
    _lower(main, op, indices, op.graph_op().parameters()["mode"])


def _lower(main: Main, op: ApplyOp, indices: Addressing, mode: str) -> None:
    """Append the call for bags that follow each other in `indices`, as seen."""
    buffers = [op.buffer(slot) for slot in ("table", "indices", "result")]
    table, _, result = map(addressing_of, buffers)
    if 0 in result.shape:
        return
    weights = op.find("weights")
    element, integer = (buffer_type(each).element_type for each in buffers[:2])
    rows, width = table.shape
    strides = table.strides[1], result.strides[-1]
    columns = Columns(0)
    if strides == (1, 1):
        columns = Columns.of(main.target, element, width)
    bags, told = _bags(main, op, indices, result)
    padding = op.graph_op().parameters()["padding_idx"]
    is_padded, is_weighted = padding is not None, weights is not None
    kernel = EmbeddingBag(
        element, integer, mode, is_weighted, is_padded, columns, *told
    )
    count = prod(indices.shape)
    row = EmbeddingBagRow(
        count,
        _stride(buffers[1]),
        _stride(weights),
        rows,
        table.strides[0],
        padding % rows if is_padded else 0,
        main.message(op, f"expected an index in [{-rows}, {rows - 1}]"),
        columns.row(width, strides),
        bags,
    )
    # Nothing can be picked of nothing: any index fails, and any element will do.
    source = buffers[0] if rows else buffers[2]
    bounds = op.find("offsets") or op.find("lengths")
    given = [source, buffers[1], bounds, weights, buffers[2]]
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
    addressing = addressing_of(value)
    if len(addressing.shape) == 1:
        return addressing.strides[0]
    if not addressing.is_contiguous:
        raise PassFailedException(
            f"expected indices and weights in a list or row-major, got {value.type}"
        )
    return 1


def _bags(
    main: Main, op: ApplyOp, indices: Addressing, result: Addressing
) -> tuple[EvenBags[int] | ToldBags[int], tuple[str, Attribute | None, int]]:
    """Return the row of the bags, and what the kernel must know of them."""
    shape = indices.shape
    kind, bounds = "lengths", op.find("lengths")
    text = f"expected lengths of 0 or more that add up to {prod(shape)}"
    if op.find("offsets") is not None:
        kind, bounds = "offsets", op.find("offsets")
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
