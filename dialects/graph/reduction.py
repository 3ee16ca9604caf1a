"""Reductions: one value out of all along some axes."""

from math import prod
from typing import Any, ClassVar

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    irdl_op_definition,
    operand_def,
    result_def,
)

from glow.dialects.graph.base import Array, GraphOp
from glow.dialects.graph.binary import DivOp
from glow.dialects.graph.reordering import Order, Reordering
from glow.support.element_conversion import convert
from glow.support.types import (
    ANY,
    WIDE_NUMBER,
    ElementSet,
    Tensor,
    element_of,
    normalize_axes,
    shape_of,
    tensor,
)

Axes = tuple[int, ...]


def reduced_shape(shape: Axes, axes: Axes, keepdims: bool) -> Axes:
    """Return `shape` with extent 1 along `axes`, or without them."""
    if keepdims:
        return tuple(1 if i in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axes)


def reduced_map(rank: int, axes: Axes, keepdims: bool) -> tuple[int | None, ...]:
    """Say which axis each axis of a reduction's result runs along."""
    if keepdims:
        return tuple(None if i in axes else i for i in range(rank))
    return tuple(i for i in range(rank) if i not in axes)


def reduced_order(order: Order, axes: Axes, keepdims: bool) -> Order:
    """Return the order of a reduction's result when the operand came into `order`."""
    if keepdims:
        return order
    kept = [axis for axis in sorted(order) if axis not in axes]
    return tuple(kept.index(axis) for axis in order if axis not in axes)


class ReductionOp(GraphOp):
    """
    A function of all elements along `axes`; without axes, of each element alone.

    A subclass says which elements it takes.
    """

    ELEMENTS: ClassVar[ElementSet] = WIDE_NUMBER

    input = operand_def(TensorType.constr(AnyAttr()))
    result = result_def(TensorType.constr(AnyAttr()))

    assembly_format = "$input attr-dict `:` functional-type(operands, results)"

    @classmethod
    def infer(cls, input: SSAValue, *, axes: Axes, keepdims: bool) -> Tensor:
        cls.ELEMENTS.check(input)
        shape = shape_of(input)
        reduced = normalize_axes(axes, len(shape))
        return tensor(element_of(input), reduced_shape(shape, reduced, keepdims))

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        rank = len(shape_of(self.input))
        axes = normalize_axes(self.axes, rank)
        return reduced_map(rank, axes, self.keepdims)

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        axes = normalize_axes(self.axes, len(order))
        result = reduced_order(order, axes, self.keepdims)
        moved = sorted(order.index(axis) for axis in axes)
        return Reordering((order,), (result,), self.parameters() | {"axes": moved})


def total(x: Array, axes: Axes, keepdims: bool) -> Array:
    """Return the sum along `axes`, in the type of `x`."""
    return np.sum(x, axis=axes, dtype=x.dtype, keepdims=keepdims)


def largest(x: Array, axes: Axes, keepdims: bool) -> Array:
    """Return the maximum along `axes`: of nothing the lowest value of the type."""
    return np.max(x, axis=axes, keepdims=keepdims, initial=limits_of(x.dtype)[0])


