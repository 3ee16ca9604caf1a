"""Pools over all of space: one number per channel."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import Array
from glow.dialects.graph.declaration import DeclaredOp
from glow.dialects.graph.pooling import check_norm, check_spatial, root
from glow.support.types import NUMBER, Tensor, element_of, shape_of, tensor


class GlobalPoolOp(DeclaredOp):
    """A function of all elements of a channel."""

    SHAPES: ClassVar[str] = (
        "input [N, C, spatial...], result [N, C, 1...].\nErrors: a rank below 3."
    )
    EXAMPLE: ClassVar[str] = (
        "%y = {name} %x : (tensor<1x3x8x8x{element}>) -> tensor<1x3x1x1x{result}>"
    )

    @classmethod
    def infer(cls, input: SSAValue, **parameters: Any) -> Tensor:
        cls.ELEMENTS.check(input)
        batch, channels, *spatial = check_spatial(input)
        return tensor(element_of(input), (batch, channels, *(1 for _ in spatial)))


def _spatial(array: Array) -> tuple[int, ...]:
    return tuple(range(2, array.ndim))


class GlobalAvgPoolOp(GlobalPoolOp, onnx="GlobalAveragePool-22"):
    """The mean over all spatial axes."""

    @staticmethod
    def compute(input: Array) -> Array:
        return input.mean(axis=_spatial(input), keepdims=True, dtype=input.dtype)


class GlobalMaxPoolOp(GlobalPoolOp, onnx="GlobalMaxPool-22", elements=NUMBER):
    """The largest element over all spatial axes, which must not be empty."""

    @classmethod
    def infer(cls, input: SSAValue, **parameters: Any) -> Tensor:
        result = super().infer(input)
        if 0 in shape_of(input)[2:]:
            raise VerifyException(f"expected spatial extents above 0, got {input.type}")
        return result

    @staticmethod
    def compute(input: Array) -> Array:
        return input.max(axis=_spatial(input), keepdims=True)


class GlobalLpPoolOp(GlobalPoolOp, onnx="GlobalLpPool-22"):
    """The p-norm over all spatial axes; p is at least 1."""

    @classmethod
    def infer(cls, input: SSAValue, *, p: int, **parameters: Any) -> Tensor:
        check_norm(p)
        return super().infer(input)

    @staticmethod
    def compute(input: Array, *, p: int = 2) -> Array:
        powers: Any = np.abs(input) ** p
        return root(powers.sum(_spatial(input), input.dtype, keepdims=True), p)
