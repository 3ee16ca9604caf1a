"""What others say that a model computes: ONNX Runtime, or else onnx.reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto

from operators.case import Case, feeds_of, model_of

Array = NDArray[Any]

# Of the largest magnitude in a result, and at least of 1.
TOLERANCES = {"float32": 2e-5, "float64": 1e-9}

# Operators whose f64 the others compute in f32, wholly or in part.
NARROW = {
    "Attention",
    "Erf",
    "Gelu",
    "GroupNormalization",
    "HardSwish",
    "Resize",
    "Shrink",
}


def run_onnxruntime(
    model: ModelProto, feeds: Mapping[str, Array], optimized: bool = True
) -> list[Array]:
    """Return the outputs of `model` as ONNX Runtime computes them on one thread."""
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    if not optimized:
        level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.graph_optimization_level = level
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, dict(feeds))


def expected_of(cases: Sequence[Case]) -> list[list[Array] | None]:
    """Return the outputs of each case, or None where neither can run it."""
    try:
        if any(map(_saturates, cases)):
            return [_expected(each) for each in cases]
        flat = iter(run_onnxruntime(model_of(cases), feeds_of(cases), False))
        return [[next(flat) for _ in range(each.outputs)] for each in cases]
    except Exception:  # ONNX Runtime's errors have no common base
        return [_expected(each) for each in cases]


def _saturates(each: Case) -> bool:
    """Say whether ONNX Runtime is wrong on processors without VNNI: u8 times i8."""
    right = {"MatMulInteger": 1, "QLinearConv": 3, "QLinearMatMul": 3}.get(each.op)
    if right is None:
        return False
    left, other = each.inputs[0], each.inputs[right]
    types = [str(factor.dtype) for factor in (left, other) if factor is not None]
    return types == ["uint8", "int8"]


def _expected(each: Case) -> list[Array] | None:
    from onnx.reference import ReferenceEvaluator

    model, feeds = model_of([each]), feeds_of([each])
    if not _saturates(each):
        try:
            return run_onnxruntime(model, feeds, False)
        except Exception:
            pass
    try:
        with np.errstate(all="ignore"):
            return [np.asarray(y) for y in ReferenceEvaluator(model).run(None, feeds)]
    except Exception:
        return None


def difference(op: str, actual: Array, expected: Array) -> str | None:
    """Say how `actual` differs from `expected` by more than the tolerance, if so."""
    if actual.dtype != expected.dtype or actual.shape != expected.shape:
        return (
            f"expected {expected.dtype}{list(expected.shape)}, "
            f"got {actual.dtype}{list(actual.shape)}"
        )
    if expected.dtype.kind != "f":
        same = actual == expected
    else:
        finite = expected[np.isfinite(expected)]
        scale = max(1.0, float(np.abs(finite).max(initial=0)))
        name = "float32" if op in NARROW else expected.dtype.name
        limit = TOLERANCES[name] * scale
        same = np.isclose(actual, expected, rtol=0, atol=limit, equal_nan=True)
    if same.all():
        return None
    first = np.argwhere(~same)[0]
    at = tuple(int(index) for index in first)
    count = int((~same).sum())
    return f"{count} of {same.size} differ, at {at} {actual[at]} from {expected[at]}"
