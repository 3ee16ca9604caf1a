"""Networks with channels first and last compute the same, in ONNX Runtime too."""

from functools import lru_cache

import models
import numpy as np
import pytest
from onnx import ModelProto
from operators.oracle import run_onnxruntime

import glow
from glow.runtime.comparison import TOLERANCE, error_of

SMALL = {
    "mobilenet_v2": {"width": 0.25, "size": 96},
    "resnet50": {"width": 8, "size": 96},
}


@lru_cache(maxsize=1)
def small(name: str) -> ModelProto:
    return models.TWINS[name](**SMALL[name])


@pytest.mark.slow
@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("name", SMALL)
def test_channels_last_computes_the_same(name: str, affine: bool) -> None:
    first = small(name)
    last = models.channels_last(first, affine)
    inputs = models.inputs_of(first)
    (expected,) = run_onnxruntime(first, inputs)
    (found,) = run_onnxruntime(last, models.twin_inputs(inputs))
    assert np.std(expected) > 0.1
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["cpu", "reference-checked"])
@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("name", SMALL)
def test_targets_agree_with_onnxruntime(name: str, affine: bool, target: str) -> None:
    first = small(name)
    inputs = models.inputs_of(first)
    (expected,) = run_onnxruntime(first, inputs)
    net = glow.compile(models.channels_last(first, affine), target=target)
    (found,) = net.run(models.twin_inputs(inputs)).values()
    assert error_of(found, expected) < TOLERANCE
