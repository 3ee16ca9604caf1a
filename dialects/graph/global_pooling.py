"""Pools over all of space: one number per channel."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import Array, GraphOp
from glow.support.types import FLOAT, NUMBER, Tensor, element_of, shape_of, tensor


def _pooled(input: SSAValue) -> Tensor:
    shape = shape_of(input)
    if len(shape) < 3:
        raise VerifyException(f"expected an input of rank at least 3, got {input.type}")
    return tensor(element_of(input), (*shape[:2], *(1,) * (len(shape) - 2)))


def _spatial(array: Array) -> tuple[int, ...]:
    return tuple(range(2, array.ndim))


class GlobalAvgPoolOp(GraphOp):
    """
    The mean over all spatial axes.

    Shapes: input [N, C, spatial...], result [N, C, 1...]; one floating-point type.
    Errors: a rank below 3.
    Source: ONNX GlobalAveragePool-22.

    ```mlir
    %y = graph.global_avg_pool %x : (tensor<1x3x8x8xf32>) -> tensor<1x3x1x1xf32>
    ```
    """

    @staticmethod
    def infer(input: SSAValue) -> Tensor:
        FLOAT.check(input)
        return _pooled(input)

    @staticmethod
    def compute(input: Array) -> Array:
        return input.mean(axis=_spatial(input), keepdims=True, dtype=input.dtype)


class GlobalMaxPoolOp(GraphOp):
    """
    The greatest element over all spatial axes.

    Shapes: input [N, C, spatial...], result [N, C, 1...].
    Errors: a rank below 3, no element to take.
    Source: ONNX GlobalMaxPool-22.

    ```mlir
    %y = graph.global_max_pool %x : (tensor<1x3x8x8xf32>) -> tensor<1x3x1x1xf32>
    ```
    """

    @staticmethod
    def infer(input: SSAValue) -> Tensor:
        NUMBER.check(input)
        result = _pooled(input)
        if 0 in shape_of(input)[2:]:
            raise VerifyException(f"expected spatial extents above 0, got {input.type}")
        return result

    @staticmethod
    def compute(input: Array) -> Array:
        return input.max(axis=_spatial(input), keepdims=True)


class GlobalLpPoolOp(GraphOp):
    """
    The p-norm over all spatial axes.

    Shapes: input [N, C, spatial...], result [N, C, 1...]; one floating-point type.
    Errors: a rank below 3, p below 1.
    Source: ONNX GlobalLpPool-22.

    ```mlir
    %y = graph.global_lp_pool %x {p = 1 : i64}
        : (tensor<1x3x8x8xf32>) -> tensor<1x3x1x1xf32>
    ```
    """

    @staticmethod
    def infer(input: SSAValue, *, p: int) -> Tensor:
        FLOAT.check(input)
        if p < 1:
            raise VerifyException(f"expected a p of at least 1, got {p}")
        return _pooled(input)

    @staticmethod
    def compute(input: Array, *, p: int = 2) -> Array:
        powers: Any = np.abs(input) ** p
        sums = powers.sum(axis=_spatial(input), keepdims=True, dtype=input.dtype)
        return sums ** input.dtype.type(1 / p)
