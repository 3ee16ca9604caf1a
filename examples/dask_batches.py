"""Score a data frame with Dask: `python examples/dask_batches.py net.onnx`."""

import sys
from typing import Any

import dask
import dask.dataframe as dd  # pip install 'glow-xdsl[distributed]'
import numpy as np
import pandas as pd

import glow


def score(path: str, count: int = 1000) -> Any:
    """Return a frame of ids with the outputs of the model for random inputs."""
    function = glow.udf(path, keep=["id"])
    (spec,) = function.executable.inputs
    images = np.random.default_rng(0).random((count, *spec.shape[1:]), np.float32)
    frame = pd.DataFrame({"id": range(count), spec.name: list(images)})
    with dask.config.set({"dataframe.convert-string": False}):
        parts = dd.from_pandas(frame, npartitions=8)
        scored = parts.map_partitions(function, meta=function(frame[:0]))
        return scored.compute(scheduler="processes")


if __name__ == "__main__":
    print(score(sys.argv[1]))
