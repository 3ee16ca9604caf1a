"""A decoder with a past, by tracing: its mask is assembled and assigned to."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto, TensorProto, helper

from exported.tracing import (
    HEAD,
    HEADS,
    I64,
    LOWEST,
    WIDTH,
    Traced,
    model,
)


def llama() -> ModelProto:
    """Return a decoder: a mask that is written into a triangle, keys for two heads."""
    graph = Traced(2, opset=17)
    past = graph.size("/past", "past_key_values.0.key", 2)
    new = graph.size("/new", "input_ids", 1)
    batch = graph.size("/batch", "input_ids", 0)
    every = graph.size("/every", "attention_mask", 1)
    at = graph.arange("/places", past, graph.add("Add", "/places", past, new))
    value = graph.words("input_ids")
    mask = _causal(graph, at, batch, new, every)
    path = "/layers.0"
    query = graph.heads(f"{path}/q", graph.linear(f"{path}/q", value, WIDTH, WIDTH))
    cos, sin = _rotary(graph, at)
    query = _turned(graph, f"{path}/q", query, cos, sin)
    found: dict[str, str] = {}
    for name in ("key", "value"):
        here = f"{path}/{name}"
        flat = graph.linear(here, value, WIDTH, HEAD)
        split = graph.view(f"{here}/split", flat, batch, new, 1, HEAD)
        made = graph.add("Transpose", here, split, perm=(0, 2, 1, 3))
        if name == "key":
            made = _turned(graph, here, made, cos, sin)
        old = f"past_key_values.0.{name}"
        found[name] = graph.add("Concat", f"{here}/cache", old, made, axis=2)
    keys, values = (
        _repeated(graph, f"{path}/{name}/repeat", found[name])
        for name in ("key", "value")
    )
    keys = graph.add("Transpose", f"{path}/turn", keys, perm=(0, 1, 3, 2))
    length = graph.size(f"{path}/length", keys, 3)
    mask = graph.slice(f"{path}/mask", mask, 3, 0, length)
    mixed = graph.attend(path, query, keys, values, mask)
    value = graph.add("Add", "/out", value, mixed)
    ids = ("batch", "new")
    cache, present = ("batch", 1, "past", HEAD), ("batch", 1, "past + new", HEAD)
    return model(
        graph,
        "llama",
        {
            "input_ids": ids,
            "attention_mask": ("batch", "past + new"),
            "past_key_values.0.key": cache,
            "past_key_values.0.value": cache,
        },
        {
            "logits": (value, (*ids, WIDTH)),
            "present.0.key": (found["key"], present),
            "present.0.value": (found["value"], present),
        },
    )


def _causal(graph: Traced, at: str, batch: str, new: str, every: str) -> str:
    """Return the mask to add, [batch, 1, new, every], assembled in place."""
    path = "/causal"
    full = helper.make_tensor("low", TensorProto.FLOAT, [1], [LOWEST])
    shape = graph.shape(f"{path}/shape", new, every)
    mask = graph.add("ConstantOfShape", path, shape, value=full)
    one = graph.constant(f"{path}/diagonal", 1, I64)
    mask = graph.add("Trilu", path, mask, one, upper=1)
    zero = graph.constant(f"{path}/zero", 0, I64)
    columns = graph.arange(f"{path}/columns", zero, every)
    here = graph.view(f"{path}/rows", at, -1, 1)
    later = graph.add("Cast", path, graph.add("Greater", path, columns, here), to=1)
    mask = graph.unsqueeze(path, graph.add("Mul", path, mask, later), 0, 1)
    mask = graph.expand(f"{path}/expand", mask, batch, 1, -1, -1)
    # mask[:, :, :, :length] = mask[...].masked_fill(mask + given == 0, lowest)
    given = graph.unsqueeze(f"{path}/given", "attention_mask", 1, 2)
    given = graph.add("Cast", f"{path}/given", given, to=1)
    length = graph.size(f"{path}/length", "attention_mask", 1)
    part = graph.slice(f"{path}/part", mask, 3, 0, length)
    sum_ = graph.add("Add", path, part, given)
    nought = graph.constant(f"{path}/nought", 0.0, np.float32)
    low = graph.constant(f"{path}/low", LOWEST, np.float32)
    filled = graph.add("Where", path, graph.add("Equal", path, sum_, nought), low, part)
    return _assigned(graph, f"{path}/assign", mask, filled, length)


def _assigned(graph: Traced, path: str, whole: str, part: str, length: str) -> str:
    """Return `whole` with `whole[:, :, :, :length] = part`, as tracing writes it."""
    zero = graph.constant(f"{path}/zero", 0, I64)
    sizes = [graph.size(f"{path}/size{axis}", whole, axis) for axis in range(3)]
    grids: list[str] = []
    target = graph.shape(f"{path}/target", *sizes, length, 1)
    for axis, end in enumerate((*sizes, length)):
        at = f"{path}/axis{axis}"
        line = graph.arange(at, zero, end)
        extents = [1] * 4
        extents[axis] = -1
        line = graph.view(f"{at}/line", line, *extents)
        line = graph.unsqueeze(f"{at}/last", line, 4)
        grids.append(graph.add("Expand", at, line, target))
    indices = graph.add("Concat", path, *grids, axis=-1)
    shape = graph.add("Shape", f"{path}/shape", indices)
    shape = graph.slice(f"{path}/but_last", shape, 0, 0, -1)
    updates = graph.add("Reshape", path, part, shape)
    return graph.add("ScatterND", path, whole, indices, updates)


def _rotary(graph: Traced, at: str) -> tuple[str, str]:
    """Return cosines and sines, [1, 1, new, head], of angles at these places."""
    path = "/rotary"
    rates = 1e4 ** -(np.arange(0, HEAD, 2, dtype=np.float32) / HEAD)
    rates = graph.weight("inv_freq", rates[None, :, None])
    rows = graph.size(path, graph.unsqueeze(path, at, 0), 0)
    rates = graph.expand(f"{path}/rates", rates, rows, -1, 1)
    places = graph.unsqueeze(f"{path}/at", at, 0, 1)
    places = graph.add("Cast", f"{path}/at", places, to=1)
    angles = graph.add("MatMul", path, rates, places)
    angles = graph.add("Transpose", path, angles, perm=(0, 2, 1))
    both = graph.add("Concat", path, angles, angles, axis=-1)
    cos, sin = (
        graph.unsqueeze(f"{path}/{op}", graph.add(op, path, both), 1)
        for op in ("Cos", "Sin")
    )
    return cos, sin


def _turned(graph: Traced, path: str, value: str, cos: str, sin: str) -> str:
    width = graph.size(f"{path}/width", value, 3)
    two = graph.constant(f"{path}/two", 2, I64)
    half = graph.add("Div", f"{path}/half", width, two)
    left = graph.slice(f"{path}/left", value, 3, 0, half)
    right = graph.slice(f"{path}/right", value, 3, half, np.iinfo(I64).max)
    right = graph.add("Neg", path, right)
    swapped = graph.add("Concat", f"{path}/swap", right, left, axis=-1)
    plain = graph.add("Mul", f"{path}/cos", value, cos)
    return graph.add(
        "Add", f"{path}/turned", plain, graph.add("Mul", f"{path}/sin", swapped, sin)
    )


def _repeated(graph: Traced, path: str, value: str) -> str:
    """Return keys or values of one head for all heads."""
    batch, length = (graph.size(f"{path}/{n}", value, n) for n in (0, 2))
    value = graph.unsqueeze(path, value, 2)
    value = graph.expand(f"{path}/expand", value, batch, 1, HEADS, length, HEAD)
    return graph.view(f"{path}/view", value, batch, HEADS, length, HEAD)
