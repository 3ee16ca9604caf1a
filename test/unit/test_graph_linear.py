"""The matrix product means what NumPy and ONNX compute."""

from typing import Any

import numpy as np
import pytest

from glow.dialects.graph.linear import MatMulOp

RANDOM = np.random.default_rng(2)

SHAPES = [
    ((2, 3), (3, 4)),
    ((3,), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3,)),
    ((5, 2, 3), (3,)),
    ((3,), (5, 3, 4)),
    ((5, 2, 3), (5, 3, 4)),
    ((5, 1, 2, 3), (6, 3, 4)),
    ((2, 3), (5, 6, 3, 4)),
    ((0, 3), (3, 4)),
    ((2, 0), (0, 4)),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_matmul(
    left: Any, right: Any, dtype: Any, evaluate: Any, run_onnx: Any, assert_close: Any
) -> None:
    lhs = RANDOM.uniform(-9, 9, left).astype(dtype)
    rhs = RANDOM.uniform(-9, 9, right).astype(dtype)
    (expected,) = run_onnx("MatMul", lhs, rhs)
    (found,) = evaluate(MatMulOp, lhs, rhs, None)
    assert_close(found, expected)


@pytest.mark.parametrize("transpose_lhs", [False, True])
@pytest.mark.parametrize("transpose_rhs", [False, True])
@pytest.mark.parametrize("bias", [None, (), (4,), (1, 4), (2, 1), (2, 4)])
def test_gemm(
    transpose_lhs: bool,
    transpose_rhs: bool,
    bias: Any,
    evaluate: Any,
    run_onnx: Any,
    assert_close: Any,
) -> None:
    lhs = RANDOM.standard_normal((3, 2) if transpose_lhs else (2, 3)).astype(np.float32)
    rhs = RANDOM.standard_normal((4, 3) if transpose_rhs else (3, 4)).astype(np.float32)
    c = None
    if bias is not None:
        c = np.asarray(RANDOM.standard_normal(bias), np.float32)
    (expected,) = run_onnx(
        "Gemm", lhs, rhs, c, transA=int(transpose_lhs), transB=int(transpose_rhs)
    )
    (found,) = evaluate(
        MatMulOp,
        lhs,
        rhs,
        c,
        transpose_lhs=transpose_lhs,
        transpose_rhs=transpose_rhs,
    )
    assert_close(found, expected)


def test_transposed_batches(evaluate: Any, assert_close: Any) -> None:
    lhs = RANDOM.standard_normal((5, 3, 2)).astype(np.float32)
    rhs = RANDOM.standard_normal((6, 1, 4, 3)).astype(np.float32)
    (found,) = evaluate(
        MatMulOp, lhs, rhs, None, transpose_lhs=True, transpose_rhs=True
    )
    assert_close(found, lhs.swapaxes(1, 2) @ rhs.swapaxes(2, 3))
