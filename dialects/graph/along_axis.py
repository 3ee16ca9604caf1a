"""Functions of all elements along one axis: softmax, running sums, top k."""

from typing import Any, ClassVar

import numpy as np
from xdsl.dialects.builtin import AnyTensorType, i64
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.backward import Backward
from glow.dialects.graph.base import AxisOp
from glow.dialects.graph.declaration import DeclaredOp
from glow.support.arrays import Array
from glow.support.types import (
    NUMBER,
    WIDE_NUMBER,
    element_of,
    normalize_axis,
    shape_of,
    tensor,
)


class AlongAxisOp(AxisOp, DeclaredOp):
    """An op whose result at each element depends on all elements along `axis`."""

    SHAPES: ClassVar[str] = (
        "input any, result as input.\nErrors: an axis that the input lacks."
    )
    EXAMPLE: ClassVar[str] = (
        "%y = {name} %x {{axis = 1}} : (tensor<2x8x{element}>) -> tensor<2x8x{element}>"
    )

    @classmethod
    def infer(cls, input: SSAValue, *, axis: int) -> AnyTensorType:
        normalize_axis(axis, len(shape_of(input)))
        return tensor(element_of(input), shape_of(input))


class SoftmaxOp(AlongAxisOp, onnx="Softmax-13"):
    """e^x / sum of e^x along `axis`, without overflow."""

    @staticmethod
    def compute(input: Array, *, axis: int = -1) -> Array:
        peak = np.max(input, axis, keepdims=True, initial=-np.inf)
        power = np.exp(input - peak)
        return power / np.sum(power, axis, keepdims=True)

    @staticmethod
    def gradient(b: Backward) -> Any:
        part = b.g * b.result
        return part - b.result * b.xp.sum(part, axis=b.axis, keepdims=True)


class LogSoftmaxOp(AlongAxisOp, onnx="LogSoftmax-13"):
    """The logarithm of softmax along `axis`, without overflow."""

    @staticmethod
    def compute(input: Array, *, axis: int = -1) -> Array:
        peak = np.max(input, axis, keepdims=True, initial=-np.inf)
        shifted = input - peak
        return shifted - np.log(np.sum(np.exp(shifted), axis, keepdims=True))

    @staticmethod
    def gradient(b: Backward) -> Any:
        return b.g - b.xp.exp(b.result) * b.xp.sum(b.g, axis=b.axis, keepdims=True)


class CumsumOp(AlongAxisOp, onnx="CumSum-14", elements=WIDE_NUMBER):
    """
    The sum of the elements up to each one along `axis`, in `reverse` from each one on.

    With `exclusive`, the element itself is left out: the first sum is 0.
    """

    @staticmethod
    def compute(
        input: Array, *, axis: int = 0, exclusive: bool = False, reverse: bool = False
    ) -> Array:
        lines = np.moveaxis(input, axis, 0)
        lines = lines[::-1] if reverse else lines
        if exclusive:
            lines = np.concatenate([np.zeros_like(lines[:1]), lines[:-1]])
        sums = np.cumsum(lines, axis=0, dtype=input.dtype)
        return np.moveaxis(sums[::-1] if reverse else sums, 0, axis)

    @staticmethod
    def gradient(b: Backward) -> Any:
        given = {"axis": b.axis, "exclusive": b.exclusive}
        return b.emit(CumsumOp, b.g, reverse=not b.reverse, **given)


class TopKOp(AxisOp, elements=NUMBER):
    """
    The `k` largest or smallest elements along `axis`, best first, and their indices.

    Of equal ones the first comes first; NaN is larger than any number. One of values
    and indices may be absent.

    Shapes: input any but a scalar, values as input with `k` elements along `axis`,
    indices as values, of i64.
    Errors: elements that are not numbers, an axis that the input lacks, a k below 0 or
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
    def infer(
        input: SSAValue, *, k: int, axis: int
    ) -> tuple[AnyTensorType, AnyTensorType]:
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

    @staticmethod
    def gradient(b: Backward) -> Any:
        if not b.with_values:
            return None
        indices = b.indices
        if indices is None:
            given = b.op.parameters() | {"with_values": False, "with_indices": True}
            indices = b.emit(TopKOp, b.input, **given)
        return b.xp.scatter_add(b.zeros(b.input), indices, b.g, b.axis)
