"""Random ONNX: cases of operators with other floats, and small networks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache

import numpy as np
from graphs import Array, Notes, targets
from hypothesis import HealthCheck, Phase, given, seed, settings
from onnx import ModelProto
from operators import all_cases
from operators.case import Case, feeds_of, model_of
from operators.oracle import difference as difference_to_others
from operators.oracle import expected_of, run_onnxruntime
from random_models import networks

import glow


@cache
def _cases() -> dict[str, list[Case]]:
    by_op: dict[str, list[Case]] = defaultdict(list)
    for op, cases in all_cases().items():
        by_op[op] += cases
    return by_op


def check_operator(number: int, notes: Notes) -> None:
    """Compare an ONNX operator on other floats with ONNX Runtime or onnx.reference."""
    rng = np.random.default_rng(number)
    ops = list(_cases())
    cases = _cases()[ops[number % len(ops)]]
    case = cases[int(rng.integers(len(cases)))]
    inputs = tuple(
        _redrawn(array, rng) if case.fed(k) else array
        for k, array in enumerate(case.inputs)
    )
    case = Case(
        case.op, inputs, case.attributes, case.constants, case.outputs, case.opset
    )
    model = model_of([case])
    notes["model.onnx"] = model.SerializeToString()
    notes |= {f"{name}.npy": array for name, array in feeds_of([case]).items()}
    spec = [each for each in targets() if each != "memory"][number % 2]
    results = glow.compile(model, target=spec).run(feeds_of([case])).values()
    (expected,) = expected_of([case])
    wrong = [
        problem
        for mine, other in zip(results, expected or [], strict=expected is not None)
        if (problem := difference_to_others(case.op, mine, other)) is not None
    ]
    assert not wrong, f"{case} on {spec}: {wrong}"


def _redrawn(array: Array | None, rng: np.random.Generator) -> Array | None:
    """Return other floats between the least and the largest of `array`."""
    if array is None or array.dtype.kind != "f" or not array.size:
        return array
    if not np.isfinite(array).all():
        return array
    low, high = float(array.min()), float(array.max())
    return rng.uniform(low, high, array.shape).astype(array.dtype)


def check_networks(number: int, notes: Notes) -> None:
    """Compare ten random networks with ONNX Runtime."""

    @seed(number)
    @settings(
        max_examples=10,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(networks())
    def compare(model: ModelProto) -> None:
        notes["model.onnx"] = model.SerializeToString()
        rng = np.random.default_rng(number)
        net = glow.compile(model, target=("cpu", "reference")[number % 2])
        feeds: dict[str, Array] = {}
        for spec in net.inputs:
            drawn = rng.standard_normal(spec.shape) * 3
            feeds[spec.name] = np.asarray(drawn, spec.dtype)
        results = list(net.run(feeds).values())
        try:
            _check_equal(results, run_onnxruntime(model, feeds))
        except AssertionError:
            # ONNX Runtime's LRN subtracts squares from a running sum, which cancels;
            # that of onnx.reference leaves channels out.
            if all(node.op_type != "LRN" for node in model.graph.node):
                raise
            other = glow.compile(model, target=("reference", "cpu")[number % 2])
            _check_equal(results, list(other.run(feeds).values()))

    compare()


def _check_equal(results: Sequence[Array], expected: Sequence[Array]) -> None:
    for found, wanted in zip(results, expected, strict=True):
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
        largest = max(1.0, float(np.abs(wanted).max(initial=0)))
        limit = 1e-4 * largest if found.dtype.kind == "f" else 0
        np.testing.assert_allclose(found, wanted, rtol=0, atol=limit)
