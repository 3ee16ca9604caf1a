"""
Weights that mean something: random, and scaled layer by layer.

Two images run through the network as its weights are drawn by a seed, so that
activations keep about unit variance and outputs depend on the input.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx
from google.protobuf.message import Message
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, ValueInfoProto, helper, numpy_helper

Array = NDArray[Any]

IR_VERSION = 8
LOGITS_STD = 1.5
_IMAGES = 2


def calibrated(model: ModelProto, seed: int) -> ModelProto:
    """Give the weights of `model` values drawn by `seed`; return it."""
    return _Calibration(model, seed).run()


def image(seed: int, shape: Sequence[int]) -> Array:
    """Return noise of several scales, as smooth as a photograph, of unit variance."""
    rng = np.random.default_rng(seed)
    height, width = shape[-2:]
    total = np.zeros(shape, np.float32)
    for cell in (56, 14, 4, 1):
        rows, columns = -(-height // cell), -(-width // cell)
        coarse = rng.standard_normal((*shape[:-2], rows, columns), np.float32)
        fine = coarse.repeat(cell, -2).repeat(cell, -1)[..., :height, :width]
        total += fine * np.float32(cell**0.5)
    return total / total.std()


class _Calibration:
    """Runs a network node by node, and scales each weight when it is reached."""

    def __init__(self, model: ModelProto, seed: int):
        self._model = model
        self._rng = np.random.default_rng(seed)
        self._weights = {
            t.name: numpy_helper.to_array(t).copy() for t in model.graph.initializer
        }
        self._readers = {
            name: node.op_type for node in model.graph.node for name in node.input
        }
        self._values: dict[str, list[Array]] = {}
        self._last_linear: tuple[str, ...] = ()

    def run(self) -> ModelProto:
        graph = self._model.graph
        inputs = [i for i in graph.input if i.name not in self._weights]
        for info in inputs:
            shape = [d.dim_value for d in info.type.tensor_type.shape.dim]
            self._values[info.name] = [image(k, shape) for k in range(_IMAGES)]
        for node in graph.node:
            self._visit(node)
        self._store(inputs)
        return self._model

    def _store(self, inputs: list[ValueInfoProto]) -> None:
        """Write the weights into the model, and no longer list them as inputs."""
        graph = self._model.graph
        kept = [n for n in graph.node if n.op_type != "ConstantOfShape"]
        read = {name for node in kept for name in node.input}
        read -= {name for node in kept for name in node.output}
        for field, values in ((graph.node, kept), (graph.input, inputs)):
            copies = [copy_of(value) for value in values]
            del field[:]
            field.extend(copies)
        del graph.initializer[:]
        for name in [name for name in self._weights if name in read]:
            array = self._weights.pop(name)
            dtype = helper.np_dtype_to_tensor_dtype(array.dtype)
            tensor = graph.initializer.add(name=name, data_type=dtype)
            tensor.dims.extend(array.shape)
            tensor.raw_data = array.tobytes()
        self._model.ir_version = IR_VERSION

    def _visit(self, node: NodeProto) -> None:
        """Give the node's weights their values, then compute its outputs."""
        visitors: dict[str, Callable[[NodeProto], None]] = {
            "BatchNormalization": self._batch_norm,
            "ConstantOfShape": self._fill,
            "Conv": self._linear,
            "Gemm": self._linear,
            "Reshape": self._reshape,
            "Softmax": self._softmax,
            "Unsqueeze": self._unsqueeze,
        }
        visitors.get(node.op_type, self._compute)(node)

    def _fill(self, node: NodeProto) -> None:
        shape = self._weights[node.input[0]]
        self._weights[node.output[0]] = np.zeros(shape, np.float32)

    def _compute(self, node: NodeProto) -> None:
        for k in range(_IMAGES):
            feeds = {
                name: self._weights[name] if name in self._weights else values[k]
                for name in filter(None, node.input)
                for values in [self._values.get(name, [])]
            }
            result = run_node(node, feeds, self._model)
            self._values.setdefault(node.output[0], []).append(result)

    def _linear(self, node: NodeProto) -> None:
        """Scale a convolution or product to unit variance, and center its channels."""
        weight, *bias = node.input[1:]
        drawn = self._weights[weight]
        drawn[...] = self._rng.standard_normal(drawn.shape, np.float32)
        for name in bias:
            self._weights[name][...] = 0
        self._compute(node)
        results = self._values[node.output[0]]
        scale = _rounded(1 / np.std(results))
        drawn *= scale
        shift = np.zeros(1, np.float32)
        for name in bias:
            noise = self._rng.standard_normal(self._weights[name].shape, np.float32)
            self._weights[name] += noise * np.float32(0.1)
            if node.op_type == "Conv":
                mean = np.mean(results, axis=(0, 1, 3, 4), dtype=np.float32)
                self._weights[name] -= mean * scale
            shift = self._weights[name].reshape(-1, *[1] * (results[0].ndim - 2))
        for result in results:
            result *= scale
            result += shift
        self._last_linear = (weight, *bias)

    def _batch_norm(self, node: NodeProto) -> None:
        """Give the node the statistics that its input has."""
        scale, bias, mean, variance = node.input[1:]
        data = np.stack(self._values[node.input[0]])
        channels = data.shape[2]
        measured = np.var(data, axis=(0, 1, 3, 4), dtype=np.float32)
        self._weights |= {
            scale: self._rng.uniform(0.6, 1.4, channels).astype(np.float32),
            bias: self._rng.standard_normal(channels, np.float32) * np.float32(0.2),
            mean: np.mean(data, axis=(0, 1, 3, 4), dtype=np.float32),
            variance: np.maximum(measured, np.float32(0.05)),
        }
        self._compute(node)

    def _reshape(self, node: NodeProto) -> None:
        """Keep a reshaped weight as a view, so that both are scaled together."""
        source, shape = node.input
        if source in self._weights:
            view = self._weights[source].reshape(self._weights[shape])
            self._weights[node.output[0]] = view
        else:
            self._compute(node)

    def _unsqueeze(self, node: NodeProto) -> None:
        """Draw the scale or bias that the node makes fit for broadcasting."""
        name, result = node.input[0], node.output[0]
        weight = self._weights[name]
        if self._readers[result] == "Mul":
            weight[...] = self._rng.uniform(0.6, 1.4, weight.shape)
        else:
            weight[...] = self._rng.standard_normal(weight.shape) * 0.2
        self._compute(node)

    def _softmax(self, node: NodeProto) -> None:
        """Scale the last product so that no class takes all; then homogeneous."""
        logits = self._values[node.input[0]]
        scale = _rounded(LOGITS_STD / np.mean([np.std(value) for value in logits]))
        for name in self._last_linear:
            self._weights[name] *= scale
        for value in logits:
            value *= scale
        self._compute(node)


def copy_of(message: Message) -> Message:
    """Return a copy of a protobuf message."""
    copy = type(message)()
    copy.CopyFrom(message)
    return copy


def run_node(node: NodeProto, feeds: dict[str, Array], model: ModelProto) -> Array:
    """Return the first output of `node` as ONNX Runtime computes it."""
    import onnxruntime

    infos = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
        )
        for name, array in feeds.items()
    ]
    result = onnx.ValueInfoProto(name=node.output[0])
    single = helper.make_model(
        helper.make_graph([node], "node", infos, [result]),
        ir_version=IR_VERSION,
        opset_imports=model.opset_import,
    )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        single.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run([node.output[0]], feeds)[0]


def _rounded(scale: float) -> np.float32:
    """Keep three digits, so that another processor gets the same weights."""
    return np.float32(f"{scale:.2e}")
