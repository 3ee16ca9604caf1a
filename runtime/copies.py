"""All copies of arrays that runs make, counted per thread."""

from __future__ import annotations

from threading import local
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class _Count(local):
    nbytes = 0


_COUNT = _Count()


def copied_bytes() -> int:
    """Return how many bytes the runs of this thread have copied so far."""
    return _COUNT.nbytes


def copy_into(target: Array, source: Array) -> None:
    """Copy `source` to `target`, unless they are one array."""
    if target is not source:
        target[...] = source
        _COUNT.nbytes += target.nbytes


def contiguous_copy(array: Array) -> Array:
    """Return a copy that is C-contiguous and aligned."""
    _COUNT.nbytes += array.nbytes
    return np.array(array, order="C", subok=False)
