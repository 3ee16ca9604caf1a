"""Determinants."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import Array, GraphOp
from glow.dialects.graph.reordering import Order, Reordering, identity
from glow.support.types import FLOAT, Tensor, element_of, shape_of, tensor, tensor_type


class DetOp(GraphOp):
    """
    The determinant of each matrix; 1 of a matrix without elements.

    Shapes: input [batch..., M, M] of floats, result [batch...].
    Errors: elements that are no floats, a rank below 2, matrices that are not square.
    Source: ONNX Det-22.

    ```mlir
    %y = graph.det %x : (tensor<2x3x3xf32>) -> tensor<2xf32>
    ```
    """

    @staticmethod
    def infer(input: SSAValue) -> Tensor:
        FLOAT.check(input)
        shape = shape_of(input)
        if len(shape) < 2 or shape[-1] != shape[-2]:
            raise VerifyException(f"expected square matrices, got {tensor_type(input)}")
        return tensor(element_of(input), shape[:-2])

    @staticmethod
    def compute(input: Array) -> Array:
        return np.asarray(np.linalg.det(input))

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        return identity(len(shape_of(self.result)))

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        """A transposed matrix has the same determinant."""
        batch = order[:-2]
        if sorted(batch) != list(range(len(batch))):
            return None
        return Reordering((order,), (batch,), {})
