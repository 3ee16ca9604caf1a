"""Activations with parameters that are tensors."""

from typing import ClassVar

import numpy as np
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import Array
from glow.dialects.graph.elementwise import ElementwiseOp
from glow.dialects.graph.rules import Functions, Scalar
from glow.support.types import (
    NUMBER,
    ElementSet,
    Tensor,
    broadcasts_to,
    same_element,
    shape_of,
    tensor,
    tensor_type,
)


class PreluOp(ElementwiseOp):
    """
    x, or slope * x where x is below 0, elementwise; NaN stays NaN.

    Shapes: input any, slope broadcasts to it, result as input.
    Errors: a slope that does not broadcast to the input, several element types.
    Source: ONNX PRelu-16.

    ```mlir
    %y = graph.prelu %x, %s
        : (tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) -> tensor<1x4x8x8xf32>
    ```
    """

    ELEMENTS: ClassVar[ElementSet] = NUMBER

    @classmethod
    def infer(cls, input: SSAValue, slope: SSAValue) -> Tensor:
        cls.ELEMENTS.check(input)
        shape = shape_of(input)
        if not broadcasts_to(slope, shape):
            raise VerifyException(
                f"expected a slope that broadcasts to {list(shape)}, "
                f"got {tensor_type(slope)}"
            )
        return tensor(same_element(input, slope), shape)

    @staticmethod
    def compute(input: Array, slope: Array) -> Array:
        return np.where(input < 0, slope * input, input)

    @staticmethod
    def rule(f: Functions, x: Scalar, slope: Scalar) -> Scalar:
        return f.select(x < 0, slope * x, x)
