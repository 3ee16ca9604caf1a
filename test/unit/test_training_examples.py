"""The examples that train: how far they come, and what PyTorch makes of the same."""

import numpy as np
import pytest
from onnxruntime import InferenceSession
from repository import load_example

import glow

# What `examples/character_transformer_torch.py` prints with PyTorch 2.15.
BY_TORCH = """
    4.020906 3.583199 3.605528 2.914078 2.634185 2.392981 2.314507
    2.015425 1.846314 1.788229 1.627907 1.662188 1.503045 1.324681
    1.243036 1.195248 1.222410 1.032200 0.996733 0.941315 0.878348
    0.797128 0.675315 0.764488 0.655737 0.612234 0.582860 0.634729
    0.501161 0.516915 0.521787 0.558406 0.444218 0.382843 0.411861
    0.383832 0.404561 0.331861 0.295434 0.273853 0.354377 0.336920
    0.201547 0.275101 0.248244 0.243661 0.201115 0.216945 0.222800
    0.196573
"""


@pytest.mark.slow
def test_losses_are_those_of_pytorch() -> None:
    transformer = load_example("character_transformer")
    expected = [float(loss) for loss in BY_TORCH.split()]
    np.testing.assert_allclose(transformer.train(50), expected, atol=1e-4)


@pytest.mark.slow
def test_the_last_layer_of_an_onnx_network_learns(tmp_path) -> None:
    example = load_example("fine_tune")
    trained, losses = example.train(60)
    assert np.mean(losses[-10:]) < 0.3 * losses[0]
    points = example.examples()
    path = tmp_path / "trained.onnx"
    trained.export(path)
    found = glow.compile(trained).run(points)
    expected = InferenceSession(path).run(["scores"], points)[0]
    np.testing.assert_allclose(found["scores"], expected, 1e-4, 1e-5)


@pytest.mark.slow
def test_digits_are_learned() -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib")
    accuracy, losses = load_example("digits").train(epochs=4)
    assert accuracy > 0.9
    assert losses[-1] < 0.2 * losses[0]


@pytest.mark.slow
def test_98_of_100_digits_are_recognized() -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib")
    accuracy, _ = load_example("digits").train()
    assert accuracy >= 0.98
