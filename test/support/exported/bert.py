"""An encoder, by tracing."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto

from exported.tracing import (
    PLACES,
    WIDTH,
    Traced,
    model,
)


def bert() -> ModelProto:
    """Return an encoder: places by a slice of a buffer, a mask of keys for all."""
    graph = Traced(0, opset=14)
    length = graph.size("/length", "input_ids", 1)
    places = graph.weight("position_ids", np.arange(PLACES)[None])
    places = graph.slice("/places", places, 1, 0, length)
    table = graph.normal("places.weight", PLACES, WIDTH, std=1)
    value = graph.add(
        "Add",
        "/in",
        graph.words("input_ids"),
        graph.add("Gather", "/at", table, places),
    )
    mask = graph.unsqueeze("/mask", "attention_mask", 1, 2)
    mask = graph.inverted("/mask", mask)
    for layer in range(2):
        path = f"/layer.{layer}"
        query, key, values = (
            graph.heads(at, graph.linear(at, value, WIDTH, WIDTH), part == "key")
            for part in ("query", "key", "value")
            for at in [f"{path}/{part}"]
        )
        mixed = graph.attend(path, query, key, values, mask)
        value = graph.add("Add", f"{path}/out", value, mixed)
    shape = ("batch_size", "sequence_length")
    return model(
        graph,
        "bert",
        {"input_ids": shape, "attention_mask": shape},
        {"last_hidden_state": (value, (*shape, WIDTH))},
    )
