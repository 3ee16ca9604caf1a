"""Other runtimes, to compare with: the same inputs, one error measure."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from importlib import import_module
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from glow.runtime.comparison import error_of
from glow.runtime.signature import Signature
from glow.support.arrays import Array
from glow.support.dtypes import dtype_named
from glow.support.files import MODEL, kind_of_file

_BFLOAT16, _ONNX_BFLOAT16 = "bfloat16", 16

Run = Callable[[Mapping[str, Array]], dict[str, Array]]


def onnxruntime_peer(path: str, threads: int, signature: Signature) -> Run:
    """Return ONNX Runtime on the model of `path`, as a function of named inputs."""
    runtime = _runtime_for(path, "onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        session = runtime.InferenceSession(
            path, options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # its own classes share no base
        raise ValueError(f"{path}: ONNX Runtime does not take it: {error}") from error
    names = [spec.name for spec in signature.results]

    def run(inputs: Mapping[str, Array]) -> dict[str, Array]:
        return dict(zip(names, session.run(names, dict(inputs)), strict=True))

    def run_values(inputs: Mapping[str, Array]) -> dict[str, Array]:
        values = {name: _value_of(array) for name, array in inputs.items()}
        results = map(_array_of, session.run_with_ort_values(names, values))
        return dict(zip(names, results, strict=True))

    specs = (*signature.inputs, *signature.results)
    has_bfloat16 = any(spec.dtype.name == _BFLOAT16 for spec in specs)
    return run_values if has_bfloat16 else run


def _runtime_for(path: str, name: str) -> Any:
    if kind_of_file(Path(path)) != MODEL:
        raise ValueError(f"{path}: expected an ONNX model to run with {name}")
    return import_module(name)


def openvino_peer(
    path: str, threads: int, signature: Signature, precision: str = "f32"
) -> Run:
    """
    Return OpenVINO on the model of `path`, as a function of named inputs.

    The `precision` is set, as by default it takes bf16 where a processor has it.
    """
    runtime = _runtime_for(path, "openvino")
    options = {
        "INFERENCE_NUM_THREADS": threads,
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_PRECISION_HINT": precision,
    }
    try:
        model = runtime.Core().compile_model(path, "CPU", options)
    except RuntimeError as error:
        raise ValueError(f"{path}: OpenVINO does not take it: {error}") from error
    outputs = {spec.name: model.output(spec.name) for spec in signature.results}

    def run(inputs: Mapping[str, Array]) -> dict[str, Array]:
        results = model(dict(inputs))
        return {name: results[output] for name, output in outputs.items()}

    return run


def _value_of(array: Array) -> Any:
    """Return `array` for ONNX Runtime, bfloat16 as its bits."""
    make: Any = import_module("onnxruntime").OrtValue
    if array.dtype.name != _BFLOAT16:
        return make.ortvalue_from_numpy(array)
    bits = np.ascontiguousarray(array).view(np.uint16)
    return make.ortvalue_from_numpy_with_onnx_type(bits, _ONNX_BFLOAT16)


def _array_of(value: Any) -> Array:
    """Return a value of ONNX Runtime as an array; a copy if it is bfloat16."""
    if value.element_type() != _ONNX_BFLOAT16:
        return value.numpy()
    data = ctypes.string_at(value.data_ptr(), 2 * prod(value.shape()))
    return np.frombuffer(data, dtype_named(_BFLOAT16)).reshape(value.shape())


PEERS = {"onnxruntime": onnxruntime_peer, "openvino": openvino_peer}


def largest_error(actual: Mapping[str, Array], expected: Mapping[str, Array]) -> float:
    """Return the largest error over all outputs."""
    return max((error_of(actual[name], expected[name]) for name in expected), default=0)
