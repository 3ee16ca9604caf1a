"""Graphs under construction, node by node as exporters write them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import (
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    helper,
    numpy_helper,
)

Array = NDArray[Any]

IR_VERSION = 10
OPSET = 17

BELOW = "below"
"""The metadata of an integer input that says below what its elements must lie."""


class Graph:
    """Nodes and weights of a graph under construction; names are given by path."""

    def __init__(self, seed: int, opset: int = OPSET):
        self.opset = opset
        self.nodes: list[NodeProto] = []
        self.weights: dict[str, Array] = {}
        self.rng = np.random.default_rng(seed)

    def weight(self, name: str, array: Array) -> str:
        self.weights[name] = array
        return name

    def normal(self, name: str, *shape: int, std: float) -> str:
        drawn = self.rng.standard_normal(shape, np.float32) * np.float32(std)
        return self.weight(name, drawn)

    def constant(self, path: str, value: Any, dtype: type) -> str:
        """Add a Constant node, as exporters do for scalars and shapes."""
        output = f"{path}/Constant_output_0"
        tensor = numpy_helper.from_array(np.array(value, dtype))
        self.nodes.append(
            helper.make_node(
                "Constant", [], [output], name=f"{path}/Constant", value=tensor
            )
        )
        return output

    def add(self, op: str, path: str, *inputs: str, **attributes: Any) -> str:
        """Add a node named by its place, and return its output."""
        name = f"{path}/{op}"
        node = helper.make_node(op, inputs, [f"{name}_output_0"], name, **attributes)
        self.nodes.append(node)
        return node.output[0]

    def linear(self, path: str, value: str, rows: int, columns: int) -> str:
        """Multiply by a weight and add a bias, as a layer over the last axis."""
        weight = self.normal(f"{path}.weight", rows, columns, std=rows**-0.5)
        bias = self.normal(f"{path}.bias", columns, std=0.1)
        return self.add("Add", path, bias, self.add("MatMul", path, value, weight))

    def model(
        self,
        name: str,
        value: str | dict[str, Any],
        inputs: dict[str, Any],
        shape: Any = None,
        below: dict[str, int] | None = None,
    ) -> ModelProto:
        """
        Return the model that computes `value`, of `shape`, as its output `output`.

        Where there are several, `value` gives the shape of each, and they keep their
        names. Inputs in `below` are integers (i64) in [0, below), the others floats.
        """
        if isinstance(value, str):
            node = helper.make_node("Identity", [value], ["output"], "out")
            self.nodes.append(node)
            value = {"output": shape}
        graph = helper.make_graph(
            self.nodes,
            name,
            [_input(n, s, (below or {}).get(n)) for n, s in inputs.items()],
            [
                helper.make_tensor_value_info(n, TensorProto.FLOAT, s)
                for n, s in value.items()
            ],
            [numpy_helper.from_array(a, n) for n, a in self.weights.items()],
        )
        opsets = [helper.make_opsetid("", self.opset)]
        return helper.make_model(graph, ir_version=IR_VERSION, opset_imports=opsets)


def _input(name: str, shape: Any, below: int | None) -> ValueInfoProto:
    if below is None:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    info = helper.make_tensor_value_info(name, TensorProto.INT64, shape)
    info.metadata_props.add(key=BELOW, value=str(below))
    return info
