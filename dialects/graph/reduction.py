"""Reductions: one value out of all along some axes, or the index of the best."""

from collections.abc import Callable
from math import prod
from typing import Any, ClassVar

import numpy as np
from xdsl.dialects.builtin import AnyTensorType, i64
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.backward import Backward
from glow.dialects.graph.binary import DivOp
from glow.dialects.graph.declaration import DeclaredOp
from glow.dialects.graph.reordering import Order, Reordering
from glow.support.arrays import Array
from glow.support.element_conversion import convert
from glow.support.types import (
    COMPUTED,
    NUMBER,
    WIDE_NUMBER,
    ElementSet,
    element_of,
    normalize_axes,
    normalize_axis,
    shape_of,
    tensor,
)

Axes = tuple[int, ...]


def _reduced_shape(shape: Axes, axes: Axes, keepdims: bool) -> Axes:
    """Return `shape` with extent 1 along `axes`, or without them."""
    if keepdims:
        return tuple(1 if i in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axes)


class ReducingOp(DeclaredOp):
    """An op that reduces all elements along `axes`, or along one `axis`, to a value."""

    def _reduced(self) -> tuple[str, Axes]:
        """Return the name of the parameter for axes, and the axes, from the front."""
        name = "axes" if "axes" in self.declared() else "axis"
        given = getattr(self, name)
        axes = given if name == "axes" else (given,)
        return name, normalize_axes(axes, len(shape_of(self.input)))

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        (_, axes), rank = self._reduced(), len(shape_of(self.input))
        if self.keepdims:
            return tuple(None if i in axes else i for i in range(rank))
        return tuple(i for i in range(rank) if i not in axes)

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        name, axes = self._reduced()
        moved = sorted(order.index(axis) for axis in axes)
        parameters = {name: moved if name == "axes" else moved[0]}
        result = order
        if not self.keepdims:
            kept = [axis for axis in sorted(order) if axis not in axes]
            result = tuple(kept.index(axis) for axis in order if axis not in axes)
        return Reordering((order,), (result,), self.parameters() | parameters)


class ReductionOp(ReducingOp):
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
    def infer(cls, input: SSAValue, *, axes: Axes, keepdims: bool) -> AnyTensorType:
        shape = shape_of(input)
        reduced = normalize_axes(axes, len(shape))
        return tensor(element_of(input), _reduced_shape(shape, reduced, keepdims))


def along(
    function: Callable[[Array, Axes, bool], Array],
    before: np.ufunc | None = None,
    after: np.ufunc | None = None,
) -> Callable[..., Array]:
    """Return the `compute` of a reduction, with functions of its input and result."""

    def compute(input: Array, *, axes: Axes, keepdims: bool = True) -> Array:
        result = function(before(input) if before else input, axes, keepdims)
        return convert(after(result), input.dtype) if after else result

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
    shape = _reduced_shape(x.shape, normalize_axes(axes, x.ndim), keepdims)
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


def _kept(b: Backward, value: Any) -> Any:
    """Return a tensor like the result with extent 1 along the axes that it lacks."""
    shape = b.input.shape
    axes = normalize_axes(b.axes, len(shape))
    return value.reshape(*_reduced_shape(shape, axes, True))


def _total(b: Backward, value: Any) -> Any:
    """Return the sum of a tensor like the input along the axes of the op."""
    return b.xp.sum(value, axis=tuple(b.axes), keepdims=True)


def _of_best(b: Backward) -> Any:
    """Share the gradient equally among all elements that are the best."""
    is_best = b.input == _kept(b, b.result)
    return (
        is_best.astype(b.g.element)
        * _kept(b, b.g)
        / _total(b, is_best.astype(b.g.element))
    )


def _of_product(b: Backward) -> Any:
    """Multiply by the product of all others, without a division by zero."""
    is_zero = b.input == 0
    factors = b.xp.where(is_zero, 1, b.input)
    product = b.xp.prod(factors, axis=tuple(b.axes), keepdims=True)
    zeros = _total(b, is_zero.astype(b.g.element))
    alone = b.xp.where(is_zero & (zeros == 1), product, 0)
    return _kept(b, b.g) * b.xp.where(zeros == 0, product / factors, alone)


def _of_norm(b: Backward) -> Any:
    """Take 0 as the slope where all elements are 0."""
    norm = _kept(b, b.result)
    part = b.input / b.xp.where(norm == 0, 1, norm)
    return _kept(b, b.g) * part


class ReduceSumOp(
    ReductionOp,
    onnx="ReduceSum-13",
    compute=along(total),
    gradient=lambda b: _kept(b, b.g),
):
    """The sum along axes; of nothing, 0."""


