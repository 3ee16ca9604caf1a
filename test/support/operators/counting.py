"""Cases of what counts n-grams, and of what may be absent."""

from __future__ import annotations

import numpy as np

from operators.case import BOOL, F32, I32, I64, Case, case, draw

POOL = {
    "ngram_counts": [0, 4],
    "ngram_indexes": [0, 1, 6, 3, 4, 5, 2],
    "pool_int64s": [2, 3, 5, 4, 5, 6, 7, 8, 6, 7],
}


def _cases() -> list[Case]:
    found: list[Case] = []
    row = np.array([1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8])
    for data in (row.astype(I32), row.reshape(2, 6), row[:1]):
        for skips, low, high in ((0, 1, 1), (0, 2, 2), (5, 2, 2), (1 << 16, 1, 2)):
            lengths = {"min_gram_length": low, "max_gram_length": high}
            each = {**POOL, **lengths, "max_skip_count": skips}
            found.append(case("TfIdfVectorizer", data, mode="TF", **each))
            for mode in ("IDF", "TFIDF"):
                weights = [0.5, 2.0, 3.0, 1.0, 4.0, 0.25, 7.0]
                given = {**each, "mode": mode, "weights": weights}
                found.append(case("TfIdfVectorizer", data, **given))
    for op in ("OptionalHasElement", "OptionalGetElement"):
        found.append(case(op, draw((2, 3)), opset=18))
    found.append(case("OptionalHasElement", opset=18))
    return found


def _parts() -> list[Case]:
    found: list[Case] = []
    data = draw((3, 4, 2), I64)
    conditions = {None: 24, 0: 3, 1: 2, -1: 2}
    for axis, count in conditions.items():
        flags = np.arange(count) % 3 != 1
        attributes = {} if axis is None else {"axis": axis}
        found.append(case("Compress", data, flags, constants=(1,), **attributes))
        found.append(case("Compress", data, flags, **attributes))
    for shape in ((), (5,), (3, 4), (2, 0)):
        for dtype in (F32, I64, BOOL):
            flags = np.asarray(draw(shape, dtype, -1, 1).round().astype(dtype))
            found += [case("NonZero", flags), case("NonZero", flags, constants=(0,))]
    for dtype in (F32, I64, BOOL):
        data = draw((3, 4, 2), dtype, -1, 1).round().astype(dtype)
        known = {"constants": (0,), "outputs": 4}
        for ordered in (0, 1):
            found.append(case("Unique", data, sorted=ordered, **known))
            again = data[[0, 1, 0, 2, 1]]
            found.append(case("Unique", again, sorted=ordered, axis=0, **known))
            found.append(case("Unique", again.T, sorted=ordered, axis=-1, **known))
    found.append(case("Unique", data, constants=(0,)))
    for batch, dtype in ((0, I64), (1, I32)):
        data = draw((4, 3, 2) if batch else (3, 4, 2), dtype)
        axes = {"batch_axis": batch, "time_axis": 1 - batch}
        lengths = np.array([1, 4, 2], I64)
        found.append(case("ReverseSequence", data, lengths, **axes))
    matrix, whole = draw((2, 5)), np.array([5, 0], I64)
    each = case("ReverseSequence", matrix, whole, batch_axis=0, time_axis=1)
    return [*found, each]


CASES = [*_cases(), *_parts()]
