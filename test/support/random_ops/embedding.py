"""Random calls of ops that look rows up in a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from glow.dialects.graph.embedding import (
    MODES,
    EmbeddingBagOp,
    EmbeddingOp,
    SparseLengthsSumOp,
)
from random_ops.call import FLOATS, INDICES, Array, Call, Source


def _table(s: Source) -> tuple[Array, dict[str, Any]]:
    """Return a table, and which of its rows is padding, if one is."""
    rows, columns = s.integer(1, 9), s.choose((1, 3, 8, 17, 32, 100, 300))
    padding_idx = s.integer(-rows, rows - 1) if s.flip(0.3) else None
    table = s.finite((rows, columns), s.choose(FLOATS))
    return table, {"padding_idx": padding_idx}


def _picks(s: Source, table: Array, shape: tuple[int, ...]) -> Array:
    found = s.rng.integers(-len(table), len(table), shape)
    return np.asarray(found, s.choose(INDICES))


def _weights(s: Source, table: Array, indices: Array) -> Array | None:
    return s.finite(indices.shape, table.dtype) if s.flip() else None


def _lengths(s: Source) -> Array:
    """Return the sizes of some bags, of which some are empty."""
    return np.asarray(s.rng.integers(0, 5, s.integer(0, 6)), s.choose(INDICES))


def _embedding(s: Source) -> Call:
    table, parameters = _table(s)
    indices = _picks(s, table, s.shape(0, 2))
    return Call(EmbeddingOp, (table, indices), parameters)


def _embedding_bag(s: Source) -> Call:
    table, parameters = _table(s)
    parameters |= {"mode": s.choose(MODES)}
    if s.flip():
        indices = _picks(s, table, (*s.shape(0, 2), s.integer(0, 9)))
        slots = (table, indices, None, _weights(s, table, indices))
        return Call(EmbeddingBagOp, slots, parameters, sums=True)
    ends = np.cumsum(_lengths(s))
    offsets = np.asarray([0, *ends], s.choose(INDICES))
    parameters |= {"include_last_offset": s.flip()}
    rest = s.integer(0, 3)  # of the last bag, or of none
    indices = _picks(s, table, (int(offsets[-1]) + rest,))
    slots = (table, indices, offsets, _weights(s, table, indices))
    return Call(EmbeddingBagOp, slots, parameters, sums=True)


def _sparse_lengths_sum(s: Source) -> Call:
    table, parameters = _table(s)
    lengths = _lengths(s)
    indices = _picks(s, table, (int(lengths.sum()),))
    slots = (table, indices, lengths, _weights(s, table, indices))
    parameters |= {"mode": s.choose(MODES)}
    return Call(SparseLengthsSumOp, slots, parameters, sums=True)


GENERATORS = {
    "graph.embedding": _embedding,
    "graph.embedding_bag": _embedding_bag,
    "graph.sparse_lengths_sum": _sparse_lengths_sum,
}
