"""Attention in primitive operators, node by node as exporters write it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto
from small_onnx import info, model, node

Array = NDArray[Any]
Input = str | float | list[int] | Array

BATCH, HEADS, LENGTH, ELEMENTS = 2, 4, 5, 8
LOWEST = float(np.finfo(np.float32).min)


@dataclass
class Exported:
    """A model, what feeds it, and what the pass is to see in it."""

    proto: ModelProto
    feeds: dict[str, Array]
    seen: dict[str, Any]
    """Of the one attention: its slots that are there, and properties."""


@dataclass
class Writer:
    """Collects nodes and weights; values are called after the nodes that make them."""

    nodes: list[NodeProto] = field(default_factory=list[NodeProto])
    weights: dict[str, Array] = field(default_factory=dict[str, Array])

    def add(
        self, op: str, *inputs: str | float | list[int] | Array, **rest: Any
    ) -> str:
        """Add a node; numbers are of f32, lists and arrays weights as they are."""
        name = f"v{len(self.nodes)}"
        given = " ".join(self._name(value) for value in inputs)
        self.nodes.append(node(op, given, name, **rest))
        return name

    def _name(self, value: Input) -> str:
        if isinstance(value, str):
            return value
        array = np.float32(value) if isinstance(value, float) else np.asarray(value)
        name = f"w{len(self.weights)}"
        self.weights[name] = np.asarray(array)
        return name

    def split(self, value: str, order: tuple[int, ...] = (0, 2, 1, 3)) -> str:
        """Split [batch, length, heads * elements] into heads."""
        shape = [0, -1, HEADS, ELEMENTS]
        return self.add("Transpose", self.add("Reshape", value, shape), perm=order)

    def joined(self, value: str) -> str:
        swapped = self.add("Transpose", value, perm=(0, 2, 1, 3))
        return self.add("Reshape", swapped, [0, -1, HEADS * ELEMENTS])

    def finish(self, value: str, *more: Any, **seen: Any) -> Exported:
        """Return the model of q, k and v, and arrays `more` by name, kind and value."""
        self.nodes.append(node("Identity", value, "y"))
        rng, shape = np.random.default_rng(0), (BATCH, LENGTH, HEADS * ELEMENTS)
        feeds = {name: rng.standard_normal(shape, np.float32) for name in "qkv"}
        inputs = {name: info(name, shape) for name in "qkv"}
        for name, kind, array in more:
            feeds[name], inputs[name] = array, info(name, array.shape, kind)
        proto = model(self.nodes, inputs, ["y"], self.weights, 17)
        return Exported(proto, feeds, seen)


PADDING = np.array([[1, 1, 1, 0, 0], [0, 0, 0, 0, 0]])
"""Which keys of each batch are not padding: some, and none at all."""

SEEN = np.tri(LENGTH, k=-1, dtype=np.bool_)[None, None].repeat(BATCH, 0)
"""Which keys each query sees: none the first."""


def _padding(w: Writer) -> str:
    """Write (1 - mask) * lowest, as Hugging Face's models extend masks of padding."""
    mask = w.add("Unsqueeze", w.add("Unsqueeze", "mask", [1]), [2])
    kept = w.add("Cast", mask, to=1)
    return w.add("Mul", w.add("Sub", 1.0, kept), LOWEST)


def bert() -> Exported:
    w = Writer()
    bias = _padding(w)
    q, k, v = w.split("q"), w.split("k"), w.split("v")
    scores = w.add("MatMul", q, w.add("Transpose", k, perm=(0, 1, 3, 2)))
    scores = w.add("Add", w.add("Div", scores, 8.0**0.5), bias)
    weights = w.add("Softmax", scores, axis=-1)
    result = w.joined(w.add("MatMul", weights, v))
    return w.finish(result, ("mask", "i64", PADDING), bias=True, unseen="nan")


def distilbert() -> Exported:
    """Queries are scaled, and what is padding filled."""
    w = Writer()
    q, k, v = w.split("q"), w.split("k", (0, 2, 3, 1)), w.split("v")
    scores = w.add("MatMul", w.add("Div", q, 8.0**0.5), k)
    is_padding = w.add("Equal", "mask", np.int64(0))
    shaped = w.add("Reshape", is_padding, [BATCH, 1, 1, LENGTH])
    whole = w.add("Expand", shaped, w.add("Shape", scores))
    scores = w.add("Where", whole, LOWEST, scores)
    weights = w.add("Softmax", scores, axis=-1)
    result = w.joined(w.add("MatMul", weights, v))
    more = ("mask", "i64", PADDING)
    return w.finish(result, more, mask=True, masked_score=LOWEST, unseen="nan")


