"""The arrays of a run, and all copies that runs make, counted per thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import local

import numpy as np

from glow.support.arrays import Array


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


@dataclass(frozen=True)
class Arguments:
    """
    Arrays of one run, in the order of the signature.

    They are C-contiguous, but for inputs that are outputs too.
    """

    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    """Buffers for the results; nothing else reads or writes them during the run."""
    requested: tuple[Array | None, ...]
    """The caller's output buffers; None: allocate a new array."""

    def results(self) -> tuple[Array, ...]:
        """Return the outputs after the run, in the caller's buffers where given."""
        return tuple(map(self.deliver, range(len(self.outputs))))

    def deliver(self, number: int) -> Array:
        """Return an output that is ready, in the caller's buffer where given."""
        written, requested = self.outputs[number], self.requested[number]
        if requested is None:
            return written
        if not np.may_share_memory(requested, written):
            copy_into(requested, written)
        return requested


def readable(array: Array, is_updated: bool, others: Sequence[Array | None]) -> Array:
    """
    Return `array`, or a copy that a run can read: it overlaps none of `others`.

    It is contiguous, unless it is updated: then the run copies it to where it writes.
    """
    flags = array.flags
    is_plain = is_updated or (flags.c_contiguous and flags.aligned)
    if is_plain and not any(
        other is not None and np.may_share_memory(array, other) for other in others
    ):
        return _plain(array)
    _COUNT.nbytes += array.nbytes
    return np.array(array, order="C", subok=False)


def writeable(requested: Array | None) -> Array | None:
    """Return `requested` where code can write into it directly, else None."""
    if requested is None or not requested.flags.carray:
        return None
    return _plain(requested)


def _plain(array: Array) -> Array:
    """Return `array` as one of NumPy's own class."""
    return array if type(array) is np.ndarray else array.view(np.ndarray)
