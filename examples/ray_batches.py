"""Score a dataset with Ray: `python examples/ray_batches.py net.onnx`."""

import sys
from typing import Any

import numpy as np
import ray  # pip install 'glow-xdsl[distributed]'

import glow


def score(path: str, count: int = 1000) -> list[Any]:
    """Return rows of random inputs with the outputs of the model, by their ids."""
    function = glow.udf(path, keep=["id"])
    (spec,) = function.executable.inputs
    images = np.random.default_rng(0).random((count, *spec.shape[1:]), np.float32)
    rows = [{"id": i, spec.name: image} for i, image in enumerate(images)]
    scored = ray.data.from_items(rows).map_batches(function, batch_size=64)
    return sorted(scored.take_all(), key=lambda row: row["id"])


if __name__ == "__main__":
    print(score(sys.argv[1])[0])
