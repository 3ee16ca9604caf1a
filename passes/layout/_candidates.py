"""Candidate layouts of a value, and candidate ways to run an op."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from xdsl.ir import SSAValue, Use

from glow.dialects.layout.transform import TransformOp
from glow.support.layout import Layout, address_map, size_of
from glow.support.types import itemsize_of, shape_of

# A value with more candidates than this gets no new ones from its neighbors. Real
# networks have up to four.
MOST = 8


@lru_cache(1 << 14)
def _bytes_key(layout: Layout, shape: tuple[int, ...], itemsize: int) -> Any:
    """Return a key that layouts with the same bytes for a tensor share."""
    return (
        layout.halo,
        address_map(layout, shape, itemsize),
        size_of(layout, shape, itemsize),
    )


class Candidates:
    """The layouts that one value may have, each once; no two have the same bytes."""

    def __init__(self, value: SSAValue):
        self.layouts: list[Layout] = []
        self._shape = shape_of(value)
        self._itemsize = itemsize_of(value)
        self._index: dict[Any, int] = {}

    def find(self, layout: Layout) -> int | None:
        """Return the index of the candidate with these bytes."""
        return self._index.get(_bytes_key(layout, self._shape, self._itemsize))

    def add(self, layout: Layout) -> int:
        """Return the index of `layout`, which may be new."""
        key = _bytes_key(layout, self._shape, self._itemsize)
        if key not in self._index:
            self._index[key] = len(self.layouts)
            self.layouts.append(layout)
        return self._index[key]

    def has_room_for(self, layout: Layout) -> bool:
        return len(self.layouts) < MOST or self.find(layout) is not None


@dataclass(frozen=True)
class Way:
    """
    One way to run an op: candidates of its operands and results, by index.

    An operand may have any of several, a result has one.
    """

    operands: tuple[tuple[int, ...], ...]
    results: tuple[int, ...]
    cost: float = 0.0


def source_of(value: SSAValue) -> SSAValue:
    """Return the value whose transform, or transform of one, `value` is."""
    while isinstance(value.owner, TransformOp):
        value = value.owner.input
    return value


def readers_of(value: SSAValue) -> Iterator[Use]:
    """Yield the uses of `value` and of its transforms, but for transforms."""
    for use in value.uses:
        if isinstance(use.operation, TransformOp):
            yield from readers_of(use.operation.result)
        else:
            yield use
