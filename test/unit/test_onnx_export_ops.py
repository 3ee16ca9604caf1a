"""Random calls of every op written as ONNX, read back, and run by ONNX Runtime."""

from __future__ import annotations

import re

import numpy as np
import onnx
import pytest
from canonical import canonical
from operators.oracle import run_onnxruntime
from random_ops import GENERATORS, calls
from random_ops.call import Array, Call
from random_ops.programs import program_of

from glow.formats.onnx import import_model
from glow.graph_modules import exported
from glow.support.errors import UnsupportedModelError

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),  # NumPy's, of NaN
]

# What no operator of ONNX computes, nor several.
REFUSED = re.compile(
    r"Pow of a tensor\(uint64\)|MaxPool of a tensor\(u?int(16|32|64)\)"
    r"|NonMaxSuppression of a tensor\(double\)|ReduceLogSum(Exp)? of a tensor\(u?int"
)

# ONNX Runtime approximates; of f64 it computes some in f32, and attributes are f32.
TOLERANCES = {"float32": 2e-5, "float64": 2e-6}


def run_if_possible(proto: onnx.ModelProto, arrays: list[Array]) -> list[Array] | None:
    """Return what ONNX Runtime computes, or None where it has no kernel."""
    names = [each.name for each in proto.graph.input]
    problem = ""
    try:
        return run_onnxruntime(proto, dict(zip(names, arrays, strict=True)), False)
    except Exception as error:  # of no common class
        problem = str(error)
    assert "INVALID_GRAPH" not in problem, problem
    return None


def check_call(call: Call) -> str:
    """Export one call, and say how that went: it is refused, run, or has no kernel."""
    module, arrays = program_of([call])
    refusal, proto = "", None
    try:
        proto = exported(module, "call")
    except UnsupportedModelError as error:
        refusal = str(error)
    if proto is None:
        assert REFUSED.search(refusal), f"{call}: {refusal}"
        return "refused"
    onnx.checker.check_model(proto)
    assert canonical(import_model(proto)) == canonical(module), str(call)
    found = run_if_possible(proto, arrays)
    for result, expected in zip(found or (), call.expected(), strict=found is not None):
        assert result.dtype == expected.dtype
        finite = np.abs(expected[np.isfinite(expected)].astype(np.float64))
        tolerance = TOLERANCES.get(expected.dtype.name, 0)
        most = tolerance * max(1, finite.max(initial=0))
        np.testing.assert_allclose(result, expected, tolerance, most, err_msg=str(call))
    return "run" if found is not None else "no kernel"


@pytest.mark.parametrize("name", GENERATORS)
def test_an_op_is_read_back_and_computes_the_same(name: str) -> None:
    (call,) = calls(name, 1, seed=0)
    check_call(call)


@pytest.mark.full
@pytest.mark.parametrize("name", GENERATORS)
def test_an_op_is_read_back_at_length(name: str) -> None:
    for call in calls(name, 12, seed=1):
        if not any(np.isnan(a).any() for a in call.arrays if a.dtype.kind == "f"):
            check_call(call)
