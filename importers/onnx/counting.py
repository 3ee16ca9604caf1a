"""How often what a model lists occurs in rows of integers."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from glow.dialects.graph.indexing import GatherOp
from glow.dialects.graph.joining import ConcatOp
from glow.dialects.graph.logic import AndOp
from glow.dialects.graph.reduction import ReduceSumOp
from glow.dialects.graph.slicing import SliceOp
from glow.importers.onnx.expression import Expression, input_of
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op

MAX_COMPARED = 1 << 26  # elements that are compared at once


@onnx_op("TfIdfVectorizer")
def tf_idf_vectorizer(node: Node) -> SSAValue:
    """The columns that `ngram_indexes` give to n-grams, which the pool lists."""
    if node.has("pool_strings") or not node.has("pool_int64s"):
        node.refuse("a pool of strings")
    mode = node.choice("mode", "TF", "IDF", "TFIDF")
    pool, starts = node.integers("pool_int64s") or (), node.integers("ngram_counts")
    columns = np.array(node.integers("ngram_indexes") or ())
    weights: tuple[float, ...] = node.value("weights") if node.has("weights") else ()
    data = input_of(node, 0)
    rows = data.reshape(_rows(data), data.shape[-1])
    parts = _counts(node, rows, _grams(pool, starts or ()))
    counts = Expression(node, node.emit(ConcatOp, [p.value for p in parts], axis=1))
    total = counts.shape[1]
    if len(columns) != total or len(set(columns)) != total or columns.min() < 0:
        node.invalid(f"expected {total} distinct ngram_indexes, got {columns.tolist()}")
    if weights and len(weights) != total:
        node.invalid(f"expected {total} weights, got {len(weights)}")
    factors = np.array(weights or (1.0,) * total, np.float32)
    if mode == "IDF":
        counts = (counts > 0).cast(np.float32)
    if mode != "TF":
        counts = counts * node.literal(factors)
    zero = np.zeros((rows.shape[0], 1), np.float32)
    joined = node.emit(ConcatOp, [counts.value, node.literal(zero)], axis=1)
    places = np.full(columns.max() + 1, total)
    places[columns] = np.arange(total)
    found = Expression(node, joined).to(GatherOp, node.literal(places), axis=1)
    return found.reshape(*data.shape[:-1], len(places)).value


def _rows(data: Expression) -> int:
    if len(data.shape) not in (1, 2):
        data.node.invalid(f"expected one row or a matrix, got {list(data.shape)}")
    return data.shape[0] if len(data.shape) == 2 else 1


def _grams(pool: tuple[int, ...], starts: tuple[int, ...]) -> list[NDArray[Any]]:
    """Return the n-grams of the pool for each n, from 1 on."""
    ends = (*starts[1:], len(pool))
    return [
        np.array(pool[start:end]).reshape(-1, length)
        for length, (start, end) in enumerate(zip(starts, ends, strict=True), 1)
    ]


def _counts(
    node: Node, rows: Expression, grams: list[NDArray[Any]]
) -> list[Expression]:
    """Return for each n how often each of its n-grams occurs in each row."""
    low, high = node.integer("min_gram_length"), node.integer("max_gram_length")
    skips, (batch, extent) = node.integer("max_skip_count"), rows.shape
    found: list[Expression] = []
    for length, each in enumerate(grams, 1):
        zero = Expression(node, node.literal(np.zeros((batch, len(each)), np.float32)))
        wanted = low <= length <= high and len(each) > 0
        steps = range(1, 2 + (skips if length > 1 else 0))
        widths = [(step, extent - (length - 1) * step) for step in steps]
        hits = [
            _hits(node, rows, each, step, width)
            for step, width in widths
            if wanted and width > 0
        ]
        found.append(sum(hits, zero))
    return found


def _hits(
    node: Node, rows: Expression, grams: NDArray[Any], step: int, width: int
) -> Expression:
    """Count the n-grams whose items are `step` apart, from each of `width` places."""
    batch = rows.shape[0]
    if batch * width * len(grams) > MAX_COMPARED:
        node.refuse(f"{len(grams)} n-grams and rows of {rows.shape[1]}")
    equal: list[Expression] = []
    for index in range(grams.shape[1]):
        part = rows.to(
            SliceOp, starts=(0, index * step), sizes=(batch, width), steps=(1, 1)
        )
        items = node.literal(grams[:, index], rows.dtype)
        equal.append(part.reshape(batch, width, 1).equals(items))
    every = reduce(lambda one, other: one.to(AndOp, other), equal)
    return every.cast(np.float32).to(ReduceSumOp, axes=(1,), keepdims=False)
