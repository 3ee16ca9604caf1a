"""Ops that put elements into an order."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import Array, GraphOp
from glow.dialects.graph.reordering import Order, Reordering, identity
from glow.support.types import (
    NUMBER,
    Tensor,
    element_of,
    normalize_axis,
    shape_of,
    tensor,
)


class TopKOp(GraphOp):
    """
    The `k` largest elements along `axis`, or the smallest, the best first, and where.

    Of equal ones the first comes first; NaN is larger than any number. What nothing
    asks for, values or indices, may be absent.

    Shapes: input any but a scalar, values as input with `k` elements along `axis`,
    indices as values, of i64.
    Errors: elements that are no numbers, an axis that the input lacks, a k below 0 or
    above what the axis has, neither result.
    Source: ONNX TopK-24, always sorted.

    ```mlir
    %v, %i = graph.top_k %x {k = 3 : i64, largest}
        : tensor<2x8xf32> values tensor<2x3xf32> indices tensor<2x3xi64>
    ```
    """

    assembly_format = (
        "$input attr-dict `:` type($input) (`values` type($values)^)?"
        " (`indices` type($indices)^)?"
    )

    @staticmethod
    def infer(input: SSAValue, *, k: int, axis: int) -> tuple[Tensor, Tensor]:
        NUMBER.check(input)
        shape = shape_of(input)
        at = normalize_axis(axis, len(shape))
        if not 0 <= k <= shape[at]:
            raise VerifyException(f"expected a k from 0 to {shape[at]}, got {k}")
        kept = (*shape[:at], k, *shape[at + 1 :])
        return tensor(element_of(input), kept), tensor(i64, kept)

    @staticmethod
    def compute(
        input: Array,
        *,
        k: int,
        axis: int = -1,
        largest: bool = True,
        with_values: bool = True,
        with_indices: bool = True,
    ) -> tuple[Array, ...]:
        lines = np.flip(input, axis) if largest else input
        order = np.argsort(lines, axis=axis, kind="stable")
        if largest:
            order = input.shape[axis] - 1 - np.flip(order, axis)
        order = np.take(order, range(k), axis)
        values = np.take_along_axis(input, order, axis)
        return (values,) * with_values + (order,) * with_indices

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        return identity(len(shape_of(self.input)))

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        return self.along_axis(order)
