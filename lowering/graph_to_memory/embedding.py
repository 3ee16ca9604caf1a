"""Lower what looks rows up in a table."""

from __future__ import annotations

from glow.dialects.graph.embedding import (
    EmbeddingBagOp,
    EmbeddingOp,
    SparseLengthsSumOp,
)
from glow.dialects.memory import embedding
from glow.dialects.memory.address import Addressing, addressing_of
from glow.lowering.graph_to_memory.state import Lowering, lowers


@lowers(EmbeddingOp)
def _embedding(lowering: Lowering, op: EmbeddingOp) -> None:
    """The maximum of one row is the row, bit for bit; what is padding is no row."""
    out = lowering.destination(op.result)
    indices = lowering.contiguous(op.indices)
    a = addressing_of(indices)
    bags = lowering.view(indices, Addressing((*a.shape, 1), (*a.strides, 1), a.offset))
    absent, padding_idx = (None, None, None), op.parameters()["padding_idx"]
    new = embedding.EmbeddingBagOp(
        lowering[op.table], bags, *absent, out, kind="max", padding_idx=padding_idx
    )
    lowering.add(new)


@lowers(EmbeddingBagOp)
def _embedding_bag(lowering: Lowering, op: EmbeddingBagOp) -> None:
    new = embedding.EmbeddingBagOp(
        lowering[op.table],
        lowering.contiguous(op.indices),
        None if op.offsets is None else lowering[op.offsets],
        None,
        None if op.weights is None else lowering.contiguous(op.weights),
        lowering.destination(op.result),
        kind=op.mode,
        padding_idx=op.parameters()["padding_idx"],
        include_last_offset=op.include_last_offset,
    )
    lowering.add(new)


@lowers(SparseLengthsSumOp)
def _sparse_lengths_sum(lowering: Lowering, op: SparseLengthsSumOp) -> None:
    new = embedding.EmbeddingBagOp(
        lowering[op.table],
        lowering[op.indices],
        None,
        lowering[op.lengths],
        None if op.weights is None else lowering[op.weights],
        lowering.destination(op.result),
        kind=op.mode,
        padding_idx=op.parameters()["padding_idx"],
    )
    lowering.add(new)
