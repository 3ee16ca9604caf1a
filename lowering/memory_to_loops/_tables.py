"""Tables that code reads: constants that are made with it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import LocationAttr
from xdsl.utils.exceptions import PassFailedException

from glow.support.locations import name_at

_LIMIT = 1 << 31


class TablePool:
    """The tables of a module, in order; equal ones are one."""

    def __init__(self) -> None:
        self.arrays: list[NDArray[Any]] = []
        self._numbers: dict[bytes, int] = {}

    def number_of(self, values: NDArray[Any]) -> int:
        """Return the number of the table with these bytes."""
        values = np.ascontiguousarray(values)
        key = values.tobytes()
        if key not in self._numbers:
            self._numbers[key] = len(self.arrays)
            self.arrays.append(values)
        return self._numbers[key]


def as_offsets(
    values: NDArray[np.integer], location: LocationAttr
) -> NDArray[np.int32]:
    """
    Return offsets as i32; `location` is that of their node, for errors.

    Errors: PassFailedException for one that has no room.
    """
    if values.size and not -_LIMIT <= values.min() <= values.max() < _LIMIT:
        raise PassFailedException(
            f"{name_at(location)}: expected operands of less than 2**31 elements, "
            f"got an offset of {max(-values.min(), values.max())}"
        )
    return values.astype(np.int32)
