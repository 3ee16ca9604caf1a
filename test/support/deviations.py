"""Corners where ONNX Runtime, `onnx.reference` and we differ, and what we decided."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from warnings import catch_warnings

import numpy as np
import onnxruntime
from onnx.reference import ReferenceEvaluator
from operators.case import Case, case, feeds_of, ints, model_of

import glow

Array = np.ndarray[Any, Any]
INF, NAN = float("inf"), float("nan")
MOST = 9
"""The elements that a cell shows."""


def floats(*values: float, shape: Sequence[int] = (-1,)) -> Array:
    return np.array(values, np.float32).reshape(shape)


def integers(*values: int, dtype: str = "i4") -> Array:
    return np.array(values, dtype)


def column(count: int) -> Array:
    """Return an image of one column, whose pixels are numbered from 1."""
    return np.arange(1, count + 1, dtype=np.float32).reshape(1, 1, count, 1)


def ones(*shape: int) -> Array:
    return np.ones(shape, np.float32)


def gru(**attributes: Any) -> Case:
    random = np.random.default_rng(0)
    x, w, r = (
        scale * random.standard_normal(shape).astype(np.float32)
        for scale, shape in ((3, (6, 1, 3)), (2, (1, 6, 3)), (2, (1, 6, 2)))
    )
    return case("GRU", x, w, r, hidden_size=2, constants=(1, 2), **attributes)


@dataclass(frozen=True)
class Deviation:
    """A case, and why we compute what we do."""

    title: str
    case: Case
    reason: str


NUMPY = "as NumPy"
WRAPS = "integers wrap, as in all other operators, and as in NumPy"
NAN_STAYS = "NaN is never hidden, as ONNX says"
SAME = "SAME adds no pads where windows leave gaps, as in TensorFlow"
REAL_PADS = "pads are zeros, and 0 times an infinity is NaN"
_INFINITE = floats(INF, 1, 1, 1, shape=(1, 1, 2, 2))
_CROP = floats(0, 0, 0.25, 0.25, 1, 1, 0.75, 1.25)
_IMAGE = floats(1, 2, 3, 4, shape=(1, 1, 2, 2))
_HOLE = floats(1, 2, 3, 4, NAN, 6, 7, 8, 9, shape=(1, 1, 3, 3))
_CROPPED = {"coordinate_transformation_mode": "tf_crop_and_resize"}
_TOP = 2**31 - 1

DEVIATIONS = [
    Deviation(
        "ConvTranspose, SAME, a stride above the kernel",
        case("ConvTranspose", column(2), ones(1, 1, 1, 1), constants=(1,),
            auto_pad="SAME_UPPER", strides=[3, 1]),
        "the result has stride times as many rows, as ONNX says",
    ),
    Deviation(
        "Conv, SAME, a stride above the kernel",
        case("Conv", column(5), ones(1, 1, 2, 1), constants=(1,),
            auto_pad="SAME_UPPER", strides=[5, 1]),
        SAME,
    ),
    Deviation(
        "AveragePool, SAME, a stride above the kernel",
        case("AveragePool", column(7), auto_pad="SAME_UPPER", strides=[4, 1],
            kernel_shape=[1, 1]),
        SAME,
    ),
    Deviation(
        "AveragePool below opset 19, a kernel above the image, counting pads",
        case("AveragePool", column(3), kernel_shape=[7, 1], strides=[7, 1],
            count_include_pad=1, opset=11),
        "what lies beyond the pads never counts, as since opset 19",
    ),
    Deviation(
        "MaxPool, SAME, a stride above the kernel",
        case("MaxPool", column(7), auto_pad="SAME_UPPER", strides=[4, 1],
            kernel_shape=[1, 1]),
        SAME,
    ),
    Deviation(
        "MaxPool, SAME, with dilations",
        case("MaxPool", column(7), auto_pad="SAME_UPPER", kernel_shape=[3, 1],
            strides=[3, 1], dilations=[2, 1]),
        "the result has a row for each stride, as without dilations",
    ),
    Deviation(
        "Resize, tf_crop_and_resize, scales of 1",
        case("Resize", _IMAGE, _CROP, ones(4), constants=(1, 2), mode="nearest",
            extrapolation_value=9.0, **_CROPPED),
        "a region is cut out whatever the scales are",
    ),
    Deviation(
        "QuantizeLinear of NaN",
        case("QuantizeLinear", floats(NAN, INF, -INF), floats(1),
            integers(0, dtype="i1"), constants=(1, 2)),
        "0, as of every saturating conversion",
    ),
    Deviation(
        "Conv, pads times an infinite weight",
        case("Conv", ones(1, 1, 2, 2), _INFINITE, constants=(1,), pads=[1, 1, 0, 0]),
        REAL_PADS,
    ),
    Deviation(
        "LogSoftmax of an infinity in f64",
        case("LogSoftmax", np.array([INF, 1, 2])),
        "NaN, as in f32",
    ),
    Deviation(
        "ReduceLogSumExp of infinities",
        case("ReduceLogSumExp", floats(INF, INF), keepdims=0),
        "the limit",
    ),
    Deviation(
        "GRU with unbounded activations",
        gru(activations=["Elu", "Softplus"]),
        "as the formulas of ONNX say, infinite where the result is",
    ),
    Deviation(
        "Pow of integers that is too large",
        case("Pow", integers(2, 3, 2), integers(31, 21, 40)),
        "the power in f64, converted as Cast does",
    ),
    Deviation(
        "Pow of integers, negative exponents",
        case("Pow", integers(2, -1, 0), integers(-1, -1, -1)),
        "the power in f64, converted as Cast does",
    ),
    Deviation("ReduceSum of integers that is too large",
        case("ReduceSum", integers(_TOP, 1), keepdims=0), WRAPS),
    Deviation("ReduceProd of integers that is too large",
        case("ReduceProd", integers(2**20, 2**20), keepdims=0), WRAPS),
    Deviation("ReduceMean of integers whose sum is too large",
        case("ReduceMean", integers(_TOP, _TOP, 1), keepdims=0), WRAPS),
    Deviation("ReduceSumSquare of integers that is too large",
        case("ReduceSumSquare", integers(65536, 1), keepdims=0), WRAPS),
    Deviation("ReduceL1 of the lowest integer",
        case("ReduceL1", integers(-_TOP - 1, 0), keepdims=0), WRAPS),
    Deviation("ReduceL2 of integers whose squares are too large",
        case("ReduceL2", integers(65536, 65536), keepdims=0), WRAPS),
    Deviation("MaxPool over NaN",
        case("MaxPool", _HOLE, kernel_shape=[2, 2]), NAN_STAYS),
    Deviation("GlobalMaxPool over NaN", case("GlobalMaxPool", _HOLE), NAN_STAYS),
    Deviation("ReduceMax over NaN",
        case("ReduceMax", _HOLE, keepdims=0), NAN_STAYS),
    Deviation("LpPool over NaN",
        case("LpPool", _HOLE, kernel_shape=[2, 2]), NAN_STAYS),
    Deviation("ArgMax over NaN", case("ArgMax", floats(1, NAN, 3)),
        "NaN wins only in the first place, as in ONNX Runtime"),
    Deviation("ReduceMean of nothing",
        case("ReduceMean", floats(), ints(0), constants=(1,), keepdims=0, opset=18),
        NUMPY),
]  # fmt: skip


def text_of(arrays: Iterable[Any]) -> str:
    """Return arrays as a cell shows them: the shape of a large one, some elements."""
    texts: list[str] = []
    for array in map(np.asarray, arrays):
        form = "" if array.dtype.kind == "i" else ".4g"
        values = [format(value, form) for value in array.ravel()[:MOST].tolist()]
        more = " ..." if array.size > MOST else ""
        shape = f" {list(array.shape)}" if array.ndim > 1 else ""
        texts.append((" ".join(values) + more + shape).strip())
    return "; ".join(texts)


def ours(one: Case, target: str) -> str:
    net = glow.compile(model_of([one]), target=target)
    return text_of(net.run(feeds_of([one])).values())


def _of_peer(run: Callable[[], Sequence[Any]]) -> str:
    try:
        with np.errstate(all="ignore"):
            return text_of(run())
    except Exception:  # each has exceptions of its own
        return "refused"


def of_onnxruntime(one: Case) -> str:
    def run() -> Sequence[Any]:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        content = model_of([one]).SerializeToString()
        session = onnxruntime.InferenceSession(
            content, options, providers=["CPUExecutionProvider"]
        )
        return session.run(None, feeds_of([one]))

    return _of_peer(run)


def of_onnx(one: Case) -> str:
    evaluate = ReferenceEvaluator(model_of([one])).run
    with catch_warnings(action="ignore"):
        return _of_peer(lambda: evaluate(None, feeds_of([one])))


def rows() -> list[list[str]]:
    """Return the cells of all deviations: the title, three results, the reason."""
    return [
        [each.title, ours(each.case, "reference"), of_onnxruntime(each.case),
            of_onnx(each.case), each.reason]
        for each in DEVIATIONS
    ]  # fmt: skip