class ReduceMeanOp(
    ReductionOp,
    onnx="ReduceMean-18",
    compute=along(mean),
    gradient=lambda b: _kept(b, b.g) * (b.result.size / max(b.input.size, 1)),
):
    """
    The mean along axes; that of integers truncates towards zero.

    Of nothing, NaN; with integers a fault of the run.
    """


class ReduceMaxOp(
    ReductionOp,
    onnx="ReduceMax-20",
    elements=COMPUTED,
    compute=along(largest),
    gradient=_of_best,
):
    """
    The largest along axes; NaN where one is NaN.

    Of nothing, the lowest of the type: of floats -inf, of bools false.
    """


class ReduceMinOp(
    ReductionOp,
    onnx="ReduceMin-20",
    elements=COMPUTED,
    compute=along(smallest),
    gradient=_of_best,
):
    """
    The smallest along axes; NaN where one is NaN.

    Of nothing, the highest of the type: of floats inf, of bools true.
    """


class ReduceProdOp(
    ReductionOp,
    onnx="ReduceProd-18",
    compute=along(product),
    gradient=_of_product,
):
    """The product along axes; of nothing, 1."""


class ReduceL1Op(
    ReductionOp,
    onnx="ReduceL1-18",
    compute=along(total, before=np.abs),
    gradient=lambda b: _kept(b, b.g) * b.xp.sign(b.input),
):
    """The sum of absolute values along axes."""


class ReduceL2Op(
    ReductionOp,
    onnx="ReduceL2-18",
    compute=along(total, before=np.square, after=np.sqrt),
    gradient=_of_norm,
):
    """The square root of the sum of squares along axes; integers truncate."""


class ReduceSumSquareOp(
    ReductionOp,
    onnx="ReduceSumSquare-18",
    compute=along(total, before=np.square),
    gradient=lambda b: _kept(b, b.g) * b.input * 2,
):
    """The sum of squares along axes."""


class ReduceLogSumOp(
    ReductionOp,
    onnx="ReduceLogSum-18",
    compute=along(total, after=np.log),
    gradient=lambda b: _kept(b, b.g * b.xp.exp(-b.result)),
):
    """The logarithm of the sum along axes; integers truncate."""


class ReduceLogSumExpOp(
    ReductionOp,
    onnx="ReduceLogSumExp-18",
    compute=along(log_of_total),
    gradient=lambda b: _kept(b, b.g) * b.xp.exp(b.input - _kept(b, b.result)),
):
    """
    The logarithm of the sum of e^x along axes, without overflow; integers truncate.
    """


class ArgReductionOp(
    ReducingOp,
    no_gradient="its result is an index",
):
    """
    The index of one element along `axis`.

    Of several that are best the first is taken, or the last with
    `select_last_index`. NaN is never best, unless it comes first: then it is.
    """

    ELEMENTS: ClassVar[ElementSet] = NUMBER
    SHAPES: ClassVar[str] = (
        "input any, result without `axis`, or with extent 1 along it.\n"
        "Errors: no elements along `axis`."
    )
    EXAMPLE: ClassVar[str] = (
        "%y = {name} %x {{axis = 1, keepdims}}\n"
        "    : (tensor<2x3x{element}>) -> tensor<2x1xi64>"
    )

    @classmethod
    def infer(cls, input: SSAValue, *, axis: int, keepdims: bool) -> AnyTensorType:
        shape = shape_of(input)
        axis = normalize_axis(axis, len(shape))
        if shape[axis] == 0:
            raise VerifyException(f"expected elements along axis {axis}, got none")
        return tensor(i64, _reduced_shape(shape, (axis,), keepdims))


def index_of(best: np.ufunc) -> Callable[..., Array]:
    """Return the `compute` that finds the first or last element that is `best`."""

    def compute(
        input: Array,
        *,
        axis: int = 0,
        keepdims: bool = True,
        select_last_index: bool = False,
    ) -> Array:
        first_is_nan = np.isnan(np.take(input, [0], axis))
        hits = (input == best.reduce(input, axis, keepdims=True)) & ~first_is_nan
        if select_last_index:
            last = input.shape[axis] - 1
            index = last - np.argmax(np.flip(hits, axis), axis, keepdims=True)
            index = np.where(hits.any(axis, keepdims=True), index, 0)
        else:
            index = np.argmax(hits, axis, keepdims=True)
        return index if keepdims else np.squeeze(index, axis)

    return compute


class ArgMaxOp(ArgReductionOp, onnx="ArgMax-13", compute=index_of(np.fmax)):
    """The index of the largest element along `axis`; NaN is as in ONNX Runtime."""


class ArgMinOp(ArgReductionOp, onnx="ArgMin-13", compute=index_of(np.fmin)):
    """The index of the smallest element along `axis`; NaN is as in ONNX Runtime."""
