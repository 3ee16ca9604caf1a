"""Recurrent networks as PyTorch exports them."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto

from models.builder import Graph


def lstm(
    batch: int = 1,
    length: int = 64,
    features: int = 96,
    hidden: int = 192,
    layers: int = 2,
    classes: int = 16,
    seed: int = 0,
) -> ModelProto:
    """Return a tagger: bidirectional LSTMs over [batch, length, features], a line."""
    graph = Graph(seed)
    value = graph.add("Transpose", "/embedded", "input", perm=(1, 0, 2))
    for index in range(layers):
        path = f"/lstm/{index}"
        inputs = features if index == 0 else 2 * hidden
        states = [_zeros(graph, f"{path}/{n}", batch, hidden) for n in "hc"]
        weights = [
            _uniform(graph, f"{path}.{name}", hidden**-0.5, 2, *shape)
            for name, shape in (
                ("weight_ih", (4 * hidden, inputs)),
                ("weight_hh", (4 * hidden, hidden)),
                ("bias", (8 * hidden,)),
            )
        ]
        states = [value, *weights, "", *states]
        settings = {"hidden_size": hidden, "direction": "bidirectional"}
        found = graph.add("LSTM", path, *states, **settings)
        turned = graph.add("Transpose", path, found, perm=(0, 2, 1, 3))
        shape = graph.constant(f"{path}/shape", (0, 0, -1), np.int64)
        value = graph.add("Reshape", path, turned, shape)
    value = graph.add("Transpose", "/tagged", value, perm=(1, 0, 2))
    value = graph.linear("/tags", value, 2 * hidden, classes)
    shapes = (batch, length, features), (batch, length, classes)
    return graph.model("lstm", value, {"input": shapes[0]}, shapes[1])


def _uniform(graph: Graph, name: str, bound: float, *shape: int) -> str:
    drawn = graph.rng.uniform(-bound, bound, shape)
    return graph.weight(name, drawn.astype(np.float32))


def _zeros(graph: Graph, path: str, batch: int, hidden: int) -> str:
    """Return an initial state, as exporters make it."""
    shape = graph.constant(path, (2, batch, hidden), np.int64)
    return graph.add("ConstantOfShape", path, shape)
