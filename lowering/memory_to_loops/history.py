"""History of the accesses of calls to memory: which later calls wait for which."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from glow.dialects.team.sections import CallOp, is_beside
from glow.dialects.team.touches import Bytes, PlacedTouch
from glow.lowering.memory_to_loops._strands import CallChain


class PastTouch(NamedTuple):
    access: PlacedTouch
    call: CallOp
    strand: CallChain


def _replaces(entry: PastTouch, earlier: PastTouch) -> bool:
    """Return whether waiting for `entry`, a write, includes waiting for `earlier`."""
    own = entry.access.bytes
    hides = own.is_dense or own == earlier.access.bytes
    return hides and not is_beside(entry.call, earlier.call)


def _latest(readers: Sequence[PastTouch]) -> list[PastTouch]:
    """
    Leave out readers that all later writes wait for by waiting for later readers.

    The later ones read the same bytes, or all. A write does not wait for readers beside
    it, so the later ones must be beside nothing, or have two different numbers.
    """
    sections: dict[Bytes | None, dict[int | None, int]] = {}
    for each in readers:
        own, beside = each.access.bytes, each.call.beside
        number = None if beside is None else beside.value.data
        latest = sections.setdefault(None if own.is_dense else own, {})
        latest[number] = max(latest.get(number, -1), each.strand.section)
    floors = {own: _floor(latest) for own, latest in sections.items()}
    everywhere = floors.get(None, -1)
    return [
        each
        for each in readers
        if each.strand.section >= max(everywhere, floors.get(each.access.bytes, -1))
    ]


def _floor(latest: Mapping[int | None, int]) -> int:
    """Return the last section where each write waits for a reader in it or later."""
    numbered = sorted(last for number, last in latest.items() if number is not None)
    return max([latest.get(None, -1), *numbered[-2:-1]])


@dataclass
class _Stretch:
    """Bytes with the same accesses: the last writers, and the readers since."""

    writers: list[PastTouch] = field(default_factory=lambda: [])
    readers: list[PastTouch] = field(default_factory=lambda: [])
    room: int = 8
    """With more readers than this, `_latest` leaves out those that it can."""

    def read(self, entry: PastTouch) -> None:
        self.readers.append(entry)
        if len(self.readers) > self.room:
            self.readers = _latest(self.readers)
            self.room = max(self.room, 2 * len(self.readers))


@dataclass
class History:
    """The accesses of calls to a block of memory so far, by parts between `starts`."""

    starts: list[int] = field(default_factory=lambda: [])
    parts: list[_Stretch] = field(default_factory=lambda: [])

    def clashes(self, access: PlacedTouch) -> Iterator[PastTouch]:
        """Yield the past accesses that `access` must wait for."""
        first = max(bisect_right(self.starts, access.bytes.begin) - 1, 0)
        last = bisect_left(self.starts, access.bytes.end)
        for part in self.parts[first:last]:
            for some in (part.writers, part.readers if access.writes else ()):
                yield from (each for each in some if each.access.clashes(access))

    def note(self, entry: PastTouch) -> None:
        """Add an access, which comes after all that it clashes with."""
        own = entry.access.bytes
        if own.begin == own.end:
            return
        first, last = self._cut(own.begin), self._cut(own.end)
        for part in self.parts[first:last]:
            if not entry.access.writes:
                part.read(entry)
                continue
            for some in (part.writers, part.readers):
                some[:] = [e for e in some if not _replaces(entry, e)]
            part.writers.append(entry)

    def _cut(self, at: int) -> int:
        """Return the number of the part that begins at byte `at`."""
        number = bisect_left(self.starts, at)
        if number == len(self.starts) or self.starts[number] != at:
            before = self.parts[number - 1] if number else _Stretch()
            part = _Stretch(list(before.writers), list(before.readers), before.room)
            self.starts.insert(number, at)
            self.parts.insert(number, part)
        return number
