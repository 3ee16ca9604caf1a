"""Every model on every target gives what ONNX Runtime gives."""

import models
import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray
from sizes import but_for_the_largest

import glow
from glow.runtime.comparison import error_of

pytestmark = pytest.mark.slow

TARGETS = ("reference", "reference-checked", "cpu")
TOLERANCE = 1e-4

Arrays = dict[str, NDArray[np.float32]]


def expected(name: str) -> tuple[glow.Model, Arrays, Arrays]:
    """Return a model, inputs for it, and ONNX Runtime's outputs."""
    proto = models.build(name)
    inputs = models.inputs_of(proto)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(proto.SerializeToString(), options)
    names = [output.name for output in session.get_outputs()]
    outputs = dict(zip(names, session.run(names, inputs), strict=True))
    return glow.load(proto), inputs, outputs


@pytest.mark.parametrize("name", but_for_the_largest(models.MODELS))
def test_targets_agree_with_onnxruntime(name: str) -> None:
    model, inputs, outputs = expected(name)
    nets = {target: glow.compile(model, target=target) for target in TARGETS}
    errors: dict[str, float] = {}
    for target, net in nets.items():
        found = net.run(inputs)
        assert set(found) == set(outputs)
        errors[target] = max(error_of(found[key], outputs[key]) for key in outputs)
    assert max(errors.values()) <= TOLERANCE, errors
    # That says something only if other inputs give other numbers.
    other = nets["cpu"].run({key: array[..., ::-1] for key, array in inputs.items()})
    assert all(error_of(other[key], outputs[key]) > 1e-2 for key in outputs)
