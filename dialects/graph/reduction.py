"""Reductions: one value out of all along some axes."""

from collections.abc import Callable
from math import prod
from typing import Any, ClassVar

import numpy as np
from xdsl.ir import SSAValue

from glow.dialects.graph.base import Array
from glow.dialects.graph.binary import DivOp
from glow.dialects.graph.declaration import DeclaredOp
from glow.dialects.graph.reordering import Order, Reordering
from glow.support.element_conversion import convert
from glow.support.types import (
    COMPUTED,
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


class ReductionOp(DeclaredOp):
    """A function of all elements along `axes`; without axes, of each element alone."""

    ELEMENTS: ClassVar[ElementSet] = WIDE_NUMBER
    SHAPES: ClassVar[str] = (
        "input any, result without `axes`, or with extent 1 along them."
    )
    EXAMPLE: ClassVar[str] = (
        "%y = {name} %x {{axes = array<i64: 1>, keepdims}}\n"
        "    : (tensor<2x3x4x{element}>) -> tensor<2x1x4x{result}>"
    )

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


def along(function: Callable[[Array, Axes, bool], Array]) -> Callable[..., Array]:
    """Return the `compute` of a reduction by `function`."""

    def compute(input: Array, *, axes: Axes, keepdims: bool = True) -> Array:
        return function(input, axes, keepdims)

    return compute


def total(x: Array, axes: Axes, keepdims: bool) -> Array:
    """Return the sum along `axes`, in the type of `x`."""
    return np.sum(x, axis=axes, dtype=x.dtype, keepdims=keepdims)


def largest(x: Array, axes: Axes, keepdims: bool) -> Array:
    """Return the maximum along `axes`: of nothing the lowest value of the type."""
    return np.max(x, axis=axes, keepdims=keepdims, initial=limits_of(x.dtype)[0])


def smallest(x: Array, axes: Axes, keepdims: bool) -> Array:
    """Return the minimum along `axes`: of nothing the highest value of the type."""
    return np.min(x, axis=axes, keepdims=keepdims, initial=limits_of(x.dtype)[1])


def product(x: Array, axes: Axes, keepdims: bool) -> Array:
    """Return the product along `axes`, in the type of `x`."""
    return np.prod(x, axis=axes, dtype=x.dtype, keepdims=keepdims)


def mean(x: Array, axes: Axes, keepdims: bool) -> Array:
    """Return the mean along `axes`, in the type of `x`."""
    count = prod(x.shape[axis] for axis in axes)
    return DivOp.compute(total(x, axes, keepdims), x.dtype.type(count))


def log_of_total(x: Array, axes: Axes, keepdims: bool) -> Array:
    """Return the logarithm of the sum of e^x along `axes`, without overflow."""
    wide = x if x.dtype.kind == "f" else x.astype(np.float64)
    peak = largest(wide, axes, True)
    peak = np.where(np.isfinite(peak), peak, wide.dtype.type(0))
    result = np.log(total(np.exp(wide - peak), axes, True)) + peak
    shape = reduced_shape(x.shape, normalize_axes(axes, x.ndim), keepdims)
    return convert(result.reshape(shape), x.dtype)


def limits_of(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """Return the lowest and highest value of `dtype`, infinities included."""
    match dtype.kind:
        case "f":
            return -np.inf, np.inf
        case "b":
            return False, True
        case _:
            return np.iinfo(dtype).min, np.iinfo(dtype).max


class ReduceSumOp(ReductionOp, onnx="ReduceSum-13", compute=along(total)):
    """The sum along axes; of nothing, 0."""


class ReduceMeanOp(ReductionOp, onnx="ReduceMean-18", compute=along(mean)):
    """
    The mean along axes; that of integers truncates towards zero.

    Of nothing, NaN; with integers a fault of the run.
    """


class ReduceMaxOp(
    ReductionOp, onnx="ReduceMax-20", elements=COMPUTED, compute=along(largest)
):
    """
    The largest along axes; NaN where one is NaN.

    Of nothing, the lowest of the type: of floats -inf, of bools false.
    """


class ReduceMinOp(
    ReductionOp, onnx="ReduceMin-20", elements=COMPUTED, compute=along(smallest)
):
    """
    The smallest along axes; NaN where one is NaN.

    Of nothing, the highest of the type: of floats inf, of bools true.
    """


class ReduceProdOp(ReductionOp, onnx="ReduceProd-18", compute=along(product)):
    """The product along axes; of nothing, 1."""


class ReduceL1Op(
    ReductionOp,
    onnx="ReduceL1-18",
    compute=along(lambda x, axes, keepdims: total(np.abs(x), axes, keepdims)),
):
    """The sum of absolute values along axes."""


class ReduceL2Op(
    ReductionOp,
    onnx="ReduceL2-18",
    compute=along(
        lambda x, axes, keepdims: convert(
            np.sqrt(total(x * x, axes, keepdims)), x.dtype
        )
    ),
):
    """The square root of the sum of squares along axes; integers truncate."""


class ReduceSumSquareOp(
    ReductionOp,
    onnx="ReduceSumSquare-18",
    compute=along(lambda x, axes, keepdims: total(x * x, axes, keepdims)),
):
    """The sum of squares along axes."""


class ReduceLogSumOp(
    ReductionOp,
    onnx="ReduceLogSum-18",
    compute=along(
        lambda x, axes, keepdims: convert(np.log(total(x, axes, keepdims)), x.dtype)
    ),
):
    """The logarithm of the sum along axes; integers truncate."""


class ReduceLogSumExpOp(
    ReductionOp, onnx="ReduceLogSumExp-18", compute=along(log_of_total)
):
    """
    The logarithm of the sum of e^x along axes, without overflow; integers truncate.
    """
