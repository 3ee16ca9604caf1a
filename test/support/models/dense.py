"""Networks of matrix products, built node by node as exporters write them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from onnx import ModelProto

from models.builder import Graph


def mlp(
    batch: int = 1, seed: int = 0, widths: Sequence[int] = (784, 512, 256, 10)
) -> ModelProto:
    """Return products of these widths with relu and softmax, of Gemm nodes."""
    graph, value = Graph(seed), "input"
    for index, (rows, columns) in enumerate(pairwise(widths)):
        path = f"/fc{index}"
        weight = graph.normal(f"{path}.weight", columns, rows, std=(2 / rows) ** 0.5)
        bias = graph.normal(f"{path}.bias", columns, std=0.1)
        value = graph.add("Gemm", path, value, weight, bias, transB=1)
        if columns != widths[-1]:
            value = graph.add("Relu", path, value)
    value = graph.add("Softmax", "", value, axis=-1)
    return graph.model("mlp", value, {"input": (batch, widths[0])}, (batch, widths[-1]))


def encoder(
    batch: int = 1,
    layers: int = 4,
    width: int = 512,
    heads: int = 8,
    length: int = 128,
    seed: int = 0,
    symbolic: bool = False,
) -> ModelProto:
    """
    Return a transformer encoder over embedded tokens, normalized after each block.

    With `symbolic` the batch is the dimension "batch", and shapes are computed from
    the input by Shape, Gather and Concat.
    """
    graph, value = Graph(seed), "input"
    extent = "batch" if symbolic else batch
    for index in range(layers):
        path = f"/layers.{index}"
        rows = _batch(graph, path, value) if symbolic else batch
        mixed = _attention(graph, f"{path}/attention", value, rows, width, heads)
        value = _normalized(graph, f"{path}/norm1", value, mixed, width)
        fed = _feed_forward(graph, f"{path}/feed_forward", value, width)
        value = _normalized(graph, f"{path}/norm2", value, fed, width)
    shape = (extent, length, width)
    return graph.model("encoder", value, {"input": shape}, shape)


def _batch(graph: Graph, path: str, value: str) -> str:
    """Return the batch as a list of one, computed from the shape."""
    zero = graph.constant(f"{path}/zero", 0, np.int64)
    axes = graph.constant(f"{path}/axes", [0], np.int64)
    extent = graph.add("Gather", path, graph.add("Shape", path, value), zero)
    return graph.add("Unsqueeze", path, extent, axes)


def _reshaped(graph: Graph, path: str, value: str, batch: int | str, *rest: int) -> str:
    if isinstance(batch, int):
        shape = graph.constant(path, (batch, *rest), np.int64)
    else:
        tail = graph.constant(path, rest, np.int64)
        shape = graph.add("Concat", path, batch, tail, axis=0)
    return graph.add("Reshape", path, value, shape)


def _attention(
    graph: Graph, path: str, value: str, batch: int | str, width: int, heads: int
) -> str:
    parts: dict[str, str] = {}
    for part, order in (("query", 0), ("key", 1), ("value", 0)):
        at = f"{path}/{part}"
        flat = graph.linear(at, value, width, width)
        split = _reshaped(graph, at, flat, batch, -1, heads, width // heads)
        permutation = (0, 2, 3, 1) if order else (0, 2, 1, 3)
        parts[part] = graph.add("Transpose", at, split, perm=permutation)
    root = graph.constant(f"{path}/root", (width // heads) ** 0.5, np.float32)
    scores = graph.add("MatMul", f"{path}/scores", parts["query"], parts["key"])
    scaled = graph.add("Div", path, scores, root)
    weights = graph.add("Softmax", path, scaled, axis=-1)
    mixed = graph.add("MatMul", path, weights, parts["value"])
    joined = graph.add("Transpose", path, mixed, perm=(0, 2, 1, 3))
    flat = _reshaped(graph, f"{path}/join", joined, batch, -1, width)
    return graph.linear(f"{path}/output", flat, width, width)


def _feed_forward(graph: Graph, path: str, value: str, width: int) -> str:
    """Widen four times, apply the error-function form of gelu, and narrow again."""
    wide = graph.linear(f"{path}/widen", value, width, 4 * width)
    root = graph.constant(f"{path}/root", 2**0.5, np.float32)
    one = graph.constant(f"{path}/one", 1, np.float32)
    half = graph.constant(f"{path}/half", 0.5, np.float32)
    erf = graph.add("Erf", path, graph.add("Div", path, wide, root))
    gate = graph.add("Mul", path, wide, graph.add("Add", path, erf, one))
    active = graph.add("Mul", f"{path}/gelu", gate, half)
    return graph.linear(f"{path}/narrow", active, 4 * width, width)


def _normalized(graph: Graph, path: str, value: str, change: str, width: int) -> str:
    total = graph.add("Add", path, value, change)
    scale = graph.rng.uniform(0.8, 1.2, width).astype(np.float32)
    return graph.add(
        "LayerNormalization",
        path,
        total,
        graph.weight(f"{path}.weight", scale),
        graph.normal(f"{path}.bias", width, std=0.1),
        axis=-1,
        epsilon=1e-5,
    )
