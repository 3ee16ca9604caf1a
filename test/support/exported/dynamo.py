"""A decoder with a past, by TorchDynamo's exporter."""

from __future__ import annotations

from typing import Any

import numpy as np
from models.builder import Graph
from onnx import ModelProto, TensorProto

from exported.tracing import HEAD, HEADS, I64, LOWEST, WIDTH, WORDS, model


class Captured(Graph):
    """A graph with what TorchDynamo's exporter makes of functions of PyTorch."""

    def list(self, name: str, *values: int) -> str:
        return self.constant(name, list(values), I64)

    def bounds(self, start: int, end: int) -> tuple[str, str]:
        return self.list(f"from_{start}", start), self.list(f"to_{end}", end)

    def scalar(self, path: str, value: str) -> str:
        return self.add("Squeeze", path, value)

    def unsqueeze(self, path: str, value: str, *axes: int) -> str:
        return self.add("Unsqueeze", path, value, self.list(path, *axes))

    def reshape(self, path: str, value: str, *extents: str, **attributes: Any) -> str:
        shape = self.add("Concat", path, *extents, axis=0)
        return self.add("Reshape", path, value, shape, **attributes)


def dynamo() -> ModelProto:
    """Return a decoder as TorchDynamo's exporter writes it: s0, s1 and arithmetic."""
    graph = Captured(3, opset=18)
    batch = graph.add("Shape", "batch", "input_ids", start=0, end=1)
    new = graph.add("Shape", "new", "input_ids", start=1, end=2)
    past = graph.add("Shape", "past", "past_key", start=2, end=3)
    every = graph.add("Add", "every", past, new)
    table = graph.normal("words.weight", WORDS, WIDTH, std=1)
    value = graph.add("Gather", "embedding", table, "input_ids")
    seen = _mask(graph, batch, new, past, every)
    minus, heads, head, width = (
        graph.list(f"val_{n}", n) for n in (-1, HEADS, HEAD, WIDTH)
    )
    parts: dict[str, str] = {}
    for part in ("query", "key", "value"):
        flat = graph.linear(part, value, WIDTH, WIDTH)
        split = graph.reshape(part, flat, batch, minus, heads, head, allowzero=1)
        parts[part] = graph.add("Transpose", part, split, perm=(0, 2, 1, 3))
    for part in ("key", "value"):
        both = (f"past_{part}", parts[part])
        parts[part] = graph.add("Concat", f"{part}_cache", *both, axis=-2)
    scores = _scores(graph, parts["query"], parts["key"], batch)
    nought, low = (
        graph.constant(n, v, np.float32) for n, v in (("nought", 0.0), ("low", LOWEST))
    )
    bias = graph.add("Where", "bias", seen, nought, low)
    biased = graph.add("Add", "biased", scores, bias)
    weights = graph.add("Softmax", "softmax", biased, axis=-1)
    mixed = graph.add("MatMul", "pv", weights, parts["value"])
    mixed = graph.add("Transpose", "mixed", mixed, perm=(0, 2, 1, 3))
    mixed = graph.reshape("joined", mixed, batch, new, width)
    value = graph.add("Add", "out", value, mixed)
    ids, cache = ("s0", "s1"), ("s0", HEADS, "s2", HEAD)
    present = ("s0", HEADS, "s1 + s2", HEAD)
    return model(
        graph,
        "dynamo",
        {
            "input_ids": ids,
            "attention_mask": ("s0", "s1 + s2"),
            "past_key": cache,
            "past_value": cache,
        },
        {
            "logits": (value, (*ids, WIDTH)),
            "key": (parts["key"], present),
            "value": (parts["value"], present),
        },
    )


def _mask(graph: Captured, batch: str, new: str, past: str, every: str) -> str:
    """Return which keys each query sees, [batch, 1, new, every], by their places."""
    zero, unit = (graph.constant(f"scalar_{n}", n, I64) for n in (0, 1))
    start, end = graph.scalar("start", past), graph.scalar("end", every)
    rows = graph.add("Range", "arange", start, end, unit)
    columns = graph.add("Range", "arange_1", zero, graph.scalar("end_1", every), unit)
    rows = graph.unsqueeze("rows", rows, 0, 1, 3)
    columns = graph.unsqueeze("columns", columns, 0, 1, 2)
    seen = graph.add("LessOrEqual", "le", columns, rows)
    given = graph.add("Cast", "given", "attention_mask", to=TensorProto.BOOL)
    seen = graph.add("And", "and", seen, graph.unsqueeze("given", given, 1, 2))
    one = graph.list("val_1", 1)
    shape = graph.add("Concat", "mask_shape", batch, one, new, every, axis=0)
    return graph.add("Expand", "expand", seen, graph.add("Abs", "mask_shape", shape))


def _scores(graph: Captured, query: str, key: str, batch: str) -> str:
    """Return products of queries and keys, which are turned as matrices."""
    shape = graph.add("Shape", "keys", key)
    last, before = (
        graph.add(
            "Slice",
            f"keys_{n}",
            shape,
            graph.list(f"from_{n}", n),
            graph.list(f"to_{n}", end),
        )
        for n, end in ((-1, np.iinfo(I64).max), (-2, -1))
    )
    flat = graph.reshape("flat", key, graph.list("val_minus", -1), before, last)
    turned = graph.add("Transpose", "flat", flat, perm=(0, 2, 1))
    heads = graph.list("val_heads", HEADS)
    turned = graph.reshape("back", turned, batch, heads, last, before)
    root = graph.add("Sqrt", "root", graph.add("Cast", "size", last, to=1))
    scale = graph.add("Div", "scale", graph.constant("unit", 1.0, np.float32), root)
    scale = graph.add("Sqrt", "scale", scale)
    left = graph.add("Mul", "q", query, scale)
    return graph.add("MatMul", "qk", left, graph.add("Mul", "k", turned, scale))
