"""Orders in which products are added up."""

from __future__ import annotations

from dataclasses import dataclass, replace

from glow.lowering.memory_to_loops.kernels.microkernel import Sums
from glow.lowering.memory_to_loops.rows import Offsets

_PART = 768
"""
The k of a part of long sums.

So much of a panel of 64 columns, and what tiles read beside it, stays near a core: a
product of 128 x 3072 x 768 takes 0.95 of the time (Sapphire Rapids).
"""
_FEWEST = 8
"""The tiles that share parts, at least."""


@dataclass(frozen=True, eq=False)
class Summed:
    """The stretches that a product is added up in, and the order."""

    order: Sums
    segments: Offsets
    runs: Offsets
    block: int = 0

    @property
    def is_parted(self) -> bool:
        return self.order is Sums.BY_PART

    def in_parts(self, depth: int, tiles: int) -> Summed:
        """
        Return how `tiles` that share a panel add up `depth` products.

        If sums are long they take turns: all add a part before the next. Sums stay the
        same.
        """
        parts = depth // _PART
        if self.order is not Sums.BY_SEGMENT or parts < 2 or tiles < _FEWEST:
            return self
        block = -(-len(self.segments) // parts)
        return replace(self, order=Sums.BY_PART, block=block)

    @property
    def parts(self) -> int:
        """How many parts tiles take turns with."""
        return -(-len(self.segments) // self.block) if self.is_parted else 1
