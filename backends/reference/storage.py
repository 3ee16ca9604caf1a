"""Where an interpreted run keeps its values: as tensors, or as physical bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

Array = NDArray[Any]

# What padding holds; no model gets far if it reads one of these.
_POISON = -77


class TensorStorage:
    """Keeps each value as the tensor that it is; layouts do not matter."""

    def __init__(self) -> None:
        self._values: dict[SSAValue, Array] = {}

    def write(self, value: SSAValue, array: Array) -> None:
        self._values[value] = array

    def read(self, value: SSAValue) -> Array:
        return self._values[value]

    def free(self, value: SSAValue) -> None:
        del self._values[value]


def poisoned(size: int, dtype: np.dtype[Any]) -> Array:
    """Return `size` elements that spoil what is computed from them."""
    if dtype.kind == "f":
        return np.full(size, np.nan, dtype)
    return np.full(size, _POISON, np.int8).astype(dtype)
