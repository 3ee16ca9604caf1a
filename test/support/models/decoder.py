"""A block of a decoder: grouped attention with a cache, and a gated feed-forward."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto, helper

from models.builder import Graph

OPSET = 23
POSITIONS = 256


def decoder_step(past: int = 128, seed: int = 0) -> ModelProto:
    """Return a block that takes one token, and `past` ones from the cache."""
    return decoder(1, past, seed=seed)


def decoder_prefill(length: int = 128, seed: int = 0) -> ModelProto:
    """Return a block that takes `length` tokens, and fills the cache."""
    return decoder(length, 0, seed=seed)


def decoder(
    length: int,
    past: int,
    width: int = 512,
    heads: int = 8,
    kv_heads: int = 2,
    wide: int = 1408,
    seed: int = 0,
) -> ModelProto:
    """
    Return a block over embedded tokens, normalised before each half.

    Without a past there is no input for one.
    """
    graph, head = Graph(seed, OPSET), width // heads
    cache, present = (1, kv_heads, past, head), (1, kv_heads, past + length, head)
    inputs = {"input": (1, length, width), "positions": (1, length)}
    if past:
        inputs |= {"past_key": cache, "past_value": cache}
    mixed = _attention(graph, width, heads, kv_heads, has_past=past > 0)
    value = graph.add("Add", "/attention", "input", mixed)
    fed = _feed_forward(graph, value, width, wide)
    node = helper.make_node("Add", [value, fed], ["output"], "/output/Add")
    graph.nodes.append(node)
    outputs = {"output": (1, length, width)}
    outputs |= {"present_key": present, "present_value": present}
    return graph.model("decoder", outputs, inputs, below={"positions": POSITIONS})


def _attention(
    graph: Graph, width: int, heads: int, kv_heads: int, has_past: bool
) -> str:
    path, head = "/attention", width // heads
    value = _normalised(graph, "/norm1", "input", width)
    parts: list[str] = []
    angles = np.outer(np.arange(POSITIONS), 1e4 ** -(np.arange(0, head, 2) / head))
    cos = graph.weight("rotary.cos", np.cos(angles).astype(np.float32))
    sin = graph.weight("rotary.sin", np.sin(angles).astype(np.float32))
    for part, count in (("query", heads), ("key", kv_heads), ("value", kv_heads)):
        at = f"{path}/{part}"
        made = _product(graph, at, value, width, count * head)
        if part != "value":
            turned = (made, cos, sin, "positions")
            made = graph.add("RotaryEmbedding", at, *turned, num_heads=count)
        parts.append(made)
    past = ["", "past_key", "past_value"] if has_past else []
    outputs = [f"{path}/output_0", "present_key", "present_value"]
    node = helper.make_node(
        "Attention",
        [*parts, *past],
        outputs,
        f"{path}/Attention",
        is_causal=1,
        q_num_heads=heads,
        kv_num_heads=kv_heads,
    )
    graph.nodes.append(node)
    return _product(graph, f"{path}/output", outputs[0], width, width)


def _feed_forward(graph: Graph, value: str, width: int, wide: int) -> str:
    """Multiply what is widened by a gate, x * sigmoid(x), and narrow it again."""
    path = "/feed_forward"
    value = _normalised(graph, "/norm2", value, width)
    gate = _product(graph, f"{path}/gate", value, width, wide)
    active = graph.add("Mul", f"{path}/gate", gate, graph.add("Sigmoid", path, gate))
    opened = _product(graph, f"{path}/up", value, width, wide)
    gated = graph.add("Mul", path, active, opened)
    return _product(graph, f"{path}/down", gated, wide, width)


def _product(graph: Graph, path: str, value: str, rows: int, columns: int) -> str:
    weight = graph.normal(f"{path}.weight", rows, columns, std=rows**-0.5)
    return graph.add("MatMul", path, value, weight)


def _normalised(graph: Graph, path: str, value: str, width: int) -> str:
    scale = graph.rng.uniform(0.8, 1.2, width).astype(np.float32)
    weight = graph.weight(f"{path}.weight", scale)
    return graph.add("RMSNormalization", path, value, weight, epsilon=1e-5)
