"""Products of matrices, sums of products, and determinants."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import AnyTensorType
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.optional import NOTHING, Neutral, Neutrals
from glow.dialects.graph.presence import added
from glow.dialects.graph.reordering import Order, Reordering, identity
from glow.support.arrays import Array
from glow.support.einsum import read_equation
from glow.support.shapes import check_broadcasts, same_element
from glow.support.types import (
    FLOAT,
    WIDE_NUMBER,
    element_of,
    shape_of,
    tensor,
    tensor_type,
)


@irdl_op_definition
class MatMulOp(GraphOp, elements=WIDE_NUMBER):
    """
    Matrix product of the last two axes, plus a bias when given: `lhs @ rhs + bias`.

    An operand of rank 1 is a row on the left and a column on the right, and that axis
    is not in the result. `transpose_lhs` and `transpose_rhs` swap the last two axes.
    Shapes: lhs [batch..., M, K], rhs [batch..., K, N], result [batch..., M, N], batch
    axes broadcast as in NumPy; bias broadcasts to the result; one numeric type.
    Errors: K that differ, batches or a bias that do not broadcast, rank 0, a transposed
    operand of rank 1, booleans.
    Source: ONNX MatMul-13, and Gemm-13 with alpha = beta = 1.

    ```mlir
    %y = graph.matmul %a, %b bias %c {transpose_rhs}
        : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    ```
    """

    name = "graph.matmul"

    @staticmethod
    def neutrals() -> Neutrals:
        bias = Neutral(NOTHING, lambda op: shape_of(op.result)[-1:], outside=added)
        return {"bias": bias}

    @staticmethod
    def infer(
        lhs: SSAValue,
        rhs: SSAValue,
        bias: SSAValue | None = None,
        *,
        transpose_lhs: bool,
        transpose_rhs: bool,
    ) -> AnyTensorType:
        element = same_element(lhs, rhs, bias)
        left, right = _matrix(lhs, transpose_lhs), _matrix(rhs, transpose_rhs)
        if len(right) == 1:
            right = (*right, 1)
        if left[-1] != right[-2]:
            raise VerifyException(
                f"lhs has {left[-1]} columns but rhs has {right[-2]} rows"
            )
        rows = () if len(left) == 1 else left[-2:-1]
        columns = () if len(shape_of(rhs)) == 1 else right[-1:]
        try:
            batch = np.broadcast_shapes(left[:-2], right[:-2])
        except ValueError:
            raise VerifyException(
                f"cannot broadcast the batches of {lhs.type} and {rhs.type}"
            ) from None
        shape = (*batch, *rows, *columns)
        check_broadcasts("bias", bias, shape)
        return tensor(element, shape)

    @staticmethod
    def compute(
        lhs: Array,
        rhs: Array,
        bias: Array | None = None,
        *,
        transpose_lhs: bool = False,
        transpose_rhs: bool = False,
    ) -> Array:
        left = lhs.swapaxes(-1, -2) if transpose_lhs else lhs
        right = rhs.swapaxes(-1, -2) if transpose_rhs else rhs
        product = np.asarray(left @ right)
        return product if bias is None else product + bias


def _matrix(operand: SSAValue, transposed: bool) -> tuple[int, ...]:
    """Return the shape of `operand` as the product reads it."""
    shape = shape_of(operand)
    if not shape:
        raise VerifyException(f"expected a rank of at least 1, got {operand.type}")
    if not transposed:
        return shape
    if len(shape) == 1:
        raise VerifyException(f"cannot transpose {operand.type}")
    return (*shape[:-2], shape[-1], shape[-2])


class EinsumOp(GraphOp, elements=WIDE_NUMBER):
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
    def infer(inputs: Sequence[SSAValue], *, equation: str) -> AnyTensorType:
        parsed = read_equation(equation, [shape_of(value) for value in inputs])
        return tensor(same_element(*inputs), parsed.shape)

    @staticmethod
    def compute(inputs: Sequence[Array], *, equation: str) -> Array:
        text = equation.replace(" ", "")
        result = np.einsum(text, *inputs, optimize=len(inputs) > 2)
        return np.asarray(result, inputs[0].dtype)


class DetOp(GraphOp, elements=FLOAT):
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
    def infer(input: SSAValue) -> AnyTensorType:
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
