"""Sizes of values, and the ops between which they wait to be read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from xdsl.ir import BlockArgument, Operation, SSAValue

from glow.dialects.graph.declaration import ElementwiseOp
from glow.dialects.graph.movement import ReshapeOp
from glow.dialects.graph.storage import LiteralOp, LoadOp, SaveOp
from glow.support.arrays import Array
from glow.support.types import size_bytes

LEAST_GAP = 12
"""A value that is read again after fewer ops is in use; else it rests in between."""


class ValueLifetimes:
    """
    When values are made and read, by the numbers of ops, which run in this order.

    Left out are values that take no memory of the run's own: what is loaded or saved,
    arguments, and what one kernel is likely to make and read.
    """

    def __init__(self, ops: Sequence[Operation]):
        self.ops = ops
        numbers = {op: number for number, op in enumerate(self.ops)}
        self.uses: dict[SSAValue, list[int]] = {}
        """For each value the op that makes it, and those that read it."""
        for number, op in enumerate(self.ops):
            for value in op.results:
                if not is_free(value) and not _is_fused(value):
                    reads = {numbers[use.operation] for use in value.uses}
                    self.uses[value] = [number, *sorted(reads)]

    def peak_bytes(self) -> int:
        """Return the most bytes that are alive at once."""
        spans = ((v, uses[0], uses[-1]) for v, uses in self.uses.items())
        return int(self._held(spans).max(initial=0))

    def place(self) -> int:
        """
        Return the op behind which most bytes rest.

        A value rests where none of `LEAST_GAP` ops in a row reads it.
        """
        spans = ((v, *gap) for v, uses in self.uses.items() for gap in _gaps(uses))
        return int(np.argmax(self._held(spans)))

    def resting(self, place: int) -> list[SSAValue]:
        """Return the values that rest behind an op."""
        return [
            value
            for value, uses in self.uses.items()
            if any(first <= place < last for first, last in _gaps(uses))
        ]

    def _held(self, spans: Iterable[tuple[SSAValue, int, int]]) -> Array:
        """Return the bytes held behind each op, given (value, first, last op) spans."""
        changes = np.zeros(len(self.ops) + 1, np.int64)
        for value, first, last in spans:
            changes[first] += size_bytes(value)
            changes[last] -= size_bytes(value)
        return np.cumsum(changes)


def _gaps(uses: Sequence[int]) -> list[tuple[int, int]]:
    pairs = pairwise(uses)
    return [(first, last) for first, last in pairs if last - first > LEAST_GAP]


def is_free(value: SSAValue) -> bool:
    """Return whether keeping a value takes no memory of the run's own."""
    is_source = isinstance(value.owner, LiteralOp | LoadOp)
    users = (use.operation for use in value.uses)
    is_argument = isinstance(value, BlockArgument)
    return is_source or is_argument or any(isinstance(user, SaveOp) for user in users)


def _is_fused(value: SSAValue) -> bool:
    """Return whether the only op that reads a value is likely to share its kernel."""
    if not value.has_one_use():
        return not value.uses
    (use,) = value.uses
    pair = value.owner, use.operation
    return all(isinstance(op, ElementwiseOp | ReshapeOp) for op in pair)
