"""Score a data frame with Spark: `python examples/spark_batches.py net.onnx`."""

import os
import sys
from typing import Any

import numpy as np
from pyspark.sql import SparkSession

import glow

# Else Spark's workers are of the python3 that PATH names, which may lack glow.
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


def score(path: str, count: int = 1000) -> Any:
    """Return a frame of ids with the first output of the model for random inputs."""
    net = glow.compile(path)
    (spec,), output = net.inputs, net.outputs[0].name
    function = glow.udf(net, keep=["id"], outputs=[output])
    images = np.random.default_rng(0).random((count, *spec.shape[1:]), np.float32)
    rows = [(i, image.reshape(-1).tolist()) for i, image in enumerate(images)]
    frame = SparkSession.builder.getOrCreate().createDataFrame(rows, ["id", spec.name])
    return frame.mapInPandas(function, f"id long, `{output}` array<float>").toPandas()


if __name__ == "__main__":
    print(score(sys.argv[1]))
