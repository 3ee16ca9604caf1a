"""Random networks on every target against ONNX Runtime; hypothesis shrinks failures."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, note, settings

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

onnxruntime = pytest.importorskip("onnxruntime")

from onnx import ModelProto, checker, printer  # noqa: E402
from random_models import networks  # noqa: E402

import glow  # noqa: E402

pytestmark = pytest.mark.slow

QUIET = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    print_blob=True,
)


def check(model: ModelProto, target: str) -> None:
    note(printer.to_text(model))
    checker.check_model(model, full_check=True)
    (info,) = model.graph.input
    shape = [dim.dim_value for dim in info.type.tensor_type.shape.dim]
    inputs = {"x": np.random.default_rng(7).standard_normal(shape).astype(np.float32)}
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    expected: list[Any] = session.run(None, inputs)
    found = glow.compile(glow.load(model), target=target).run(inputs)
    for (name, array), wanted in zip(found.items(), expected, strict=True):
        assert array.shape == wanted.shape, name
        largest = max(1.0, float(np.abs(wanted).max(initial=0)))
        np.testing.assert_allclose(array, wanted, rtol=0, atol=1e-4 * largest)


@settings(QUIET, max_examples=60)
@given(networks())
def test_reference(model: ModelProto) -> None:
    check(model, "reference")


@settings(QUIET, max_examples=25)
@given(networks())
def test_cpu(model: ModelProto) -> None:
    check(model, "cpu")


@pytest.mark.full
@settings(QUIET, max_examples=2000)
@given(networks())
def test_cpu_at_length(model: ModelProto) -> None:
    check(model, "cpu")
