"""Random networks on every target against ONNX Runtime; hypothesis shrinks failures."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, note, settings
from numpy.typing import NDArray

onnxruntime = pytest.importorskip("onnxruntime")

from onnx import ModelProto, TensorProto, ValueInfoProto, checker, printer  # noqa: E402
from random_models import networks  # noqa: E402

import glow  # noqa: E402

pytestmark = pytest.mark.slow


def input_of(info: ValueInfoProto) -> tuple[str, NDArray[Any]]:
    """Return the name of an input and elements of its type."""
    shape = [dim.dim_value for dim in info.type.tensor_type.shape.dim]
    rng = np.random.default_rng(7)
    if info.type.tensor_type.elem_type == TensorProto.INT64:
        return info.name, np.asarray(rng.integers(-9, 10, shape))
    return info.name, rng.standard_normal(shape).astype(np.float32)


def check(model: ModelProto, target: str) -> None:
    note(printer.to_text(model))
    checker.check_model(model, full_check=True)
    inputs = dict(map(input_of, model.graph.input))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    expected: list[Any] = session.run(None, inputs)
    found = glow.compile(glow.load(model), target=target).run(inputs)
    for (name, array), wanted in zip(found.items(), expected, strict=True):
        assert (array.shape, array.dtype) == (wanted.shape, wanted.dtype), name
        largest = max(1.0, float(np.abs(wanted).max(initial=0)))
        limit = 1e-4 * largest if array.dtype.kind == "f" else 0
        np.testing.assert_allclose(array, wanted, rtol=0, atol=limit, err_msg=name)


@settings(max_examples=60)
@given(networks())
def test_reference(model: ModelProto) -> None:
    check(model, "reference")


@settings(max_examples=25)
@given(networks())
def test_cpu(model: ModelProto) -> None:
    check(model, "cpu")


@pytest.mark.full
@settings(max_examples=2000)
@given(networks())
def test_cpu_at_length(model: ModelProto) -> None:
    check(model, "cpu")
