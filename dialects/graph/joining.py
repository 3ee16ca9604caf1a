"""Joining tensors along an axis, and cutting them apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import AnyTensorType
from xdsl.ir import SSAValue
from xdsl.irdl import var_result_def
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.backward import Backward
from glow.dialects.graph.base import AxisOp
from glow.dialects.graph.parameters import TENSOR
from glow.support.arrays import Array
from glow.support.shapes import same_element
from glow.support.types import element_of, normalize_axis, shape_of, tensor


class ConcatOp(AxisOp, moves=True):
    """
    The inputs one after the other along `axis`.

    Shapes: inputs equal but along axis, result as they with the sum of those extents;
    one type.
    Errors: no input, ranks or other extents that differ, an axis that they lack.
    Source: ONNX Concat-13.

    ```mlir
    %y = graph.concat %a, %b {axis = 1 : i64}
        : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
    ```
    """

    @staticmethod
    def infer(inputs: Sequence[SSAValue], *, axis: int) -> AnyTensorType:
        if not inputs:
            raise VerifyException("expected at least one input, got none")
        element = same_element(*inputs)
        first = shape_of(inputs[0])
        at = normalize_axis(axis, len(first))
        total = 0
        for value in inputs:
            shape = shape_of(value)
            if len(shape) != len(first) or _without(shape, at) != _without(first, at):
                raise VerifyException(
                    f"expected inputs that differ along axis {at} only, "
                    f"got {inputs[0].type} and {value.type}"
                )
            total += shape[at]
        return tensor(element, (*first[:at], total, *first[at + 1 :]))

    @staticmethod
    def compute(inputs: Sequence[Array], *, axis: int) -> Array:
        return np.concatenate(inputs, axis=axis)

    @staticmethod
    def gradient(b: Backward) -> Any:
        at = normalize_axis(b.axis, b.g.ndim)
        parts, start = list[Any](), 0
        for each in b.inputs:
            end = start + each.shape[at]
            parts.append(b.g[(*(slice(None),) * at, slice(start, end))])
            start = end
        return (parts,)


def _without(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return (*shape[:axis], *shape[axis + 1 :])


class SplitOp(AxisOp, moves=True):
    """
    The input cut along `axis` into one result per size.

    Shapes: input any, result i as input with extent sizes[i] along axis.
    Errors: no size, sizes that do not add up to the extent, an axis that input lacks.
    Source: ONNX Split-18 with known sizes.

    ```mlir
    %a, %b = graph.split %x {axis = 1 : i64, sizes = array<i64: 3, 1>}
        : (tensor<2x4xf32>) -> (tensor<2x3xf32>, tensor<2x1xf32>)
    ```
    """

    outputs = var_result_def(TENSOR)

    @staticmethod
    def infer(
        input: SSAValue, *, axis: int, sizes: Sequence[int]
    ) -> tuple[AnyTensorType, ...]:
        shape = shape_of(input)
        at = normalize_axis(axis, len(shape))
        if not sizes or min(sizes) < 0 or sum(sizes) != shape[at]:
            raise VerifyException(
                f"expected sizes that add up to {shape[at]}, got {list(sizes)}"
            )
        element = element_of(input)
        return tuple(
            tensor(element, (*shape[:at], size, *shape[at + 1 :])) for size in sizes
        )

    @staticmethod
    def compute(
        input: Array, *, axis: int = 0, sizes: Sequence[int]
    ) -> tuple[Array, ...]:
        ends = np.cumsum(sizes)[:-1]
        return tuple(np.split(input, ends, axis=axis))

    @staticmethod
    def gradient(b: Backward) -> Any:
        parts = [b.gradient_of(i) for i in range(len(b.sizes))]
        return b.xp.concat(parts, axis=b.axis)
