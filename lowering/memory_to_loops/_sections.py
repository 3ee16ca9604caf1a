"""Sections of `main`: which calls wait for which others, and what runs beside it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue

from glow.dialects.llvm_ext.memory import BaseOp
from glow.dialects.team.sections import CallOp, SectionOp, StrandOp, is_beside
from glow.dialects.team.touches import PlacedTouch

_MOST_PIECES = 64
"""Pieces of a call: enough for any number of threads to share them evenly."""

_LEAST_SAVED = 4
"""What a second thread must save, in pieces: to wake it takes about as long."""

_BARRIER = 1 / 16
"""What it costs to wait for the end of a section, in pieces."""


def units_of_a_piece(units: int, cost: int, piece_ns: int) -> int:
    """Return how many units are a piece, of calls that take `cost` nanoseconds."""
    pieces = max(1, min(units, cost // piece_ns, _MOST_PIECES))
    return -(-units // pieces)


def sections_of(
    calls: Sequence[CallOp], team: SSAValue, piece_ns: int
) -> list[SectionOp]:
    """
    Return the sections that do `calls`, of which later ones see what earlier ones do.

    A call is in the first section after those of all calls that it must wait for; where
    it and they are less than a piece, they are one strand, which waits for nobody.
    """
    plan = _Plan(piece_ns)
    for call in calls:
        plan.add(call)
    sections: list[SectionOp] = []
    count = 0
    for strands in plan.sections:
        # Long pieces go first: short ones then fill what time others leave.
        strands.sort(key=lambda strand: -strand.cost // strand.calls[0].pieces)
        ops = [
            StrandOp(count + n, list(_with_pointers(strand.calls)))
            for n, strand in enumerate(strands)
        ]
        count += len(ops)
        sections.append(SectionOp(len(sections), team, ops))
    return sections


def saves_time(sections: Sequence[SectionOp], piece_ns: int) -> bool:
    """Return whether a run is so much shorter with two threads that it pays."""
    saved = 0.0
    for section in sections:
        pieces = [
            cost
            for strand in section.strands
            for cost in [_cost_of(strand) / strand.pieces] * strand.pieces
        ]
        busy = [0.0, 0.0]
        for cost in pieces:
            busy[busy.index(min(busy))] += cost
        saved += min(busy) - _BARRIER * piece_ns
    return saved >= _LEAST_SAVED * piece_ns


def _cost_of(strand: StrandOp) -> int:
    return sum(call.cost.value.data for call in strand.calls)


def _with_pointers(calls: Iterable[CallOp]) -> Iterator[Operation]:
    """Yield calls after copies of the pointers that they are passed."""
    copies: dict[SSAValue, SSAValue] = {}
    for call in calls:
        for number, value in enumerate(call.arguments):
            if not isinstance(value.owner, BaseOp):
                continue
            if value not in copies:
                copy = value.owner.clone()
                copies[value] = copy.result
                yield copy
            call.operands[number] = copies[value]
        yield call


@dataclass(eq=False)
class _Strand:
    section: int
    calls: list[CallOp]
    cost: int
    joined: _Strand | None = None
    """The strand that does its calls instead."""

    def found(self) -> _Strand:
        strand = self
        while strand.joined is not None:
            strand = strand.joined
        return strand


@dataclass
class _Plan:
    piece_ns: int
    sections: list[list[_Strand]] = field(default_factory=lambda: [])
    _memory: dict[Hashable, _Memory] = field(default_factory=lambda: {})
    _groups: dict[int, set[_Strand]] = field(default_factory=lambda: {})
    """What calls with a number `beside` wait for."""
    _order: dict[CallOp, int] = field(default_factory=lambda: {})

    def add(self, call: CallOp) -> None:
        """Put `call` into a strand of a section."""
        self._order[call] = len(self._order)
        accesses = call.accesses()
        if call.ordered is not None:
            latest = self.sections[-1] if self.sections else []
        else:
            latest = self._latest(call, accesses)
        strand = self._joined(call, latest) or self._new(
            call, latest[0].section + 1 if latest else 0
        )
        for access in accesses:
            memory = self._memory.setdefault(access.place, _Memory())
            memory.note(_PastTouch(access, call, strand))

    def _latest(self, call: CallOp, accesses: Sequence[PlacedTouch]) -> list[_Strand]:
        """Return the strands of the last section that has some to wait for."""
        strands = {
            entry.strand
            for access in accesses
            if access.place in self._memory
            for entry in self._memory[access.place].clashes(access)
            if not is_beside(entry.call, call)
        }
        if call.beside is not None:
            # What one has written over, the calls beside it wait for too.
            group = self._groups.setdefault(call.beside.value.data, set())
            group |= strands
            strands = group
        strands = {strand.found() for strand in strands}
        last = max((strand.section for strand in strands), default=-1)
        found = [strand for strand in strands if strand.section == last]
        return sorted(found, key=lambda strand: self._order[strand.calls[0]])

    def _joined(self, call: CallOp, strands: Sequence[_Strand]) -> _Strand | None:
        """Return `strands` as one that does `call` too, None if that is too long."""
        cost = call.cost.value.data + sum(strand.cost for strand in strands)
        every = [call, *(each for strand in strands for each in strand.calls)]
        if not strands or cost > self.piece_ns or any(c.pieces > 1 for c in every):
            return None
        first, *others = strands
        for strand in others:
            self.sections[first.section].remove(strand)
            strand.joined = first
        first.calls, first.cost = sorted(every, key=self._order.__getitem__), cost
        return first

    def _new(self, call: CallOp, section: int) -> _Strand:
        if section == len(self.sections):
            self.sections.append([])
        strand = _Strand(section, [call], call.cost.value.data)
        self.sections[section].append(strand)
        return strand


@dataclass(frozen=True, eq=False)
class _PastTouch:
    access: PlacedTouch
    call: CallOp
    strand: _Strand


def _replaces(entry: _PastTouch, earlier: _PastTouch) -> bool:
    """Return whether who waits for `entry`, which writes, has waited for `earlier`."""
    own = entry.access.bytes
    hides = own.is_dense or own == earlier.access.bytes
    return hides and not is_beside(entry.call, earlier.call)


@dataclass
class _Stretch:
    """Bytes that were touched alike: who wrote them last, who read them since."""

    writers: list[_PastTouch] = field(default_factory=lambda: [])
    readers: list[_PastTouch] = field(default_factory=lambda: [])


@dataclass
class _Memory:
    """What calls did with a block of memory so far, by parts between `starts`."""

    starts: list[int] = field(default_factory=lambda: [])
    parts: list[_Stretch] = field(default_factory=lambda: [])

    def clashes(self, access: PlacedTouch) -> Iterator[_PastTouch]:
        """Yield what happened to the bytes that must not happen beside `access`."""
        first = max(bisect_right(self.starts, access.bytes.begin) - 1, 0)
        last = bisect_left(self.starts, access.bytes.end)
        for part in self.parts[first:last]:
            for some in (part.writers, part.readers if access.writes else ()):
                yield from (each for each in some if each.access.clashes(access))

    def note(self, entry: _PastTouch) -> None:
        """Take note that `entry` happens, after all that it clashes with."""
        own = entry.access.bytes
        if own.begin == own.end:
            return
        first, last = self._cut(own.begin), self._cut(own.end)
        for part in self.parts[first:last]:
            if not entry.access.writes:
                latest = max((e.strand.section for e in part.readers), default=-1)
                if latest < entry.strand.section:
                    part.readers = []
                if latest <= entry.strand.section:
                    part.readers.append(entry)
                continue
            for some in (part.writers, part.readers):
                some[:] = [e for e in some if not _replaces(entry, e)]
            part.writers.append(entry)

    def _cut(self, at: int) -> int:
        """Return the number of the part that begins at byte `at`."""
        number = bisect_left(self.starts, at)
        if number == len(self.starts) or self.starts[number] != at:
            before = self.parts[number - 1] if number else _Stretch()
            part = _Stretch(list(before.writers), list(before.readers))
            self.starts.insert(number, at)
            self.parts.insert(number, part)
        return number
