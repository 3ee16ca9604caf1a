"""Other runtimes, to compare with: the same inputs, one error measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numpy as np

from glow.runtime.signature import Array, Signature

TOLERANCE = 1e-4
"""The largest error that two right implementations may differ by."""

Run = Callable[[Mapping[str, Array]], dict[str, Array]]


def onnxruntime_peer(path: str, threads: int, signature: Signature) -> Run:
    """Return ONNX Runtime on the model of `path`, as a function of named inputs."""
    if not path.endswith(".onnx"):
        raise ValueError(f"{path}: ONNX Runtime runs .onnx files only")
    runtime: Any = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = runtime.InferenceSession(
        path, options, providers=["CPUExecutionProvider"]
    )
    names = [spec.name for spec in signature.outputs]

    def run(inputs: Mapping[str, Array]) -> dict[str, Array]:
        return dict(zip(names, session.run(names, dict(inputs)), strict=True))

    return run


def openvino_peer(path: str, threads: int, signature: Signature) -> Run:
    """
    Return OpenVINO on the model of `path`, as a function of named inputs.

    It computes in f32, as we do: by default it takes bf16 where a processor has it.
    Errors: a model that it does not take.
    """
    if not path.endswith(".onnx"):
        raise ValueError(f"{path}: expected an .onnx file to run with OpenVINO")
    runtime: Any = import_module("openvino")
    options = {
        "INFERENCE_NUM_THREADS": threads,
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_PRECISION_HINT": "f32",
    }
    try:
        model = runtime.Core().compile_model(path, "CPU", options)
    except RuntimeError as error:
        raise ValueError(f"{path}: OpenVINO does not take it: {error}") from error
    outputs = {spec.name: model.output(spec.name) for spec in signature.outputs}

    def run(inputs: Mapping[str, Array]) -> dict[str, Array]:
        found = model(dict(inputs))
        return {name: found[output] for name, output in outputs.items()}

    return run


PEERS = {"onnxruntime": onnxruntime_peer, "openvino": openvino_peer}


def error_of(actual: Array, expected: Array) -> float:
    """
    Return the largest |difference|, as a fraction of the largest finite |value|.

    Elements that are the same infinity, or both not a number, do not differ.
    """
    a, b = (np.asarray(array, np.float64) for array in (actual, expected))
    with np.errstate(invalid="ignore"):
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        difference = np.where(same, 0.0, np.abs(a - b))
    if np.isnan(difference).any():
        return float("inf")
    finite = np.abs(b[np.isfinite(b)])
    scale = float(finite.max(initial=0.0)) or 1.0
    return float(difference.max(initial=0.0)) / scale


def largest_error(actual: Mapping[str, Array], expected: Mapping[str, Array]) -> float:
    """Return the largest error over all outputs."""
    return max((error_of(actual[name], expected[name]) for name in expected), default=0)