def _root_of_scale(w: Writer, query: str) -> str:
    """Write sqrt(1 / sqrt(elements)), computed from the shape of the query."""
    size = w.add("Slice", w.add("Shape", query), [-1], [1 << 62])
    root = w.add("Sqrt", w.add("Cast", size, to=1))
    return w.add("Sqrt", w.add("Div", np.array([1], np.float32), root))


def _torchscript(w: Writer, mask: str, replaces_nan: bool = False) -> str:
    q, k, v = w.split("q"), w.split("k"), w.split("v")
    root = _root_of_scale(w, q)
    turned = w.add("Transpose", k, perm=(0, 1, 3, 2))
    scores = w.add("MatMul", w.add("Mul", q, root), w.add("Mul", turned, root))
    weights = w.add("Softmax", w.add("Add", scores, mask), axis=-1)
    if replaces_nan:
        weights = w.add("Where", w.add("IsNaN", weights), 0.0, weights)
    return w.joined(w.add("MatMul", weights, v))


def torchscript_booleans(replaces_nan: bool = False) -> Exported:
    """scaled_dot_product_attention with a mask of booleans, before PyTorch 2.6."""
    w = Writer()
    bias = w.add("Where", "mask", 0.0, float("-inf"))
    result = _torchscript(w, bias, replaces_nan)
    unseen = "nan_to_zero" if replaces_nan else "nan"
    return w.finish(result, ("mask", "i1", SEEN), bias=True, unseen=unseen)


def torchscript_booleans_without_nan() -> Exported:
    return torchscript_booleans(replaces_nan=True)


def torchscript_causal() -> Exported:
    """The same, with the mask of `is_causal`: known once shapes are."""
    w = Writer()
    extents = [w.add("Slice", w.add("Shape", n), [1], [2]) for n in ("q", "k")]
    ones = w.add("Expand", 1.0, w.add("Concat", *extents, axis=0))
    seen = w.add("Trilu", ones, upper=0)
    mask = w.add("Where", w.add("Equal", seen, 0.0), float("-inf"), 0.0)
    return w.finish(_torchscript(w, mask), bias=True, unseen="nan")


def dynamo() -> Exported:
    """The same by the newer exporter: keys are turned in rank 3, NaN is replaced."""
    w = Writer()
    q, k, v = w.split("q"), w.split("k"), w.split("v")
    flat = w.add("Reshape", k, [-1, LENGTH, ELEMENTS])
    turned = w.add("Transpose", flat, perm=(0, 2, 1))
    turned = w.add("Reshape", turned, [BATCH, HEADS, ELEMENTS, LENGTH])
    root = 8.0**-0.25
    scores = w.add("MatMul", w.add("Mul", q, root), w.add("Mul", turned, root))
    bias = w.add("Where", "mask", 0.0, float("-inf"))
    weights = w.add("Softmax", w.add("Add", scores, bias), axis=-1)
    weights = w.add("Where", w.add("IsNaN", weights), 0.0, weights)
    weights = w.add("Dropout", weights, np.float32(0))
    result = w.joined(w.add("MatMul", weights, v))
    return w.finish(result, ("mask", "i1", SEEN), bias=True, unseen="nan_to_zero")


def gpt2() -> Exported:
    """A causal mask cut from a table by shapes, behind a past, and one of padding."""
    w, past = Writer(), 3
    q, k, v = w.split("q"), w.split("k"), w.split("v")
    k, v = w.add("Concat", "past", k, axis=2), w.add("Concat", "past", v, axis=2)
    scores = w.add("MatMul", q, w.add("Transpose", k, perm=(0, 1, 3, 2)))
    scores = w.add("Div", scores, 8.0**0.5)
    end = w.add("Slice", w.add("Shape", k), [2], [3])
    start = w.add("Sub", end, w.add("Slice", w.add("Shape", q), [2], [3]))
    table = np.tri(16, dtype=np.bool_)[None, None]
    rows = w.add("Slice", table, start, end, [2])
    seen = w.add("Slice", rows, [0], end, [3])
    scores = w.add("Where", seen, scores, LOWEST)
    scores = w.add("Add", scores, _padding(w))
    result = w.joined(w.add("MatMul", w.add("Softmax", scores, axis=-1), v))
    cache = np.random.default_rng(1).standard_normal((BATCH, HEADS, past, ELEMENTS))
    padding = np.concatenate((PADDING[:, :past], PADDING), 1)
    more = ("past", "f32", cache.astype(np.float32)), ("mask", "i64", padding)
    seen_by = {"mask": True, "bias": True, "masked_score": LOWEST}
    return w.finish(result, *more, **seen_by, unseen="nan")


