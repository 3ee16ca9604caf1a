"""TfIdfVectorizer: counts of n-grams in rows of integers."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.joining import ConcatOp
from glow.dialects.graph.tensors import Tensor
from glow.formats.onnx.node import Node
from glow.formats.onnx.registry import onnx_op

MAX_COMPARED = 1 << 26  # elements that are compared at once


@onnx_op("TfIdfVectorizer")
def tf_idf_vectorizer(node: Node) -> Tensor:
    """The columns that `ngram_indexes` give to n-grams, which the pool lists."""
    if node.has("pool_strings") or not node.has("pool_int64s"):
        node.refuse("a pool of strings")
    mode = node.choice("mode", "TF", "IDF", "TFIDF")
    pool, starts = node.integers("pool_int64s") or (), node.integers("ngram_counts")
    columns = np.array(node.integers("ngram_indexes") or ())
    weights: tuple[float, ...] = node.value("weights") if node.has("weights") else ()
    data = node.input(0)
    rows = data.reshape(_rows(node, data), data.shape[-1])
    widest = max(len(pool), columns.max(initial=0) + 1)
    if rows.shape[0] * widest > MAX_COMPARED:
        node.refuse(f"{rows.shape[0]} rows of counts in {widest} columns")
    parts = _counts(node, rows, _grams(pool, starts or ()))
    counts = node.emit(ConcatOp, parts, axis=1)
    total = counts.shape[1]
    if len(columns) != total or len(set(columns)) != total or columns.min() < 0:
        node.invalid(f"expected {total} distinct ngram_indexes, got {columns.tolist()}")
    if weights and len(weights) != total:
        node.invalid(f"expected {total} weights, got {len(weights)}")
    factors = np.array(weights or (1.0,) * total, np.float32)
    if mode == "IDF":
        counts = (counts > 0).astype(np.float32)
    if mode != "TF":
        counts = counts * factors
    zero = node.literal(np.zeros((rows.shape[0], 1), np.float32))
    places = np.full(columns.max() + 1, total)
    places[columns] = np.arange(total)
    ordered = xp.take(xp.concat([counts, zero], axis=1), places, axis=1)
    return ordered.reshape(*data.shape[:-1], len(places))


def _rows(node: Node, data: Tensor) -> int:
    if data.ndim not in (1, 2):
        node.invalid(f"expected one row or a matrix, got {list(data.shape)}")
    return data.shape[0] if data.ndim == 2 else 1


def _grams(pool: tuple[int, ...], starts: tuple[int, ...]) -> list[NDArray[Any]]:
    """Return the n-grams of the pool for each n, from 1 on."""
    ends = (*starts[1:], len(pool))
    return [
        np.array(pool[start:end]).reshape(-1, length)
        for length, (start, end) in enumerate(zip(starts, ends, strict=True), 1)
    ]


def _counts(node: Node, rows: Tensor, grams: list[NDArray[Any]]) -> list[Tensor]:
    """Return for each n how often each of its n-grams occurs in each row."""
    low, high = node.integer("min_gram_length"), node.integer("max_gram_length")
    skips, (batch, extent) = node.integer("max_skip_count"), rows.shape
    parts: list[Tensor] = []
    for length, each in enumerate(grams, 1):
        zero = node.literal(np.zeros((batch, len(each)), np.float32))
        wanted = low <= length <= high and len(each) > 0
        hits = [zero]
        # Items further apart than a row is long are in none.
        most = min(1 + skips, (extent - 1) // (length - 1)) if length > 1 else 1
        for step in range(1, most + 1) if wanted and extent >= length else ():
            width = extent - (length - 1) * step
            hits.append(_hits(node, rows, each, step, width))
        parts.append(reduce(xp.add, hits))
    return parts


def _hits(
    node: Node, rows: Tensor, grams: NDArray[Any], step: int, width: int
) -> Tensor:
    """Count the n-grams whose items are `step` apart, from each of `width` places."""
    batch = rows.shape[0]
    if batch * width * len(grams) > MAX_COMPARED:
        node.refuse(f"{len(grams)} n-grams and rows of {rows.shape[1]}")
    equal: list[Tensor] = []
    for index in range(grams.shape[1]):
        part = rows[:, index * step : index * step + width]
        items = grams[:, index].astype(rows.dtype)
        equal.append(part.reshape(batch, width, 1) == items)
    every = reduce(xp.logical_and, equal)
    return xp.sum(every.astype(np.float32), axis=1)
