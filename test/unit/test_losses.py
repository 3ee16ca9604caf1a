"""What losses are at numbers at which their definition, written out, is not."""

import numpy as np
import pytest
from graph_code import module_of
from xdsl.ir import SSAValue

import glow
from glow.dialects.graph.loss import BinaryCrossEntropyWithLogitsLossOp


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_binary_cross_entropy_is_finite_where_a_probability_rounds_to_0(
    target: str,
) -> None:
    x, t = np.array([-300, -2, 0.5, 300.0]), np.array([1, 0.25, 1, 0])
    weight, positive = np.array([1, 3, 0.5, 2]), np.array(7.0)

    def body(*values: SSAValue) -> list[SSAValue]:
        each = BinaryCrossEntropyWithLogitsLossOp(*values, reduction="none")
        mean = BinaryCrossEntropyWithLogitsLossOp(*values)
        return [each.result, mean.result]

    arrays = [array.astype(np.float32) for array in (x, t, weight, positive)]
    losses, mean = glow.compile(module_of(arrays, {}, body), target)(*arrays)
    s = 1 / (1 + np.exp(-x))  # in f64, where this is not 0
    expected = weight * (-positive * t * np.log(s) + (1 - t) * np.log1p(np.exp(x)))
    np.testing.assert_allclose(losses, expected, rtol=2e-6)
    np.testing.assert_allclose(mean, expected.mean(), rtol=2e-6)
