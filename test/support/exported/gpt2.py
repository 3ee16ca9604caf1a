"""A decoder with a past, by tracing: its mask is cut from a triangle."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto, helper

from exported.tracing import (
    HEAD,
    HEADS,
    I64,
    LOWEST,
    PLACES,
    WIDTH,
    Traced,
    model,
)


def gpt2() -> ModelProto:
    """Return a decoder: places after the past, a mask cut from a triangle."""
    graph = Traced(1, opset=13)
    past = graph.size("/past", "past_key_values.0.key", 2)
    new = graph.size("/new", "input_ids", 1)
    every = graph.add("Add", "/every", past, new)
    places = graph.unsqueeze("/places", graph.arange("/places", past, every), 0)
    places = graph.add("Reshape", "/view", places, graph.shape("/view", -1, new))
    table = graph.normal("wpe.weight", PLACES, WIDTH, std=1)
    value = graph.add(
        "Add",
        "/in",
        graph.words("input_ids"),
        graph.add("Gather", "/wpe", table, places),
    )
    batch = graph.size("/batch", "input_ids", 0)
    mask = graph.view("/mask/view", "attention_mask", batch, -1)
    mask = graph.inverted("/mask", graph.unsqueeze("/mask", mask, 1, 2))
    mixed, keys, values = _attention(graph, value, mask)
    value = graph.add("Add", "/out", value, mixed)
    batch_new = ("batch_size", "sequence_length")
    cache = ("batch_size", HEADS, "past_sequence_length", HEAD)
    present = (*cache[:2], "past_sequence_length + sequence_length", HEAD)
    return model(
        graph,
        "gpt2",
        {
            "input_ids": batch_new,
            "attention_mask": (
                "batch_size",
                "past_sequence_length + sequence_length",
            ),
            "past_key_values.0.key": cache,
            "past_key_values.0.value": cache,
        },
        {
            "logits": (value, (*batch_new, WIDTH)),
            "present.0.key": (keys, present),
            "present.0.value": (values, present),
        },
    )


def _attention(graph: Traced, value: str, mask: str) -> tuple[str, str, str]:
    """Return what attends, and the keys and values with those of the past."""
    path = "/h.0/attn"
    both = graph.linear(path, value, WIDTH, 3 * WIDTH)
    third = graph.constant(f"{path}/split", [WIDTH] * 3, I64)
    names = [f"{path}/{part}" for part in ("query", "key", "value")]
    graph.nodes.append(helper.make_node("Split", [both, third], names, path, axis=2))
    query, key, values = (graph.heads(f"{name}/heads", name) for name in names)
    keys, values = (
        graph.add("Concat", f"{path}/{n}", f"past_key_values.0.{n}", v, axis=2)
        for n, v in (("key", key), ("value", values))
    )
    turned = graph.add("Transpose", f"{path}/turn", keys, perm=(0, 1, 3, 2))
    scores = graph.add("MatMul", f"{path}/qk", query, turned)
    # torch.full([], d ** 0.5) of a size, as SDPA's fallback has it
    width = graph.add("Cast", path, graph.size(f"{path}/width", values, 3), to=1)
    half = graph.constant(f"{path}/half", 0.5, np.float32)
    scores = graph.add("Div", path, scores, graph.add("Pow", path, width, half))
    triangle = graph.weight("bias", np.tri(PLACES, dtype=bool)[None, None])
    total = graph.size(f"{path}/total", keys, 2)
    first = graph.add("Sub", path, total, graph.size(f"{path}/rows", query, 2))
    seen = graph.slice(f"{path}/from", triangle, 2, first, total)
    seen = graph.slice(f"{path}/upto", seen, 3, 0, total)
    low = graph.constant(f"{path}/lowest", LOWEST, np.float32)
    masked = graph.add("Where", path, seen, scores, low)
    weights = graph.add(
        "Softmax", path, graph.add("Add", f"{path}/mask", masked, mask), axis=3
    )
    mixed = graph.add("MatMul", f"{path}/pv", weights, values)
    return graph.joined(path, mixed), keys, values
