"""A recommender: features looked up in tables, multiplied with each other in pairs."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from onnx import ModelProto

from models.builder import Graph

WIDTH = 64
DENSE = 13
BAGS = ((10_000, 1), (20_000, 10), (40_000, 20), (10_000, 40), (30_000, 5), (5_000, 30))
"""Rows of each table, and how many of them are in a bag."""
WEIGHTED = (1, 3)


def recommender(batch: int = 1, seed: int = 1) -> ModelProto:
    """
    Return a model after DLRM (Naumov et al. 2019), as exporters write it.

    Bags of rows are gathered and summed, or averaged, some times weights. They and what
    an MLP makes of dense features are multiplied in pairs; another MLP makes one
    probability of the products.
    """
    graph = Graph(seed)
    shapes: dict[str, tuple[int, ...]] = {"dense": (batch, DENSE)}
    features = [_layers(graph, "/bottom", "dense", (DENSE, 256, 128, WIDTH), "Relu")]
    for index, (_, size) in enumerate(BAGS):
        shapes[f"ids{index}"] = (batch, size)
        if index in WEIGHTED:
            shapes[f"weights{index}"] = (batch, size)
        features.append(_bag(graph, index))
    value = _interaction(graph, features, batch)
    pairs = len(features) * (len(features) - 1) // 2
    value = _layers(graph, "/top", value, (WIDTH + pairs, 256, 128, 1), "Sigmoid")
    below = {f"ids{index}": rows for index, (rows, _) in enumerate(BAGS)}
    return graph.model("recommender", value, shapes, (batch, 1), below)


def _layers(
    graph: Graph, path: str, value: str, widths: tuple[int, ...], last: str
) -> str:
    for index, (rows, columns) in enumerate(pairwise(widths)):
        at = f"{path}.{index}"
        weight = graph.normal(f"{at}.weight", columns, rows, std=(2 / rows) ** 0.5)
        bias = graph.normal(f"{at}.bias", columns, std=0.1)
        value = graph.add("Gemm", at, value, weight, bias, transB=1)
        is_last = index == len(widths) - 2
        value = graph.add(last if is_last else "Relu", at, value)
    return value


def _bag(graph: Graph, index: int) -> str:
    """Sum a bag of rows; where there are no weights, every second bag is a mean."""
    path, (rows, size) = f"/bags.{index}", BAGS[index]
    is_sum = index in WEIGHTED or index % 2 == 0
    std = 0.6 * (size**-0.5 if is_sum else size**0.5)
    table = graph.normal(f"{path}.weight", rows, WIDTH, std=std)
    value = graph.add("Gather", path, table, f"ids{index}", axis=0)
    if index in WEIGHTED:
        axes = graph.constant(f"{path}/axes", [-1], np.int64)
        weights = graph.add("Unsqueeze", path, f"weights{index}", axes)
        value = graph.add("Mul", path, value, weights)
    if is_sum:
        axis = graph.constant(f"{path}/axis", [1], np.int64)
        return graph.add("ReduceSum", path, value, axis, keepdims=0)
    return graph.add("ReduceMean", path, value, axes=[1], keepdims=0)


def _interaction(graph: Graph, features: list[str], batch: int) -> str:
    """Return the dense features, and the product of each two of all features."""
    path, count = "/interaction", len(features)
    shape = graph.constant(f"{path}/shape", (batch, 1, WIDTH), np.int64)
    rows = [
        graph.add("Reshape", f"{path}.{index}", feature, shape)
        for index, feature in enumerate(features)
    ]
    stacked = graph.add("Concat", path, *rows, axis=1)
    turned = graph.add("Transpose", path, stacked, perm=[0, 2, 1])
    products = graph.add("MatMul", path, stacked, turned)
    flat = graph.constant(f"{path}/flat", (batch, count * count), np.int64)
    listed = graph.add("Reshape", path, products, flat)
    below = [i * count + j for i in range(count) for j in range(i)]
    places = graph.constant(f"{path}/places", below, np.int64)
    pairs = graph.add("Gather", path, listed, places, axis=1)
    return graph.add("Concat", f"{path}/output", features[0], pairs, axis=1)
