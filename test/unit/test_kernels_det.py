"""Machine code of determinants against the meaning of the graph op; refusals."""

import numpy as np
import pytest
from grids import slow_but
from memory_code import Array, MemoryCode
from xdsl.dialects.builtin import f32, i32
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

from glow.dialects.graph.linear import DetOp
from glow.support.dtypes import dtype_named, widened
from glow.support.types import tensor


def determinants(arrays: list[Array], target: str, piece_ns: int = 0) -> list[Array]:
    code = MemoryCode(target, piece_ns)
    outs = [np.zeros(x.shape[:-2], x.dtype) for x in arrays]
    for x, out in zip(arrays, outs, strict=True):
        code.apply(DetOp, [x], [out])
    assert code.run() is None
    return outs


@pytest.mark.parametrize("piece_ns", [0, 10])
@pytest.mark.parametrize("target", ["cpu", "cpu:sse2"])
@pytest.mark.parametrize(
    "dtype",
    slow_but(["float64", "float32", "float16", "bfloat16"], "float32", "bfloat16"),
)
def test_any_strides(dtype: str, target: str, piece_ns: int) -> None:
    whole = np.random.default_rng(0).standard_normal((4, 5, 21, 21))
    whole = (0.1 * whole + np.eye(21)[::-1]).astype(dtype_named(dtype))
    views = [whole, whole[1, ::-1], whole[0].transpose(0, 2, 1), whole[..., :2, 3:5]]
    views += [whole[0, 0, 1::3, ::3], whole[..., :0, :0], whole[:0]]
    found = determinants(views, target, piece_ns)
    for x, out in zip(views, found, strict=True):
        limit = {"float16": 2e-3, "bfloat16": 1e-2}.get(dtype, 2e-5)
        np.testing.assert_allclose(
            widened(out), np.linalg.det(widened(x)), limit, limit
        )


def test_zeros_and_nan() -> None:
    x = np.arange(64, dtype=np.float32).reshape(4, 4, 4) % 7
    x[0, 0], x[1, :, 2] = 0, 0
    x[2] = np.eye(4)[[1, 2, 3, 0]] * 2
    (found,) = determinants([x], "cpu")
    assert found[:3].tolist() == [0, 0, -16]
    for i in range(16):
        x[3].flat[i], old = np.nan, x[3].flat[i]
        assert np.isnan(determinants([x], "cpu")[0][3])
        x[3].flat[i] = old


@pytest.mark.parametrize(
    ("element", "shape", "message"),
    [
        (i32, (2, 2), "expected a float element type, got i32"),
        (f32, (4,), r"expected square matrices, got tensor<4xf32>"),
        (f32, (2, 2, 3), r"expected square matrices, got tensor<2x2x3xf32>"),
    ],
)
def test_others_are_refused(element, shape: tuple[int, ...], message: str) -> None:
    with pytest.raises(VerifyException, match=message):
        DetOp(create_ssa_value(tensor(element, shape)))
