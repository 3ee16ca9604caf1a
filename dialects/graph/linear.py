"""The matrix product."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import Array, GraphOp
from glow.dialects.graph.optional import NOTHING, Neutral, Neutrals
from glow.dialects.graph.outside import added
from glow.support.types import WIDE_NUMBER, Tensor, same_element, shape_of, tensor


@irdl_op_definition
class MatMulOp(GraphOp):
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
        return {"bias": Neutral(NOTHING, _columns, outside=added)}

    @staticmethod
    def infer(
        lhs: SSAValue,
        rhs: SSAValue,
        bias: SSAValue | None = None,
        *,
        transpose_lhs: bool,
        transpose_rhs: bool,
    ) -> Tensor:
        element = same_element(lhs, rhs, bias)
        WIDE_NUMBER.check(lhs)
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
        _check_bias(bias, shape)
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


def _columns(op: MatMulOp) -> tuple[int, ...]:
    return shape_of(op.result)[-1:]


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


def _check_bias(bias: SSAValue | None, shape: tuple[int, ...]) -> None:
    if bias is None:
        return
    own = shape_of(bias)
    pairs = zip(reversed(own), reversed(shape), strict=False)
    if len(own) > len(shape) or any(b not in (1, extent) for b, extent in pairs):
        raise VerifyException(
            f"expected a bias that broadcasts to {list(shape)}, got {bias.type}"
        )
