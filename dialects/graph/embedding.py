"""Rows of a table that indices name: one by one, or combined bag by bag."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Literal, get_args

import numpy as np
from xdsl.dialects.builtin import AnyTensorType
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.backward import Backward
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.indexing import check_indices
from glow.dialects.graph.optional import Neutral, Neutrals
from glow.dialects.graph.presence import with_presence
from glow.dialects.graph.reordering import Order, Reordering, identity
from glow.dialects.graph.tensors import OpList
from glow.support.arrays import Array
from glow.support.op_construction import SEVERAL_OPERANDS
from glow.support.shapes import check_rank, check_shape, same_element
from glow.support.types import FLOAT, INDEX, element_of, shape_of, tensor, tensor_type

BagMode = Literal["sum", "mean", "max"]
MODES: tuple[BagMode, ...] = get_args(BagMode)


def _looked_up(
    table: Array, indices: Array, padding_idx: int | None
) -> tuple[Array, Array]:
    """Return the rows that `indices` name, and which of them count."""
    check_indices(indices, len(table))
    if padding_idx is None:
        return table[indices], np.ones(indices.shape, np.bool_)
    return table[indices], indices % len(table) != padding_idx % len(table)


def _is_padding(b: Backward, indices: Any, row: int) -> Any:
    """Return which indices, negative ones too, name a row."""
    return (indices == row) | (indices == row - b.table.shape[0])


class EmbeddingOp(GraphOp, elements=FLOAT):
    """
    The rows of `table` that `indices` name; negative ones from the end.

    Where an index is `padding_idx`, the result is 0, whatever the table holds there.

    Shapes: table [V, D] of floats, indices [I...] of i32 or i64, result [I..., D].
    Errors: indices of another type, a padding_idx that is not a row; when run, an index
    outside [-V, V - 1].
    Source: Paddle's nn.functional.embedding. PyTorch's padding_idx concerns training
    only, so that its models have none here.

    ```mlir
    %y = graph.embedding %t, %i {padding_idx = 0 : i64}
        : (tensor<100x8xf32>, tensor<2x3xi64>) -> tensor<2x3x8xf32>
    ```
    """

    @staticmethod
    def infer(
        table: SSAValue, indices: SSAValue, *, padding_idx: int | None
    ) -> AnyTensorType:
        INDEX.check(indices)
        rows, width = shape_of(table, rank=2)
        if padding_idx is not None and not -rows <= padding_idx < rows:
            raise VerifyException(
                f"expected a padding_idx in [{-rows}, {rows - 1}], got {padding_idx}"
            )
        return tensor(element_of(table), (*shape_of(indices), width))

    @staticmethod
    def compute(
        table: Array, indices: Array, *, padding_idx: int | None = None
    ) -> Array:
        rows, counts = _looked_up(table, indices, padding_idx)
        return np.where(counts[..., None], rows, np.zeros((), table.dtype))

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        outer = range(len(shape_of(self.indices)))
        return (*outer, None) if operand == 1 else (*(None for _ in outer), 1)

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        """The axes of the indices are axes of the result, in any order."""
        if operand == 0:
            return None
        result = (*order, len(order))
        return Reordering((identity(2), order), (result,), self.parameters())

    @staticmethod
    def gradient(b: Backward) -> Any:
        g = b.g
        if b.padding_idx is not None:
            rows = b.table.shape[0]
            is_padding = _is_padding(b, b.indices, b.padding_idx % rows)
            g = b.xp.where(is_padding.reshape(*b.indices.shape, 1), 0, g)
        return b.xp.index_add(b.zeros(b.table), b.indices, g, 0)


def _weighted_rows(op: Any, weights: SSAValue) -> Sequence[Operation]:
    """
    Look up and scale the rows of a bag first, and combine those in their order.

    Rows of padding become the last row of the new table, which is its padding.
    """
    new = OpList()
    indices = new.tensor(op.indices)
    rows = xp.take(new.tensor(op.table), indices.reshape(indices.size))
    table = rows * new.tensor(weights).reshape(indices.size, 1)
    order = new.tensor(np.arange(indices.size, dtype=np.int64).reshape(indices.shape))
    parameters: dict[str, int] = {}
    if op.padding_idx is not None:
        height = shape_of(op.table)[0]
        place = xp.where(indices < 0, indices + height, indices)
        is_padding = place == op.padding_idx % height
        order = xp.where(is_padding, indices.size, order)
        blank = np.zeros((1, table.shape[1]), table.dtype)
        table = xp.concat([table, new.tensor(blank)])
        parameters["padding_idx"] = indices.size
    operands = {"table": table.value, "indices": order.value, "weights": None}
    return [*new.ops, with_presence(op, operands, parameters=parameters)]


class BagOp(GraphOp, elements=FLOAT):
    """Rows of a table, weighted where there are weights, combined bag by bag."""

    @staticmethod
    def neutrals() -> Neutrals:
        whole = Neutral(1, lambda op: shape_of(op.indices), inside=_weighted_rows)
        return {"weights": whole}

    @classmethod
    def infer(
        cls,
        table: SSAValue,
        indices: SSAValue,
        bounds: SSAValue | None = None,
        weights: SSAValue | None = None,
        **parameters: Any,
    ) -> AnyTensorType:
        EmbeddingOp.infer(table, indices, padding_idx=parameters["padding_idx"])
        same_element(table, weights)
        check_shape("weights", weights, shape_of(indices))
        bags = check_rank("indices", indices, 1)[:-1]
        has_last = parameters.get("include_last_offset", False)
        if has_last and bounds is None:
            raise VerifyException("expected offsets for include_last_offset, got none")
        if bounds is not None:
            INDEX.check(bounds)
            for name, value in ((cls.operand_names()[2], bounds), ("indices", indices)):
                if len(shape_of(value)) != 1:
                    raise VerifyException(
                        f"expected {name} of rank 1, got {tensor_type(value)}"
                    )
            bags = shape_of(bounds)
        if has_last:
            if bags == (0,):
                raise VerifyException("expected a last offset, got none")
            bags = (bags[0] - 1,)
        return tensor(element_of(table), (*bags, shape_of(table)[1]))


def _combined(rows: Array, counts: Array, mode: str) -> Array:
    """Combine [..., L, D] rows where `counts` [..., L] is true."""
    kept = counts[..., None]
    number = np.sum(kept, axis=-2)
    if mode == "max":
        result = np.max(rows, axis=-2, where=kept, initial=-np.inf)
    else:
        result = np.sum(rows, axis=-2, where=kept, dtype=rows.dtype)
    if mode == "mean":
        result = result / np.maximum(number, 1).astype(rows.dtype)
    return np.where(number == 0, np.zeros((), rows.dtype), result)


def _bags(
    table: Array,
    indices: Array,
    weights: Array | None,
    ends: Sequence[int] | None,
    mode: str,
    padding_idx: int | None,
) -> Array:
    """Combine the bags that end at `ends`, each where the next one begins."""
    rows, counts = _looked_up(table, indices, padding_idx)
    rows = rows if weights is None else rows * weights[..., None]
    if ends is None:
        return _combined(rows, counts, mode)
    starts = [0, *ends][: len(ends)]
    bags = [
        _combined(rows[start:end], counts[start:end], mode)
        for start, end in zip(starts, ends, strict=True)
    ]
    return np.array(bags, table.dtype).reshape(len(ends), table.shape[1])


class EmbeddingBagOp(BagOp):
    """
    Rows of a table combined bag by bag, each given by the offset of its first index.

    A bag ends where the next one begins, the last one with the indices, or with
    `include_last_offset` where one more offset says. Without offsets, the last axis of
    the indices is a bag. Weights, 1 if absent, scale the rows first. A mean is
    the sum divided by the number of rows in the bag, weighted or not; an empty bag is 0
    in any mode, and an index that is `padding_idx` is not in its bag.

    Shapes: table [V, D] of floats, indices [N] with offsets [B] (one more with
    include_last_offset), both of i32 or i64, result [B, D]; or indices [I..., L]
    without offsets, result [I..., D]; weights as indices, of the table's type.
    Errors: indices or offsets of another type or rank, a mode other than sum, mean,
    max, weights of another shape, include_last_offset without offsets, a padding_idx
    that is not a row; when run, an index outside [-V, V - 1], offsets that do not begin
    at 0, that fall, or that go beyond N.
    Source: PyTorch's nn.functional.embedding_bag, its weights per_sample_weights. It
    takes these with sums only; the mean of weighted rows is that of FBGEMM's
    EmbeddingSpMDM (normalize_by_lengths). ONNX has no such operator.

    ```mlir
    %y = graph.embedding_bag %t, %i offsets %o : tensor<2xi64>
        weights %w : tensor<5xf32> {mode = "mean"}
        : (tensor<9x8xf32>, tensor<5xi64>) -> tensor<2x8xf32>
    ```
    """

    @staticmethod
    def compute(
        table: Array,
        indices: Array,
        offsets: Array | None = None,
        weights: Array | None = None,
        *,
        mode: BagMode = "sum",
        padding_idx: int | None = None,
        include_last_offset: bool = False,
    ) -> Array:
        ends = None
        if offsets is not None:
            bounds = offsets.tolist() + [len(indices)] * (not include_last_offset)
            if bounds[0] != 0 or sorted(bounds) != bounds or bounds[-1] > len(indices):
                raise IndexError(
                    f"expected offsets that rise from 0 to at most {len(indices)}"
                )
            ends = bounds[1:]
        return _bags(table, indices, weights, ends, mode, padding_idx)


class SparseLengthsSumOp(BagOp):
    """
    Rows of a table combined bag by bag, each given by the number of its indices.

    Modes, weights and padding are those of `graph.embedding_bag`.

    Shapes: table [V, D] of floats, indices [N] and lengths [B] of i32 or i64, weights
    [N] of the table's type, result [B, D].
    Errors: indices or lengths of another type or rank, a mode other than sum, mean,
    max, weights of another shape, a padding_idx that is not a row; when run, an index
    outside [-V, V - 1], negative lengths, or such that do not add up to N.
    Source: Caffe2's SparseLengthsSum, SparseLengthsWeightedSum and SparseLengthsMean,
    FBGEMM's EmbeddingSpMDM for the mean of weighted rows (normalize_by_lengths).

    ```mlir
    %y = graph.sparse_lengths_sum %t, %i lengths %l weights %w : tensor<5xf32>
        : (tensor<100x8xf32>, tensor<5xi64>, tensor<2xi32>) -> tensor<2x8xf32>
    ```
    """

    irdl_options = SEVERAL_OPERANDS

    assembly_format = (
        "$table `,` $indices `lengths` $lengths (`weights` $weights^ `:`"
        " type($weights))? attr-dict"
        " `:` `(` type($table) `,` type($indices) `,` type($lengths) `)`"
        " `->` type($result)"
    )

    @staticmethod
    def compute(
        table: Array,
        indices: Array,
        lengths: Array,
        weights: Array | None = None,
        *,
        mode: BagMode = "sum",
        padding_idx: int | None = None,
    ) -> Array:
        counts: list[int] = lengths.tolist()
        if min(counts, default=0) < 0 or sum(counts) != len(indices):
            raise IndexError(
                f"expected lengths of 0 or more that add up to {len(indices)}"
            )
        ends = list(accumulate(counts))
        return _bags(table, indices, weights, ends, mode, padding_idx)
