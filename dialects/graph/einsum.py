"""Sums of products by an equation of axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from glow.dialects.graph.base import Array, GraphOp
from glow.support.einsum import read_equation
from glow.support.types import WIDE_NUMBER, Tensor, same_element, shape_of, tensor


class EinsumOp(GraphOp):
    """
    The product of elements of all inputs, summed over the axes that the result lacks.

    The equation names the axes of each input by letters, and after an arrow those of
    the result; without one, the result has those that stand once, by the alphabet. An
    ellipsis stands for any axes, which broadcast; in a result without arrow they come
    first. A letter twice in one term is a diagonal. Axes of extent 1 broadcast.
    Integers wrap.

    Shapes: inputs and result as the equation says; one type, integers of 32 or 64 bits.
    Errors: an equation that cannot be read, or of other operands; extents that differ;
    a letter of the result that no input has, or that it has twice.
    Source: ONNX Einsum-12.

    ```mlir
    %y = graph.einsum %a, %b {equation = "bij,bjk->bik"}
        : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    ```
    """

    @staticmethod
    def infer(inputs: Sequence[SSAValue], *, equation: str) -> Tensor:
        WIDE_NUMBER.check(*inputs)
        parsed = read_equation(equation, [shape_of(value) for value in inputs])
        return tensor(same_element(*inputs), parsed.shape)

    @staticmethod
    def compute(inputs: Sequence[Array], *, equation: str) -> Array:
        text = equation.replace(" ", "")
        result = np.einsum(text, *inputs, optimize=len(inputs) > 2)
        return np.asarray(result, inputs[0].dtype)
