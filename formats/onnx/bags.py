"""Lookups of rows of a table, alone or bag by bag, which ONNX has no operators for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.embedding import (
    BagOp,
    EmbeddingBagOp,
    EmbeddingOp,
    SparseLengthsSumOp,
)
from glow.dialects.graph.scattering import ScatterNdOp
from glow.dialects.graph.tensors import Tensor
from glow.formats.onnx.nodes import NodeWriter, OnnxValue
from glow.formats.onnx.registry import onnx_form


@onnx_form(EmbeddingOp, EmbeddingBagOp, SparseLengthsSumOp)
def lookup(op: EmbeddingOp | BagOp, out: NodeWriter) -> Sequence[OnnxValue | None]:
    return out.function(op, _rows if isinstance(op, EmbeddingOp) else _bags)


def _rows(op: EmbeddingOp, out: NodeWriter) -> OnnxValue:
    """The rows, zeros for padding."""
    table, indices = out.tensor(op.table), out.tensor(op.indices)
    rows = xp.take(table, indices)
    counts = _counted(indices, op.padding_idx, table.shape[0])
    if counts is None:
        return rows
    return xp.where(counts.reshape(*indices.shape, 1), rows, out.like(0, rows))


def _counted(indices: Tensor, padding: int | None, rows: int) -> Tensor | None:
    """Return which indices are not padding, None where all are."""
    if padding is None:
        return None
    place = padding % rows
    return xp.logical_not((indices == place) | (indices == place - rows))


def _bags(op: BagOp, out: NodeWriter) -> OnnxValue:
    """Rows weighted and combined by bag; zeros for an empty bag."""
    table, indices = out.tensor(op.table), out.tensor(op.indices)
    rows, one = xp.take(table, indices), out.like(1, table)
    if op.weights is not None:
        rows = rows * out.tensor(op.weights).reshape(*indices.shape, 1)
    none = out.like(-np.inf if op.mode == "max" else 0, rows)
    counts = _counted(indices, op.padding_idx, table.shape[0])
    if counts is None:
        numbers = xp.broadcast_to(one, (*indices.shape, 1))
    else:
        counts = counts.reshape(*indices.shape, 1)
        numbers = counts.astype(table.dtype)
        rows = xp.where(counts, rows, none)
    ends = _ends(op, out)
    if ends is None:
        combine = xp.max if op.mode == "max" else xp.sum
        combined, number = combine(rows, axis=-2), xp.sum(numbers, axis=-2)
    else:
        bags = _bag_of_each(ends, indices)
        combined = _scattered(bags, rows, none, ends, op.mode)
        number = _scattered(bags, numbers, out.like(0, one), ends, "sum")
    if op.mode == "mean":
        combined = combined / xp.maximum(number, one)
    return xp.where(number == 0, out.like(0, combined), combined)


def _ends(op: BagOp, out: NodeWriter) -> Tensor | None:
    """Return where each bag ends, None where the last axis is a bag."""
    if isinstance(op, SparseLengthsSumOp):
        return xp.cumulative_sum(out.tensor(op.lengths).astype(np.int64), axis=0)
    if op.offsets is None:
        return None
    starts = out.tensor(op.offsets).astype(np.int64)
    if op.include_last_offset:
        return starts[1:]
    count = out.tensor(np.array([out.tensor(op.indices).size]))
    return xp.concat([starts[1:], count]) if starts.size else starts


def _bag_of_each(ends: Tensor, indices: Tensor) -> Tensor:
    """Return the number of the bag of each index: how many bags end before it."""
    places = np.arange(indices.size).reshape(-1, 1)
    before = (ends.reshape(1, ends.size) <= places).astype(np.int64)
    return xp.sum(before, axis=1, keepdims=True)


def _scattered(
    bags: Tensor, rows: Tensor, none: Tensor, ends: Tensor, mode: str
) -> Tensor:
    """Return rows combined by bag; those after the last bag are in none."""
    width = rows.shape[-1]
    start = xp.broadcast_to(none, (ends.size + 1, width))
    reduction = "max" if mode == "max" else "add"
    writer = rows.writer
    whole = writer.emit(ScatterNdOp, start, bags, rows, reduction=reduction)
    return whole[: ends.size]
