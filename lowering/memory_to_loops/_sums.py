"""Orders in which products are added up."""

from __future__ import annotations

from dataclasses import dataclass, replace

from glow.lowering.memory_to_loops.kernels.microkernel import Sums
from glow.lowering.memory_to_loops.rows import Offsets
from glow.support.costs import Costs


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

    def in_parts(self, costs: Costs, depth: int, tiles: int) -> Summed:
        """
        Return how `tiles` that share a panel add up `depth` products.

        If sums are long, all tiles add a part before any adds the next. Each sum is
        added up in the same order.
        """
        parts = depth // costs.sum_part
        is_split = parts > 1 and tiles >= costs.parted_tiles
        if self.order is not Sums.BY_SEGMENT or not is_split:
            return self
        block = -(-len(self.segments) // parts)
        return replace(self, order=Sums.BY_PART, block=block)

    @property
    def parts(self) -> int:
        """The number of parts that sums are added up in."""
        return -(-len(self.segments) // self.block) if self.is_parted else 1
