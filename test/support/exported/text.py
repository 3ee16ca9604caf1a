"""Models as text: weights are their shapes alone, and made anew when it is read."""

from __future__ import annotations

from zlib import crc32

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper, parser, printer

# Numbers that are as many are weights, which the tests may choose.
WEIGHTS_FROM = 33


def written(model: ModelProto) -> str:
    """
    Return `model` as text, without weights and what only people read.

    Weights stay as names with a type and no node that makes them. Values between nodes
    are called after these.
    """
    proto = ModelProto()
    proto.CopyFrom(model)
    proto.ClearField("doc_string")
    del proto.metadata_props[:]
    graph = proto.graph
    del graph.value_info[:], graph.metadata_props[:]
    _rename_values(proto)
    kept: list[TensorProto] = []
    for tensor in graph.initializer:
        array = numpy_helper.to_array(tensor)
        if array.dtype.kind == "f" and array.size >= WEIGHTS_FROM:
            shape = array.shape
            graph.value_info.append(
                helper.make_tensor_value_info(tensor.name, tensor.data_type, shape)
            )
        else:
            kept.append(_listed(tensor))
    del graph.initializer[:]
    graph.initializer.extend(kept)
    for value in (*graph.input, *graph.output):
        del value.metadata_props[:]
    return printer.to_text(proto) + "\n"


def _rename_values(proto: ModelProto) -> None:
    fixed = {value.name for value in (*proto.graph.input, *proto.graph.output)}
    names: dict[str, str] = {}
    for index, node in enumerate(proto.graph.node):
        for field in ("doc_string", "name"):
            node.ClearField(field)
        del node.metadata_props[:]
        for name in node.output:
            if name and name not in fixed:
                names[name] = f"{node.op_type}_{index}_{len(names)}"
        for attribute in node.attribute:
            if attribute.HasField("t"):
                attribute.t.CopyFrom(_listed(attribute.t))
    for node in proto.graph.node:
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names.get(name, name) for name in node.output]


def _listed(tensor: TensorProto) -> TensorProto:
    """Return `tensor` with its elements one by one, as they are printed."""
    array = numpy_helper.to_array(tensor)
    values = array.reshape(-1).tolist()
    return helper.make_tensor(tensor.name, tensor.data_type, array.shape, values)


def parsed(text: str) -> ModelProto:
    """Return the model of `text`, its weights random, the same each time."""
    model = parser.parse_model(text)
    for value in model.graph.value_info:
        kind = value.type.tensor_type
        shape = [dim.dim_value for dim in kind.shape.dim]
        rng = np.random.default_rng(crc32(value.name.encode()))
        if len(shape) > 1:
            array = rng.standard_normal(shape) / 8
        elif value.name.endswith("bias"):
            array = rng.standard_normal(shape) / 4
        else:  # a scale or variance
            array = rng.uniform(0.5, 1.5, shape)
        dtype = helper.tensor_dtype_to_np_dtype(kind.elem_type)
        model.graph.initializer.append(
            numpy_helper.from_array(array.astype(dtype), value.name)
        )
    del model.graph.value_info[:]
    return model
