"""Products of matrices, sums of products, and determinants."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects.builtin import AnyTensorType
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.backward import Backward
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.optional import NOTHING, Neutral, Neutrals
from glow.dialects.graph.presence import added
from glow.dialects.graph.reordering import Order, Reordering, identity
from glow.support.arrays import Array
from glow.support.einsum import read_equation
from glow.support.op_definition import define_op
from glow.support.shapes import check_broadcasts, same_element
from glow.support.types import (
    FLOAT,
    WIDE_NUMBER,
    element_of,
    shape_of,
    tensor,
    tensor_type,
)


@define_op
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

    @staticmethod
    def gradient(b: Backward) -> Any:
        lhs, rhs, g = b.lhs, b.rhs, b.g
        left, right = b.transpose_lhs, b.transpose_rhs
        columns = rhs.shape[-2 if right else -1] if rhs.ndim > 1 else 1
        if rhs.ndim == 1:
            rhs, g = rhs.reshape(rhs.size, 1), g.reshape(*g.shape, 1)
        if lhs.ndim == 1:
            lhs, g = lhs.reshape(1, lhs.size), g.reshape(*g.shape[:-1], 1, columns)
        if rhs.ndim == 2 and not left:  # one product over all batches
            rows = prod(lhs.shape[:-1])
            lhs, g = lhs.reshape(rows, lhs.shape[-1]), g.reshape(rows, columns)

        def product(one: Any, other: Any, one_turns: bool, other_turns: bool) -> Any:
            turns = {"transpose_lhs": one_turns, "transpose_rhs": other_turns}
            return b.emit(MatMulOp, one, other, **turns)

        by_lhs = (
            product(rhs, g, right, True) if left else product(g, rhs, False, not right)
        )
        by_rhs = (
            product(g, lhs, True, left) if right else product(lhs, g, not left, False)
        )
        if b.lhs.ndim == 1:
            by_lhs = by_lhs.reshape(*by_lhs.shape[:-2], by_lhs.shape[-1])
        elif by_lhs.ndim < b.lhs.ndim:
            by_lhs = by_lhs.reshape(*b.lhs.shape)
        if b.rhs.ndim == 1:
            by_rhs = by_rhs.reshape(*by_rhs.shape[:-1])
        return by_lhs, by_rhs, b.g


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


MOST_ROWS = 8
"""The most rows of matrices whose determinant has a gradient: it takes N^2 minors."""


class DetOp(GraphOp, elements=FLOAT):
    """
    The determinant of each matrix; 1 of a matrix without elements.

    Shapes: input [batch..., M, M] of floats, result [batch...].
    Errors: elements that are not floats, a rank below 2, matrices that are not square.
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

    @staticmethod
    def gradient(b: Backward) -> Any:
        """Multiply by cofactors, so that singular matrices have a gradient too."""
        n: int = b.input.shape[-1]
        if n > MOST_ROWS:
            most = f"expected at most {MOST_ROWS}"
            return f"a matrix of {n} rows has too many minors, {most}"
        if n == 0:
            return None
        others = np.array([[j for j in range(n) if j != i] for i in range(n)], np.int64)
        places = np.arange(n)
        signs = (-1.0) ** (places + places[:, np.newaxis])
        rank = b.input.ndim
        parts = b.xp.take(b.xp.take(b.input, others, rank - 2), others, rank)
        order = (*range(rank - 2), rank - 2, rank, rank - 1, rank + 1)
        minors = b.emit(DetOp, parts.transpose(*order))
        return b.g.reshape(*b.g.shape, 1, 1) * minors * signs.astype(b.g.dtype)
