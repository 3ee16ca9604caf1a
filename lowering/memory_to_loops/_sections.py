"""Sections of `main`: which calls wait for which others, and which run beside them."""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import ceil

from xdsl.ir import SSAValue

from glow.dialects.team.sections import (
    AccessesOf,
    CallOp,
    SectionOp,
    StrandOp,
    is_beside,
)
from glow.dialects.team.touches import PlacedTouch
from glow.lowering.memory_to_loops._strands import CallChain
from glow.lowering.memory_to_loops.history import History, PastTouch
from glow.lowering.tiles import MANY_PARTS

_LEAST_SAVED = 8
"""How much time a second thread must save, in pieces: waking it takes as long."""

_JOINED = 2
"""Dependent calls are one strand if they take no longer than so many pieces."""

_MOST_CALLS = 24
"""The most calls of a strand: each is compared with each, and sections cost little."""

_BARRIER = 1 / 8
"""The cost of a barrier, in pieces."""


def sections_of(
    calls: Sequence[CallOp], team: SSAValue, piece_ns: int
) -> list[SectionOp]:
    """
    Return the sections that run `calls`, with a barrier after each.

    A call is in the first section after all calls that it depends on. Where these and
    it are shorter than two pieces, they are one strand, which needs no barrier inside.
    """
    plan = _Plan(piece_ns)
    for call in calls:
        plan.add(call)
    sections: list[SectionOp] = []
    count = 0
    for section in plan.sections:
        for strand in section:
            strand.cut(piece_ns)
        # Long pieces go first: short ones then fill what time others leave.
        strands = sorted(section, key=lambda each: -each.cost // each.calls[0].pieces)
        ops = [StrandOp(count + n, each.calls) for n, each in enumerate(strands)]
        count += len(ops)
        sections.append(SectionOp(len(sections), team, ops))
    return sections


def saves_time(sections: Sequence[SectionOp], piece_ns: int) -> bool:
    """Return whether two threads save more time in a run than it takes to wake one."""
    saved = 0.0
    for section in sections:
        less, more = 0.0, 0.0
        for strand in section.strands:
            calls = strand.calls
            count = calls[0].pieces
            piece = sum(call.cost.value.data for call in calls) / count
            # The thread with less to do catches up; from then on both take turns.
            alone = min(count, ceil((more - less) / piece)) if piece else 0
            turns = count - alone
            less, more = sorted((less + alone * piece, more))
            less, more = less + turns // 2 * piece, more + turns // 2 * piece
            less, more = sorted((less + turns % 2 * piece, more))
        saved += less - _BARRIER * piece_ns
    return saved >= _LEAST_SAVED * piece_ns


@dataclass
class _Plan:
    piece_ns: int
    sections: list[dict[CallChain, None]] = field(default_factory=lambda: [])
    _accesses: AccessesOf = field(default_factory=lambda: cache(CallOp.accesses))
    _memory: defaultdict[Hashable, History] = field(
        default_factory=lambda: defaultdict(History)
    )
    _groups: dict[int, set[CallChain]] = field(default_factory=lambda: {})
    """By number `beside`: the strands that calls with it wait for."""
    _last: dict[int, CallChain] = field(default_factory=lambda: {})
    """By number `beside`: the strand of the last call with it."""
    _order: dict[CallOp, int] = field(default_factory=lambda: {})

    def add(self, call: CallOp) -> None:
        """Assign `call` to a strand of a section."""
        self._order[call] = len(self._order)
        accesses = self._accesses(call)
        if call.ordered is not None:
            latest = list(self.sections[-1]) if self.sections else []
        else:
            latest = self._latest(call, accesses)
        strand = (
            self._joined(call, latest)
            or self._continued(call, latest)
            or self._new(call, latest[0].section + 1 if latest else 0)
        )
        if call.beside is not None:
            self._last[call.beside.value.data] = strand
        for access in accesses:
            self._memory[access.place].note(PastTouch(access, call, strand))

    def _latest(self, call: CallOp, accesses: Sequence[PlacedTouch]) -> list[CallChain]:
        """Return the strands that `call` depends on, those of the last such section."""
        strands = {
            entry.strand
            for access in accesses
            if access.place in self._memory
            for entry in self._memory[access.place].clashes(access)
            if not is_beside(entry.call, call)
        }
        if call.beside is not None:
            # A call also waits for the strands that earlier calls beside it wait for.
            group = self._groups.setdefault(call.beside.value.data, set())
            group |= strands
            strands = group
        strands = {strand.found() for strand in strands}
        last = max((strand.section for strand in strands), default=-1)
        found = [strand for strand in strands if strand.section == last]
        return sorted(found, key=lambda strand: self._order[strand.calls[0]])

    def _joined(self, call: CallOp, strands: Sequence[CallChain]) -> CallChain | None:
        """Merge `strands` and `call` into one strand; None if it would be too long."""
        cost = call.cost.value.data + sum(strand.cost for strand in strands)
        if not strands or cost > _JOINED * self.piece_ns:
            return None
        first, *others = strands
        # The longest grows in place: many calls may come to it one by one.
        longest = max(strands, key=lambda strand: len(strand.calls))
        calls = longest.calls
        for strand in strands:
            for each in strand.calls if strand is not longest else ():
                insort(calls, each, key=self._order.__getitem__)
        calls.append(call)
        for strand in others:
            del self.sections[first.section][strand]
            strand.joined = first
        first.calls, first.units, first.cost = calls, None, cost
        return first

    def _continued(
        self, call: CallOp, strands: Sequence[CallChain]
    ) -> CallChain | None:
        """Append `call` to a strand that is cut like it, and return that; else None."""
        section = strands[0].section if strands else -1
        choices = list(strands) if len(strands) == 1 else []
        if call.beside is not None:
            last = self._last.get(call.beside.value.data)
            if last is not None and last.found().section == section + 1:
                choices = [last.found()]
        for strand in choices:
            if len(strand.calls) >= _MOST_CALLS or call.ordered is not None:
                continue
            units = strand.units_with(call, self._accesses)
            if units is None:
                continue
            parts = -(-call.units.value.data // units[-1])
            most = max(strand.pieces(self.piece_ns), self._pieces(call))
            if parts >= min(MANY_PARTS, most):
                strand.calls.append(call)
                strand.units = units
                strand.cost += call.cost.value.data
                return strand
        return None

    def _pieces(self, call: CallOp) -> int:
        return CallChain(0, [call], [1]).pieces(self.piece_ns)

    def _new(self, call: CallOp, section: int) -> CallChain:
        if section == len(self.sections):
            self.sections.append({})
        strand = CallChain(section, [call], [1])
        self.sections[section][strand] = None
        return strand
