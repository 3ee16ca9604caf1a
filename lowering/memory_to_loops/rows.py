"""Where rows of operands begin: compile-time tables for kernels, and their parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Offsets = NDArray[np.int64]


def offsets_of(shape: Sequence[int], strides: Sequence[int], start: int = 0) -> Offsets:
    """Return where each element of an array lies, in row-major order of its index."""
    offsets: Offsets = np.full(1, start, np.int64)
    for extent, stride in zip(shape, strides, strict=True):
        steps = np.arange(extent, dtype=np.int64) * stride
        offsets = (offsets[:, None] + steps).reshape(-1)
    return offsets


def padded(rows: Offsets, height: int) -> Offsets:
    """Return `rows` with the last one repeated up to a multiple of `height`."""
    return np.pad(rows, (0, -len(rows) % height), mode="edge")


@dataclass
class Table:
    """Parts of one table of offsets; equal parts are stored once."""

    parts: list[Offsets] = field(default_factory=lambda: [])
    _found: dict[bytes, int] = field(default_factory=lambda: {})
    _size: int = 0

    def add(self, part: Offsets) -> int:
        """Return where `part` begins in the table."""
        key = part.tobytes()
        if key not in self._found:
            self._found[key] = self._size
            self.parts.append(part)
            self._size += len(part)
        return self._found[key]

    def array(self) -> Offsets:
        return np.concatenate(self.parts)
