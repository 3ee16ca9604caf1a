"""A block of a decoder: grouped attention with a cache, and a gated feed-forward."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import ModelProto, helper

from models.builder import Graph

OPSET = 23
CACHE_OPSET = 24  # of TensorScatter
POSITIONS = 256

STATES = {"present_key": "past_key", "present_value": "past_value"}
"""Which inputs of the next step the outputs of a step are."""


def decoder_step(past: int = 128, seed: int = 0) -> ModelProto:
    """Return a block that takes one token, and `past` ones from the cache."""
    return decoder(1, past, seed=seed)


def decoder_prefill(length: int = 128, seed: int = 0) -> ModelProto:
    """Return a block that takes `length` tokens, and fills the cache."""
    return decoder(length, 0, seed=seed)


def decoder(
    length: int,
    past: int | str,
    width: int = 512,
    heads: int = 8,
    kv_heads: int = 2,
    wide: int = 1408,
    positions: int = POSITIONS,
    seed: int = 0,
) -> ModelProto:
    """
    Return a block over embedded tokens, normalized before each half.

    Without a past there is no input for one; a string is one of any length.
    """
    graph, head = Graph(seed, OPSET), width // heads
    total = f"{past} + {length}" if isinstance(past, str) else past + length
    cache, present = (1, kv_heads, past, head), (1, kv_heads, total, head)
    inputs: dict[str, Any] = {"input": (1, length, width), "positions": (1, length)}
    if past:
        inputs |= {"past_key": cache, "past_value": cache}
    parts = _projected(graph, width, heads, kv_heads, "positions", positions)
    given = ["", "past_key", "past_value"] if past else []
    made = ["/attention/output_0", "present_key", "present_value"]
    node = helper.make_node(
        "Attention",
        [*parts, *given],
        made,
        "/attention/Attention",
        is_causal=1,
        q_num_heads=heads,
        kv_num_heads=kv_heads,
    )
    graph.nodes.append(node)
    _finish(graph, made[0], width, wide)
    outputs: dict[str, Any] = {"output": (1, length, width)}
    outputs |= {"present_key": present, "present_value": present}
    return graph.model("decoder", outputs, inputs, below={"positions": positions})


def decoder_cached(
    capacity: int | str = 256,
    width: int = 512,
    heads: int = 8,
    kv_heads: int = 2,
    wide: int = 1408,
    positions: int = POSITIONS,
    seed: int = 0,
) -> ModelProto:
    """
    Return the same block over one token, with a cache that has room for `capacity`.

    The input `length` says how many tokens are in the cache, which `STATES` ties. A
    string as capacity is any, and `positions` how many places are known then.
    """
    room = positions if isinstance(capacity, str) else capacity
    graph, head = Graph(seed, CACHE_OPSET), width // heads
    pair = graph.weight("pair", np.array([1, 1]))
    position = graph.add("Reshape", "/position", "length", pair)
    parts = _projected(graph, width, heads, kv_heads, position, room)
    counts = {"query": heads, "key": kv_heads, "value": kv_heads}
    for at, (part, count) in enumerate(counts.items()):
        path = f"/attention/{part}"
        shape = graph.weight(f"{path}.heads", np.array([1, 1, count, head]))
        split = graph.add("Reshape", path, parts[at], shape)
        parts[at] = graph.add("Transpose", path, split, perm=[0, 2, 1, 3])
    for at, part in ((1, "key"), (2, "value")):
        given = [f"past_{part}", parts[at], "length"]
        node = helper.make_node(
            "TensorScatter", given, [f"present_{part}"], f"/{part}/TensorScatter"
        )
        graph.nodes.append(node)
        parts[at] = node.output[0]
    one = graph.weight("one", np.array([1]))
    valid = graph.add("Add", "/length", "length", one)
    mixed = graph.add("Attention", "/attention", *parts, "", "", "", valid)
    joined = graph.add("Transpose", "/joined", mixed, perm=[0, 2, 1, 3])
    shape = graph.weight("joined.shape", np.array([1, 1, width]))
    _finish(graph, graph.add("Reshape", "/joined", joined, shape), width, wide)
    cache = (1, kv_heads, capacity, head)
    inputs: dict[str, Any] = {"input": (1, 1, width), "length": (1,)}
    inputs |= {"past_key": cache, "past_value": cache}
    outputs: dict[str, Any] = {"output": (1, 1, width)}
    outputs |= {"present_key": cache, "present_value": cache}
    return graph.model("decoder", outputs, inputs, below={"length": room})


def _finish(graph: Graph, value: str, width: int, wide: int) -> None:
    """Add what attention gives to the input, and what the second half makes of it."""
    mixed = _product(graph, "/attention/output", value, width, width)
    value = graph.add("Add", "/attention", "input", mixed)
    fed = _feed_forward(graph, value, width, wide)
    node = helper.make_node("Add", [value, fed], ["output"], "/output/Add")
    graph.nodes.append(node)


def _projected(
    graph: Graph, width: int, heads: int, kv_heads: int, positions: str, room: int
) -> list[str]:
    """Return query, key and value; the first two turned by where their tokens are."""
    path, head = "/attention", width // heads
    value = _normalized(graph, "/norm1", "input", width)
    parts: list[str] = []
    angles = np.outer(np.arange(room), 1e4 ** -(np.arange(0, head, 2) / head))
    cos = graph.weight("rotary.cos", np.cos(angles).astype(np.float32))
    sin = graph.weight("rotary.sin", np.sin(angles).astype(np.float32))
    for part, count in (("query", heads), ("key", kv_heads), ("value", kv_heads)):
        at = f"{path}/{part}"
        made = _product(graph, at, value, width, count * head)
        if part != "value":
            turned = (made, cos, sin, positions)
            made = graph.add("RotaryEmbedding", at, *turned, num_heads=count)
        parts.append(made)
    return parts


def _feed_forward(graph: Graph, value: str, width: int, wide: int) -> str:
    """Multiply what is widened by a gate, x * sigmoid(x), and narrow it again."""
    path = "/feed_forward"
    value = _normalized(graph, "/norm2", value, width)
    gate = _product(graph, f"{path}/gate", value, width, wide)
    active = graph.add("Mul", f"{path}/gate", gate, graph.add("Sigmoid", path, gate))
    opened = _product(graph, f"{path}/up", value, width, wide)
    gated = graph.add("Mul", path, active, opened)
    return _product(graph, f"{path}/down", gated, wide, width)


def _product(graph: Graph, path: str, value: str, rows: int, columns: int) -> str:
    weight = graph.normal(f"{path}.weight", rows, columns, std=rows**-0.5)
    return graph.add("MatMul", path, value, weight)


def _normalized(graph: Graph, path: str, value: str, width: int) -> str:
    scale = graph.rng.uniform(0.8, 1.2, width).astype(np.float32)
    weight = graph.weight(f"{path}.weight", scale)
    return graph.add("RMSNormalization", path, value, weight, epsilon=1e-5)
