"""Where rows of operands begin: compile-time tables for kernels, and their parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.utils.exceptions import PassFailedException

Offsets = NDArray[np.int64]
_LIMIT = 1 << 31


def offsets_of(shape: Sequence[int], strides: Sequence[int], start: int = 0) -> Offsets:
    """Return where each element of an array lies, in row-major order of its index."""
    found: Offsets = np.full(1, start, np.int64)
    for extent, stride in zip(shape, strides, strict=True):
        steps = np.arange(extent, dtype=np.int64) * stride
        found = (found[:, None] + steps).reshape(-1)
    return found


def padded(rows: Offsets, height: int) -> Offsets:
    """Return `rows` with the last one repeated up to a multiple of `height`."""
    return np.pad(rows, (0, -len(rows) % height), mode="edge")


@dataclass
class Table:
    """Parts of one table of offsets; equal parts are stored once."""

    parts: list[NDArray[Any]] = field(default_factory=lambda: [])
    _found: dict[bytes, int] = field(default_factory=lambda: {})
    _size: int = 0

    def add(self, part: Offsets) -> int:
        """Return where `part` begins in the table."""
        if len(part) and not -_LIMIT <= part.min() <= part.max() < _LIMIT:
            raise PassFailedException(
                "expected operands of less than 2**31 elements, "
                f"got an offset of {max(-part.min(), part.max())}"
            )
        key = part.tobytes()
        if key not in self._found:
            self._found[key] = self._size
            self.parts.append(part)
            self._size += len(part)
        return self._found[key]

    def array(self) -> NDArray[np.int32]:
        return np.concatenate(self.parts).astype(np.int32)
