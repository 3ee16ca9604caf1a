"""Machine code of roi_align against the meaning of the graph op; what it refuses."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from grids import cross
from memory_code import Array, MemoryCode
from xdsl.dialects.builtin import f32, f64, i64
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

import glow
from glow.dialects.graph.detection import RoiAlignOp
from glow.support.dtypes import dtype_named, widened
from glow.support.types import tensor

NAME = "coordinate_transformation_mode"
COORDINATES = ("half_pixel", "output_half_pixel")
ROIS = np.array(
    [(0.3, 0.7, 5.2, 6.1), (1, 1, 1.5, 1.2), (-9, -3, 20, 22), (5, 5, 2, 2)]
)
STRANGE = np.array([(np.nan, 0, 1, 1), (0, 0, np.inf, 2), (-np.inf, 0, 1, 2)])


def add(code: MemoryCode, x: Array, rois: Array, **parameters: Any) -> Any:
    batches = np.arange(len(rois)) % len(x)
    operands = [x, rois.astype(x.dtype), batches]
    want = RoiAlignOp.compute(*map(widened, operands), **parameters)
    out = np.zeros(want.shape, x.dtype)
    code.apply(RoiAlignOp, operands, [out], **parameters)
    return out, want


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dtype", "piece_ns"), cross(["float64", "float32", "float16", "bfloat16"], [0, 10])
)
def test_any_strides_and_parameters(dtype: str, piece_ns: int) -> None:
    whole = np.random.default_rng(0).standard_normal((2, 9, 12, 7))
    whole = whole.astype(dtype_named(dtype))
    code, cases = MemoryCode(piece_ns=piece_ns), []
    for x in (whole, whole[::-1, ::2, 1:, ::-1], whole[:1, :4, :1, :1], whole[:, :0]):
        for mode, ratio, where in product(("avg", "max"), (0, 2), COORDINATES):
            flags = {"mode": mode, "sampling_ratio": ratio, NAME: where}
            sizes = {"output_height": 2, "output_width": 3, "spatial_scale": 0.75}
            cases.append(add(code, x, ROIS, **flags, **sizes))
    cases.append(add(code, whole, ROIS[:0]))
    assert code.run() is None
    limit = {"float16": 2e-3, "bfloat16": 1e-2}.get(dtype, 2e-6)
    for out, want in cases:
        np.testing.assert_allclose(widened(out), want, limit, limit)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of NaN
@pytest.mark.parametrize("where", COORDINATES)
def test_what_is_no_region_has_no_samples(where: str) -> None:
    code, x = MemoryCode(), np.ones((1, 1, 4, 4), np.float32)
    out, want = add(code, x, STRANGE, **{NAME: where})
    assert code.run() is None
    np.testing.assert_array_equal(out, want)
    assert not out[1].any()


@pytest.mark.parametrize("batch", [2, -1, 1 << 40, -(1 << 63)])
@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_a_batch_out_of_range_is_a_fault(target: str, batch: int) -> None:
    b = glow.Builder()
    x, rois = b.input("x", (2, 1, 4, 4)), b.input("rois", (2, 4))
    b.output("y", b.roi_align(x, rois, b.input("i", (2,), np.int64)))
    net = glow.compile(b.model(), target=target)
    given = np.ones((2, 1, 4, 4), np.float32), np.zeros((2, 4), np.float32)
    with pytest.raises(glow.ExecutionError, match=r"expected a batch in \[0, 1\]"):
        net(*given, np.array([0, batch]))


@pytest.mark.parametrize(
    ("types", "parameters", "message"),
    [
        ([(f32, 1, 2, 3, 3), (f64, 5, 4), (i64, 5)], {}, "expected one element type"),
        ([(i64, 1, 2, 3, 3), (i64, 5, 4), (i64, 5)], {}, "expected a float element"),
        ([(f32, 2, 3, 3), (f32, 5, 4), (i64, 5)], {}, "a tensor of rank 4"),
        ([(f32, 1, 2, 3, 3), (f32, 5, 4), (i64, 5, 1)], {}, "a tensor of rank 1"),
        (
            [(f32, 1, 2, 3, 3), (f32, 5, 5), (i64, 5)],
            {},
            r"expected rois of shape \[5, 4\], got tensor<5x5xf32>",
        ),
        ([(f32, 1, 2, 0, 3), (f32, 5, 4), (i64, 5)], {}, "expected images with pixels"),
        (
            [(f32, 1, 2, 3, 3), (f32, 5, 4), (i64, 5)],
            {"output_width": 0, "sampling_ratio": -1},
            "a width from 1, a sampling_ratio from 0, got 1, 0, -1",
        ),
    ],
)
def test_others_are_refused(
    types: list[Any], parameters: dict[str, int], message: str
) -> None:
    values = [create_ssa_value(tensor(each, shape)) for each, *shape in types]
    with pytest.raises(VerifyException, match=message):
        RoiAlignOp(*values, **parameters)
