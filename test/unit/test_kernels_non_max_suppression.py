"""Machine code of non_max_suppression against its meaning; what it refuses."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from grids import cross
from memory_code import MemoryCode
from xdsl.dialects.builtin import f32, f64, i64
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

from glow.dialects.graph.detection import NonMaxSuppressionOp
from glow.support.dtypes import dtype_named, widened
from glow.support.types import tensor


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dtype", "piece_ns"), cross(["float64", "float32", "float16", "bfloat16"], [0, 10])
)
def test_any_strides_and_parameters(dtype: str, piece_ns: int) -> None:
    """Ties, NaN, infinities, boxes without an area, equal boxes."""
    rng = np.random.default_rng(0)
    boxes, scores = rng.uniform(0, 9, (3, 60, 4)), rng.normal(0, 1, (3, 4, 60))
    boxes[:, 7:9], boxes[0, 3, 2:] = boxes[:, 9:11], boxes[0, 3, :2]
    scores = scores.round(1)
    scores[:, :, :9:2] = rng.choice([np.nan, np.inf, -np.inf], (3, 4, 5))
    scores[1, 1] = np.nan
    boxes, scores = (each.astype(dtype_named(dtype)) for each in (boxes, scores))
    code, cases = MemoryCode(piece_ns=piece_ns), []
    for (b, s), limit, overlap, least, centers in product(
        ((boxes, scores), (boxes[::-1, ::3], scores[::2, :, ::-3][[0, 1, 1]][:, ::-1])),
        (0, 1, 7, 99),
        (0.0, 0.3, 1.0),
        (None, 0.1),
        (False, True),
    ):
        parameters: dict[str, Any] = {
            "max_output": limit,
            "iou_threshold": overlap,
            "score_threshold": least,
            "center_point_box": centers,
        }
        wanted = NonMaxSuppressionOp.compute(widened(b), widened(s), **parameters)
        outs = [np.zeros(each.shape, np.int64) for each in wanted]
        code.apply(NonMaxSuppressionOp, [b, s], outs, **parameters)
        cases.append((outs, wanted))
    assert code.run() is None
    for outs, wanted in cases:
        for out, want in zip(outs, wanted, strict=True):
            np.testing.assert_array_equal(out, want)
    assert max(int(want[1]) for _, want in cases) > 50


@pytest.mark.parametrize(
    ("types", "parameters", "message"),
    [
        ([(f32, 1, 6, 4), (f64, 1, 2, 6)], {}, "expected one element type"),
        ([(i64, 1, 6, 4), (i64, 1, 2, 6)], {}, "expected a float element type"),
        ([(f32, 6, 4), (f32, 2, 6)], {}, "expected a tensor of rank 3"),
        (
            [(f32, 1, 6, 5), (f32, 1, 2, 6)],
            {},
            r"expected boxes of shape \[1, 6, 4\], got tensor<1x6x5xf32>",
        ),
        (
            [(f32, 1, 6, 4), (f32, 1, 2, 6)],
            {"max_output": -1, "iou_threshold": 1.5},
            r"a max_output from 0, an iou_threshold in \[0, 1\], got -1, 1.5",
        ),
    ],
)
def test_others_are_refused(
    types: list[Any], parameters: dict[str, Any], message: str
) -> None:
    values = [create_ssa_value(tensor(each, shape)) for each, *shape in types]
    with pytest.raises(VerifyException, match=message):
        NonMaxSuppressionOp(*values, **({"max_output": 1} | parameters))
