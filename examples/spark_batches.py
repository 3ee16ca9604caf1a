"""Score a data frame with Spark: `python examples/spark_batches.py net.onnx`."""

import os
import sys
from typing import Any

import numpy as np
from pyspark.sql import SparkSession

import glow

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # not any python3, for workers


def score(path: str, count: int = 1000) -> Any:
    """Return a frame of ids with the first output of the model for random inputs."""
    net = glow.compile(path)
    (spec,), output = net.inputs, net.outputs[0]
    function = glow.udf(net, keep=["id"], outputs=[output.name])
    images = np.random.default_rng(0).random((count, *spec.shape[1:]), np.float32)
    rows = [(i, image.reshape(-1).tolist()) for i, image in enumerate(images)]
    frame = SparkSession.builder.getOrCreate().createDataFrame(rows, ["id", spec.name])
    kind = "long" if output.dtype.kind in "iu" else "float"
    kind = f"array<{kind}>" if len(output.shape) > 1 else kind
    return frame.mapInPandas(function, f"id long, `{output.name}` {kind}").toPandas()


if __name__ == "__main__":
    print(score(sys.argv[1]))
