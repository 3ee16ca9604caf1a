"""Models computed in f64, to measure the errors of those in f32 against."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

import glow

Array = NDArray[Any]

_STAYS = {"Resize": (1, 2), "Upsample": (1,)}
"""The inputs that operators take in f32 alone."""


def run_in_double(model: ModelProto, inputs: dict[str, Array]) -> dict[str, Array]:
    """Return the outputs of a model in f32 that is computed in f64."""
    net = glow.compile(in_double(model), "reference")
    return net.run({name: _widened(array) for name, array in inputs.items()})


def in_double(model: ModelProto) -> ModelProto:
    """Return a copy of a model whose tensors of f32 are of f64."""
    found = ModelProto()
    found.CopyFrom(model)
    graph = found.graph
    stays = {
        name
        for node in graph.node
        for i, name in enumerate(node.input)
        if i in _STAYS.get(node.op_type, ())
    }
    for tensor in graph.initializer:
        if tensor.name not in stays:
            _widen(tensor)
    for node in graph.node:
        if not stays.intersection(node.output):
            _widen_attributes(node)
    for info in (*graph.input, *graph.output):
        if info.type.tensor_type.elem_type == TensorProto.FLOAT:
            info.type.tensor_type.elem_type = TensorProto.DOUBLE
    del graph.value_info[:]
    return found


def _widen_attributes(node: NodeProto) -> None:
    if node.op_type == "ConstantOfShape" and not node.attribute:
        zero = numpy_helper.from_array(np.zeros(1, np.float32))
        node.attribute.append(helper.make_attribute("value", zero))
    for attribute in node.attribute:
        if attribute.name == "value":
            _widen(attribute.t)
        if node.op_type == "Cast" and attribute.i == TensorProto.FLOAT:
            attribute.i = TensorProto.DOUBLE


def _widen(tensor: TensorProto) -> None:
    if tensor.data_type == TensorProto.FLOAT:
        wide = _widened(numpy_helper.to_array(tensor))
        tensor.CopyFrom(numpy_helper.from_array(wide, tensor.name))


def _widened(array: Array) -> Array:
    return array.astype(np.float64) if array.dtype == np.float32 else array
