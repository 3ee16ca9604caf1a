"""Small ONNX models from a few words, for tests of the importer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import (
    FunctionProto,
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    helper,
    numpy_helper,
)

Shape = Sequence[int | str | None]

KINDS = {
    "f32": TensorProto.FLOAT,
    "f64": TensorProto.DOUBLE,
    "i32": TensorProto.INT32,
    "i64": TensorProto.INT64,
    "i1": TensorProto.BOOL,
    "u8": TensorProto.UINT8,
    "f16": TensorProto.FLOAT16,
    "bf16": TensorProto.BFLOAT16,
    "f8": TensorProto.FLOAT8E5M2,
}


def node(op: str, inputs: str, outputs: str, name: str = "", **attributes: Any) -> Any:
    """Return a node; names are separated by blanks, and `-` leaves one out."""
    given, made = (
        ["" if part == "-" else part for part in text.split()]
        for text in (inputs, outputs)
    )
    return helper.make_node(op, given, made, name, **attributes)


def info(name: str, shape: Shape | None, kind: str = "f32") -> ValueInfoProto:
    return helper.make_tensor_value_info(name, KINDS[kind], shape)


def model(
    nodes: Sequence[NodeProto],
    inputs: Mapping[str, Shape | ValueInfoProto],
    outputs: Sequence[str | ValueInfoProto],
    weights: Mapping[str, NDArray[Any]] | None = None,
    opset: int = 17,
    functions: Sequence[FunctionProto] = (),
    domains: Mapping[str, int] | None = None,
) -> ModelProto:
    """Return a model; inputs by shape are of f32, outputs by name have no type."""
    graph = helper.make_graph(
        nodes,
        "graph",
        [
            given if isinstance(given, ValueInfoProto) else info(name, given)
            for name, given in inputs.items()
        ],
        [
            ValueInfoProto(name=output) if isinstance(output, str) else output
            for output in outputs
        ],
        [numpy_helper.from_array(a, n) for n, a in (weights or {}).items()],
    )
    versions = {"": opset, **(domains or {})}
    return helper.make_model(
        graph,
        ir_version=8,
        functions=functions,
        opset_imports=[helper.make_opsetid(d, v) for d, v in versions.items()],
    )


def relu_model() -> ModelProto:
    """Return a model of two nodes and one weight."""
    weight = np.arange(12, dtype=np.float32).reshape(3, 4) - 6
    nodes = [node("MatMul", "x w", "h", "product"), node("Relu", "h", "y", "relu")]
    return model(nodes, {"x": (2, 3)}, ["y"], {"w": weight})
