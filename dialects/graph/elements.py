"""Element types, numbers and indices as Python has them, in the terms of the IR."""

from __future__ import annotations

from dataclasses import dataclass
from types import EllipsisType
from typing import Any

import numpy as np
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from glow.support.arrays import Array
from glow.support.dtypes import dtype_named
from glow.support.types import dtype_of, element_type_of, is_bool, is_float


def element_for(dtype: Any) -> Attribute:
    """Return the element type that is given, as an attribute or as a NumPy dtype."""
    return (
        dtype if isinstance(dtype, Attribute) else element_type_of(dtype_named(dtype))
    )


def number_of(value: float, element: Attribute) -> Array:
    """
    Return a number as an array without axes, of an element type.

    Errors: VerifyException for a number that the type cannot hold.
    """
    dtype = dtype_of(element)
    if is_float(element):
        return np.array(value, dtype)
    try:
        number = np.array(int(value), np.int8 if is_bool(element) else dtype)
    except (ValueError, OverflowError):
        number = None
    if number is None or number != value or (is_bool(element) and value not in (0, 1)):
        raise VerifyException(f"expected a number of type {element}, got {value}")
    return number.astype(dtype)


Index = int | slice | EllipsisType | None


@dataclass(frozen=True)
class Selection:
    """The part of a tensor that indices name, and its shape."""

    starts: tuple[int, ...]
    sizes: tuple[int, ...]
    steps: tuple[int, ...]
    shape: tuple[int, ...]

    @staticmethod
    def of(extents: tuple[int, ...], keys: tuple[Index, ...]) -> Selection:
        taken = sum(key is not None and key is not ... for key in keys)
        if taken > len(extents) or keys.count(...) > 1:
            raise IndexError(f"expected at most {len(extents)} indices, got {keys}")
        rest = (slice(None),) * (len(extents) - taken)
        at = keys.index(...) if ... in keys else len(keys)
        ranges, shape = list[range](), list[int]()
        for key in (*keys[:at], *rest, *keys[at + 1 :]):
            if key is None:
                shape.append(1)
                continue
            extent = extents[len(ranges)]
            if isinstance(key, slice):
                ranges.append(range(extent)[key])
                shape.append(len(ranges[-1]))
            elif isinstance(key, int | np.integer):
                index = range(extent)[key]
                ranges.append(range(index, index + 1))
            else:
                raise TypeError(f"expected integers, slices, None or ..., got {key}")
        starts = tuple(max(each.start, 0) for each in ranges)
        sizes, steps = tuple(map(len, ranges)), tuple(each.step for each in ranges)
        return Selection(starts, sizes, steps, tuple(shape))
