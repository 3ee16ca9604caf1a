"""Reductions to an index: where along an axis the best element stands."""

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import Array, GraphOp
from glow.dialects.graph.reduction import reduced_map, reduced_order, reduced_shape
from glow.dialects.graph.reordering import Order, Reordering
from glow.support.types import NUMBER, Tensor, normalize_axis, shape_of, tensor


class ArgReductionOp(GraphOp):
    """
    The index of one element along `axis`.

    Of several that are best the first is taken, or the last with
    `select_last_index`. NaN is never best, unless it comes first: then it is.
    """

    @staticmethod
    def infer(input: SSAValue, *, axis: int, keepdims: bool) -> Tensor:
        NUMBER.check(input)
        shape = shape_of(input)
        axis = normalize_axis(axis, len(shape))
        if shape[axis] == 0:
            raise VerifyException(f"expected elements along axis {axis}, got none")
        return tensor(i64, reduced_shape(shape, (axis,), keepdims))

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        rank = len(shape_of(self.input))
        axis = normalize_axis(self.axis, rank)
        return reduced_map(rank, (axis,), self.keepdims)

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        axis = normalize_axis(self.axis, len(order))
        result = reduced_order(order, (axis,), self.keepdims)
        moved = self.parameters() | {"axis": order.index(axis)}
        return Reordering((order,), (result,), moved)


def index_of(x: Array, best: Array, axis: int, keepdims: bool, last: bool) -> Array:
    """Return the index along `axis` of the first or last element equal to `best`."""
    first_is_nan = np.isnan(np.take(x, [0], axis))
    hits = (x == best) & ~first_is_nan
    index = np.argmax(np.flip(hits, axis) if last else hits, axis, keepdims=True)
    if last:
        index = np.where(hits.any(axis, keepdims=True), x.shape[axis] - 1 - index, 0)
    return index if keepdims else np.squeeze(index, axis)


class ArgMaxOp(ArgReductionOp):
    """
    The index of the largest element along `axis`.

    Shapes: input any, result without `axis`, or with extent 1 along it.
    Errors: no elements along `axis`.
    Source: ONNX ArgMax-13; NaN as in ONNX Runtime.

    ```mlir
    %y = graph.arg_max %x {axis = 1, keepdims}
        : (tensor<2x3xf32>) -> tensor<2x1xi64>
    ```
    """

    @staticmethod
    def compute(
        input: Array,
        *,
        axis: int = 0,
        keepdims: bool = True,
        select_last_index: bool = False,
    ) -> Array:
        best = np.fmax.reduce(input, axis, keepdims=True)
        return index_of(input, best, axis, keepdims, select_last_index)


class ArgMinOp(ArgReductionOp):
    """
    The index of the smallest element along `axis`.

    Shapes: input any, result without `axis`, or with extent 1 along it.
    Errors: no elements along `axis`.
    Source: ONNX ArgMin-13; NaN as in ONNX Runtime.

    ```mlir
    %y = graph.arg_min %x {axis = 1, keepdims}
        : (tensor<2x3xf32>) -> tensor<2x1xi64>
    ```
    """

    @staticmethod
    def compute(
        input: Array,
        *,
        axis: int = 0,
        keepdims: bool = True,
        select_last_index: bool = False,
    ) -> Array:
        best = np.fmin.reduce(input, axis, keepdims=True)
        return index_of(input, best, axis, keepdims, select_last_index)