def limits_of(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """Return the lowest and highest value of `dtype`, infinities included."""
    match dtype.kind:
        case "f":
            return -np.inf, np.inf
        case "b":
            return False, True
        case _:
            return np.iinfo(dtype).min, np.iinfo(dtype).max


@irdl_op_definition
class ReduceSumOp(ReductionOp):
    """
    The sum along axes; of nothing, 0.

    Shapes: input any, result without `axes`, or with extent 1 along them.
    Source: ONNX ReduceSum-13.

    ```mlir
    %y = graph.reduce_sum %x {axes = array<i64: 1>, keepdims}
        : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
    ```
    """

    name = "graph.reduce_sum"

    @staticmethod
    def compute(input: Array, *, axes: Axes, keepdims: bool = True) -> Array:
        return total(input, axes, keepdims)


@irdl_op_definition
class ReduceMeanOp(ReductionOp):
    """
    The mean along axes; that of integers truncates towards zero.

    Of nothing, NaN; with integers a fault of the run.

    Shapes: input any, result without `axes`, or with extent 1 along them.
    Source: ONNX ReduceMean-18.

    ```mlir
    %y = graph.reduce_mean %x {axes = array<i64: 1>, keepdims}
        : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
    ```
    """

    name = "graph.reduce_mean"

    @staticmethod
    def compute(input: Array, *, axes: Axes, keepdims: bool = True) -> Array:
        count = prod(input.shape[axis] for axis in axes)
        return DivOp.compute(total(input, axes, keepdims), input.dtype.type(count))


@irdl_op_definition
class ReduceMaxOp(ReductionOp):
    """
    The largest along axes; NaN where one is NaN.

    Of nothing, the lowest of the type: of floats -inf, of bools false.

    Shapes: input any, result without `axes`, or with extent 1 along them.
    Source: ONNX ReduceMax-20.

    ```mlir
    %y = graph.reduce_max %x {axes = array<i64: 1>, keepdims}
        : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
    ```
    """

    name = "graph.reduce_max"
    ELEMENTS: ClassVar = ANY

    @staticmethod
    def compute(input: Array, *, axes: Axes, keepdims: bool = True) -> Array:
        return largest(input, axes, keepdims)


@irdl_op_definition
class ReduceMinOp(ReductionOp):
    """
    The smallest along axes; NaN where one is NaN.

    Of nothing, the highest of the type: of floats inf, of bools true.

    Shapes: input any, result without `axes`, or with extent 1 along them.
    Source: ONNX ReduceMin-20.

    ```mlir
    %y = graph.reduce_min %x {axes = array<i64: 1>, keepdims}
        : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
    ```
    """

    name = "graph.reduce_min"
    ELEMENTS: ClassVar = ANY

    @staticmethod
    def compute(input: Array, *, axes: Axes, keepdims: bool = True) -> Array:
        highest = limits_of(input.dtype)[1]
        return np.min(input, axis=axes, keepdims=keepdims, initial=highest)


@irdl_op_definition
class ReduceProdOp(ReductionOp):
    """
    The product along axes; of nothing, 1.

    Shapes: input any, result without `axes`, or with extent 1 along them.
    Source: ONNX ReduceProd-18.

    ```mlir
    %y = graph.reduce_prod %x {axes = array<i64: 1>, keepdims}
        : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
    ```
    """

    name = "graph.reduce_prod"

    @staticmethod
    def compute(input: Array, *, axes: Axes, keepdims: bool = True) -> Array:
        return np.prod(input, axis=axes, dtype=input.dtype, keepdims=keepdims)


@irdl_op_definition
class ReduceL1Op(ReductionOp):
    """
    The sum of absolute values along axes.

    Shapes: input any, result without `axes`, or with extent 1 along them.
    Source: ONNX ReduceL1-18.

    ```mlir
    %y = graph.reduce_l1 %x {axes = array<i64: 1>, keepdims}
        : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
    ```
    """

    name = "graph.reduce_l1"

    @staticmethod
    def compute(input: Array, *, axes: Axes, keepdims: bool = True) -> Array:
        return total(np.abs(input), axes, keepdims)


@irdl_op_definition
class ReduceL2Op(ReductionOp):
    """
    The square root of the sum of squares along axes; integers truncate.

    Shapes: input any, result without `axes`, or with extent 1 along them.
    Source: ONNX ReduceL2-18.

    ```mlir
    %y = graph.reduce_l2 %x {axes = array<i64: 1>, keepdims}
        : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
    ```
    """

    name = "graph.reduce_l2"

    @staticmethod
    def compute(input: Array, *, axes: Axes, keepdims: bool = True) -> Array:
        return convert(np.sqrt(total(input * input, axes, keepdims)), input.dtype)


@irdl_op_definition
class ReduceSumSquareOp(ReductionOp):
    """
    The sum of squares along axes.

    Shapes: input any, result without `axes`, or with extent 1 along them.
    Source: ONNX ReduceSumSquare-18.

    ```mlir
    %y = graph.reduce_sum_square %x {axes = array<i64: 1>, keepdims}
        : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
    ```
    """

    name = "graph.reduce_sum_square"

    @staticmethod
    def compute(input: Array, *, axes: Axes, keepdims: bool = True) -> Array:
        return total(input * input, axes, keepdims)


@irdl_op_definition
class ReduceLogSumOp(ReductionOp):
    """
    The logarithm of the sum along axes; integers truncate.

    Shapes: input any, result without `axes`, or with extent 1 along them.
    Source: ONNX ReduceLogSum-18.

    ```mlir
    %y = graph.reduce_log_sum %x {axes = array<i64: 1>, keepdims}
        : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
    ```
    """

    name = "graph.reduce_log_sum"

    @staticmethod
    def compute(input: Array, *, axes: Axes, keepdims: bool = True) -> Array:
        return convert(np.log(total(input, axes, keepdims)), input.dtype)


@irdl_op_definition
class ReduceLogSumExpOp(ReductionOp):
    """
    The logarithm of the sum of e^x along axes, without overflow; integers truncate.

    Shapes: input any, result without `axes`, or with extent 1 along them.
    Source: ONNX ReduceLogSumExp-18.

    ```mlir
    %y = graph.reduce_log_sum_exp %x {axes = array<i64: 1>, keepdims}
        : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
    ```
    """

    name = "graph.reduce_log_sum_exp"

    @staticmethod
    def compute(input: Array, *, axes: Axes, keepdims: bool = True) -> Array:
        x = input if input.dtype.kind == "f" else input.astype(np.float64)
        peak = largest(x, axes, True)
        peak = np.where(np.isfinite(peak), peak, x.dtype.type(0))
        found = np.log(total(np.exp(x - peak), axes, True)) + peak
        shape = reduced_shape(input.shape, normalize_axes(axes, input.ndim), keepdims)
        return convert(found.reshape(shape), input.dtype)
