"""Strands: calls that a thread runs in order, and how they are cut into pieces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from math import lcm

from glow.dialects.team.sections import (
    AccessesOf,
    CallOp,
    alike,
    clashes,
    is_beside,
)
from glow.dialects.team.touches import PlacedTouch
from glow.support.attributes import integer

_MOST_PIECES = 64
"""Pieces of a call, roughly: enough for any number of threads to share them evenly."""

_THREADS = 16
"""The number of threads that pieces suit best; it has no effect on results."""


@dataclass(eq=False)
class CallChain:
    """
    Calls that are cut alike, so that one thread runs a piece of each in order.

    The smallest piece is a part: `units[i]` units of call i, or all if `units` is None.
    """

    section: int
    calls: list[CallOp]
    units: list[int] | None
    joined: CallChain | None = None
    """The strand that this one was merged into."""
    cost: int = field(init=False)

    def __post_init__(self) -> None:
        self.cost = sum(call.cost.value.data for call in self.calls)

    @property
    def parts(self) -> int:
        if self.units is None:
            return 1
        return -(-self.calls[0].units.value.data // self.units[0])

    def units_of_part(self) -> list[int]:
        """Return how many units of each call a part has."""
        return self.units or [call.units.value.data for call in self.calls]

    def pieces(self, piece_ns: int) -> int:
        return max(1, min(self.parts, self.cost // piece_ns, _MOST_PIECES))

    def found(self) -> CallChain:
        strand = self
        while strand.joined is not None:
            strand = strand.joined
        return strand

    def cut(self, piece_ns: int) -> None:
        """Set in the calls how many of their units a piece has."""
        wanted = self.pieces(piece_ns)
        sizes = {max(1, self.parts // wanted), -(-self.parts // wanted)}
        # Of the sizes, take that where the busiest of `_THREADS` threads does least.
        parts = min(sorted(sizes), key=lambda n: -(-self.parts // (n * _THREADS)) * n)
        for call, units in zip(self.calls, self.units_of_part(), strict=True):
            step = min(parts * units, call.units.value.data)
            call.properties["step"] = integer(step)

    def units_with(self, call: CallOp, accesses: AccessesOf) -> list[int] | None:
        """Return `units` with those of `call`, None if it cannot be cut alike."""
        before = self.units_of_part()
        pairs = [
            (own, x, y)
            for own, each in zip(before, self.calls, strict=True)
            for x, y in clashes(each, call, accesses)
        ]
        if not all(x.step and y.step for _, x, y in pairs):
            return None
        moves = next(
            (
                (own * x.step, y.step)
                for own, x, y in pairs or self._written_beside(call, accesses)
                if x.step and y.step
            ),
            None,
        )
        if moves is None:
            return None
        common = lcm(*moves)
        units = [n * (common // moves[0]) for n in before]
        last = common // moves[1]
        if not all(
            alike(x, own * (common // moves[0]), y, last) for own, x, y in pairs
        ):
            return None
        counts = {
            -(-each.units.value.data // n)
            for each, n in zip([*self.calls, call], [*units, last], strict=True)
        }
        return [*units, last] if len(counts) == 1 else None

    def _written_beside(
        self, call: CallOp, accesses: AccessesOf
    ) -> Iterator[tuple[int, PlacedTouch, PlacedTouch]]:
        """Yield writes to one place by calls beside `call`, with units, and by it."""
        for own, each in zip(self.units_of_part(), self.calls, strict=True):
            if is_beside(each, call):
                for x, y in product(accesses(each), accesses(call)):
                    if x.writes and y.writes and x.place == y.place:
                        yield own, x, y