def llama() -> Exported:
    """Keys and values of two heads are repeated for four queries."""
    w, shared = Writer(), 2
    heads: list[str] = []
    for name in ("k", "v"):
        part = w.add("Slice", name, [0], [shared * ELEMENTS], [2])
        split = w.add("Reshape", part, [0, -1, shared, ELEMENTS])
        split = w.add("Transpose", split, perm=(0, 2, 1, 3))
        wide = w.add("Unsqueeze", split, [2])
        wide = w.add("Expand", wide, [BATCH, shared, 2, LENGTH, ELEMENTS])
        heads.append(w.add("Reshape", wide, [BATCH, HEADS, LENGTH, ELEMENTS]))
    turned = w.add("Transpose", heads[0], perm=(0, 1, 3, 2))
    scores = w.add("Mul", w.add("MatMul", w.split("q"), turned), 8.0**-0.5)
    weights = w.add("Softmax", w.add("Add", scores, "mask"), axis=-1)
    result = w.joined(w.add("MatMul", weights, heads[1]))
    bias = np.where(SEEN, 0, LOWEST).astype(np.float32)
    return w.finish(result, ("mask", "f32", bias), bias=True, heads=2, unseen="nan")


def opt() -> Exported:
    """Heads are one axis with the batch, but where the mask is added."""
    w, joined = Writer(), (BATCH * HEADS, -1, ELEMENTS)
    q, k, v = (w.add("Reshape", w.split(n), list(joined)) for n in "qkv")
    scores = w.add("MatMul", q, w.add("Transpose", k, perm=(0, 2, 1)))
    scores = w.add("Mul", scores, 8.0**-0.5)
    split = w.add("Reshape", scores, [BATCH, HEADS, LENGTH, LENGTH])
    added = w.add("Add", split, "mask")
    scores = w.add("Reshape", added, [BATCH * HEADS, LENGTH, LENGTH])
    weights = w.add("Softmax", scores, axis=-1)
    result = w.add("MatMul", weights, v)
    result = w.joined(w.add("Reshape", result, [BATCH, HEADS, LENGTH, ELEMENTS]))
    bias = np.where(SEEN, 0, LOWEST).astype(np.float32)
    return w.finish(result, ("mask", "f32", bias), bias=True, unseen="nan")


def t5() -> Exported:
    """No scale; a bias by position, gathered from a table, and one of padding."""
    w = Writer()
    q, k, v = w.split("q"), w.split("k"), w.split("v")
    scores = w.add("MatMul", q, w.add("Transpose", k, perm=(0, 1, 3, 2)))
    table = np.random.default_rng(2).standard_normal((9, HEADS), np.float32)
    places = np.arange(LENGTH)[None] - np.arange(LENGTH)[:, None] + LENGTH - 1
    near = w.add("Transpose", w.add("Gather", table, places), perm=(2, 0, 1))
    bias = w.add("Add", w.add("Unsqueeze", near, [0]), _padding(w))
    weights = w.add("Softmax", w.add("Add", scores, bias), axis=-1)
    result = w.joined(w.add("MatMul", weights, v))
    return w.finish(result, ("mask", "i64", PADDING), bias=True, unseen="nan")


def bloom() -> Exported:
    """A bias by distance, then a mask of booleans that fills."""
    w = Writer()
    q, k, v = w.split("q"), w.split("k", (0, 2, 3, 1)), w.split("v")
    scores = w.add("Mul", w.add("MatMul", q, k), 8.0**-0.5)
    slopes = 2.0 ** -np.arange(1, HEADS + 1)[:, None, None] * np.arange(LENGTH)
    scores = w.add("Add", slopes.astype(np.float32)[None], scores)
    scores = w.add("Where", w.add("Not", "mask"), LOWEST, scores)
    result = w.joined(w.add("MatMul", w.add("Softmax", scores, axis=-1), v))
    seen = {"mask": True, "bias": True, "masked_score": LOWEST, "unseen": "nan"}
    return w.finish(result, ("mask", "i1", SEEN), **seen)


EXPORTED: dict[str, Callable[[], Exported]] = {
    each.__name__: each
    for each in (
        bert,
        distilbert,
        torchscript_booleans,
        torchscript_booleans_without_nan,
        torchscript_causal,
        dynamo,
        gpt2,
        llama,
        opt,
        t5,
        bloom,
    )
}
