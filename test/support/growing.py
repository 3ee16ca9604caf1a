"""Models of several shapes, each of as many nodes, or operands, as asked for."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from onnx import ModelProto, TensorProto, ValueInfoProto, helper

Make = Callable[[int], ModelProto]

WIDTH = 16
FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


class Graph:
    """A model that is written node by node."""

    def __init__(self, *shape: int):
        self.nodes: list[Any] = []
        self.weights: list[TensorProto] = []
        self.inputs: list[ValueInfoProto] = []
        self.x = self.input(*shape or (1, WIDTH))

    def __call__(
        self, kind: str, *inputs: str, count: int = 1, **attributes: Any
    ) -> str:
        """Append a node; return its result, or what its `count` results begin with."""
        name = f"v{len(self.nodes)}"
        names = [name] if count == 1 else [f"{name}_{i}" for i in range(count)]
        self.nodes.append(helper.make_node(kind, inputs, names, **attributes))
        return name

    def input(self, *shape: int) -> str:
        name = f"x{len(self.inputs)}"
        self.inputs.append(helper.make_tensor_value_info(name, FLOAT, shape))
        return name

    def weight(self, *shape: int) -> str:
        """Return a constant that no other is like."""
        first = len(self.weights)
        numbers = [(first + i) % 997 / 499 for i in range(prod(shape))]
        return self._constant(shape, FLOAT, numbers)

    def numbers(self, *numbers: int) -> str:
        return self._constant((len(numbers),), INT64, numbers)

    def _constant(self, shape: tuple[int, ...], kind: int, numbers: Any) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(helper.make_tensor(name, kind, shape, numbers))
        return name

    def model(self, *outputs: str) -> ModelProto:
        values = [helper.make_tensor_value_info(name, FLOAT, None) for name in outputs]
        graph = helper.make_graph(self.nodes, "g", self.inputs, values, self.weights)
        opset = helper.make_opsetid("", 18)
        return helper.make_model(graph, opset_imports=[opset], ir_version=9)


def _chain(step: Callable[[Graph, str], str], *shape: int) -> Make:
    """Return what makes a model whose nodes follow on one another by `step`."""

    def make(count: int) -> ModelProto:
        graph = Graph(*shape)
        value = graph.x
        while len(graph.nodes) < count:
            value = step(graph, value)
        return graph.model(value)

    return make


def _one(kind: str, **attributes: Any) -> Make:
    """Return what makes a model of one node with many operands."""

    def make(count: int) -> ModelProto:
        graph = Graph()
        pair = graph("Relu", graph.x), graph("Sigmoid", graph.x)
        return graph.model(graph(kind, *(pair * count)[:count], **attributes))

    return make


def _slice(graph: Graph, value: str) -> str:
    """Add another part of the input to `value`."""
    start = len(graph.nodes) % 48
    begin, end = graph.numbers(start), graph.numbers(start + WIDTH)
    part = graph("Slice", graph.x, begin, end, graph.numbers(1))
    return graph("Add", part, part if value == graph.x else value)


def _pieces(count: int) -> ModelProto:
    """Return a model that splits its input into many parts and joins every other."""
    graph = Graph(count, WIDTH)
    parts = graph("Split", graph.x, count=count, axis=0, num_outputs=count)
    every_other = [f"{parts}_{i}" for i in range(0, count, 2)]
    return graph.model(graph("Concat", *every_other, axis=0))


def _parts(count: int) -> ModelProto:
    """Return a model that splits its input into as many outputs."""
    graph = Graph(count, WIDTH)
    parts = graph("Split", graph.x, count=count, axis=0, num_outputs=count)
    return graph.model(*(f"{parts}_{i}" for i in range(count)))


def _outputs(count: int) -> ModelProto:
    graph = Graph()
    values = [graph("Sigmoid", graph.x)]
    while len(values) < count:
        values.append(graph("Sigmoid", values[-1]))
    return graph.model(*values)


def _transposed(graph: Graph, value: str) -> str:
    return graph("Softmax", graph("Transpose", value, perm=[1, 0]), axis=1)


def _reshaped(graph: Graph, value: str) -> str:
    flat = graph("Reshape", value, graph.numbers(1, WIDTH * WIDTH))
    square = graph("Reshape", graph("Softmax", flat), graph.numbers(WIDTH, WIDTH))
    return graph("Softmax", square, axis=1)


def _residual(graph: Graph, value: str) -> str:
    product = graph("MatMul", value, graph.weight(WIDTH, WIDTH))
    return graph("Add", value, graph("Sigmoid", product))


SHAPES: dict[str, Make] = {
    "elementwise": _chain(lambda g, v: g("Add", g("Sigmoid", v), g.weight(WIDTH))),
    "products": _chain(lambda g, v: g("MatMul", v, g.weight(WIDTH, WIDTH))),
    "convolutions": _chain(
        lambda g, v: g("Conv", v, g.weight(WIDTH, WIDTH, 1, 1)), 1, WIDTH, 4, 4
    ),
    "residual": _chain(_residual),
    "softmaxes": _chain(lambda g, v: g("Softmax", v)),
    "reductions": _chain(
        lambda g, v: g("Sub", v, g("ReduceMax", v, g.numbers(1), keepdims=1))
    ),
    "transposes": _chain(_transposed, WIDTH, WIDTH),
    "reshapes": _chain(_reshaped, WIDTH, WIDTH),
    "slices": _chain(_slice, 1, 64),
    "inputs": _chain(lambda g, v: g("Add", v, g.input(1, WIDTH))),
    "outputs": _outputs,
    "sum": _one("Sum"),
    "maximum": _one("Max"),
    "concat": _one("Concat", axis=0),
    "split": _pieces,
    "parts": _parts,
}
