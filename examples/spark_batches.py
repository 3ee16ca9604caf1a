"""Score a data frame with Spark: `python examples/spark_batches.py net.onnx`."""

import sys

import numpy as np
from pyspark.sql import SparkSession

import glow

if __name__ == "__main__":
    function = glow.udf(sys.argv[1], keep=["id"])
    (spec,), (output,) = function.executable.inputs, function.outputs
    images = np.random.default_rng(0).random((1000, *spec.shape[1:]), np.float32)
    rows = [(i, image.reshape(-1).tolist()) for i, image in enumerate(images)]
    frame = SparkSession.builder.getOrCreate().createDataFrame(rows, ["id", spec.name])
    frame.mapInPandas(function, f"id long, `{output}` array<float>").show(5)
