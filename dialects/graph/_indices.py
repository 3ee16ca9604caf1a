"""Indices of tensors: which part integers, slices, None and ... name."""

from __future__ import annotations

from dataclasses import dataclass
from types import EllipsisType

import numpy as np

Index = int | slice | EllipsisType | None


@dataclass(frozen=True)
class Part:
    """The part of a tensor that indices name, and its shape."""

    starts: tuple[int, ...]
    sizes: tuple[int, ...]
    steps: tuple[int, ...]
    shape: tuple[int, ...]

    @staticmethod
    def of(extents: tuple[int, ...], keys: tuple[Index, ...]) -> Part:
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
        return Part(starts, sizes, steps, tuple(shape))
