"""Calls that take turns, so that what one writes is read while a cache holds it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import SSAValue

from glow.analysis.buffers import root_of, size_bytes
from glow.dialects.memory.base import buffer_type
from glow.dialects.team.sections import place_of
from glow.lowering.memory_to_loops.kernels.kernel import Argument, PreparedCall
from glow.lowering.memory_to_loops.kernels.unit_rows import UnitSpans
from glow.lowering.memory_to_loops.rows import Offsets
from glow.lowering.memory_to_loops.storage import Storage
from glow.lowering.memory_to_loops.touched import bytes_behind, bytes_of_root
from glow.support.costs import MEASURED, Costs
from glow.support.types import dtype_of

_CONSTANTS = 2
"""Constants, which each round reads again, may take 1 / `_CONSTANTS` of `near`."""
_SMALL = 16
"""Calls that are not cut go along if they touch less than 1 / `_SMALL` of `near`."""
_AT_ONCE = 2
"""The first unit of a call may need 1 / `_AT_ONCE` of another call's units."""

CallRange = tuple["PlannedCall", int, int]
"""A call, the first of its units to do now, and the one after the last."""


@dataclass(frozen=True, eq=False)
class ByteSpan:
    """Bytes of a block of memory from `low` to `high`, for each unit or for all."""

    place: Hashable
    writes: bool
    is_own: bool
    """Whether each unit writes what it reads there."""
    low: Offsets
    high: Offsets

    @cached_property
    def first(self) -> int:
        return int(self.low.min())

    @cached_property
    def end(self) -> int:
        return int(self.high.max())

    @property
    def bytes(self) -> int:
        return self.end - self.first

    def moved(self, place: Hashable, offset: int) -> ByteSpan:
        """Return the same bytes, `offset` further on in another block of memory."""
        low, high = self.low + offset, self.high + offset
        moved = ByteSpan(place, self.writes, self.is_own, low, high)
        vars(moved).update(first=self.first + offset, end=self.end + offset)
        return moved

    def meets(self, other: ByteSpan) -> bool:
        """Return whether both may touch a byte."""
        if self.place != other.place or (self.is_own and other.is_own):
            return False
        return max(self.first, other.first) < min(self.end, other.end)

    def needs(self, other: ByteSpan, units: int) -> Offsets | None:
        """
        Return how many of the `units` units of `other` come before each unit.

        None where they never touch the same bytes, or both only read.
        """
        if not (self.writes or other.writes) or not self.meets(other):
            return None
        if len(other.low) == 1:
            return np.full(len(self.low), units)
        low = np.minimum.accumulate(other.low[::-1])[::-1]
        high = np.maximum.accumulate(other.high)
        count = np.searchsorted(low, self.high, "left")
        meets = high[np.maximum(count - 1, 0)] > self.low
        return np.maximum.accumulate(np.where(meets, count, 0))


@dataclass(eq=False)
class PlannedCall:
    """A call that `main` makes, in one piece or several."""

    prepared: PreparedCall
    operands: Sequence[SSAValue]
    passed: Mapping[str, Argument]
    location: LocationAttr
    storage: Storage
    written: Set[SSAValue] = frozenset()
    """The buffers that its op writes."""
    beside: int | None = None
    """Calls with the same number touch none of each other's elements."""
    ns: int = 0
    """Its time in nanoseconds, roughly."""
    group: int = 0
    """The group that a profile counts it in."""
    is_interleaved: bool = False
    """Whether it takes turns with calls before it, whose results it reads."""

    @property
    def units(self) -> int:
        return self.prepared.work.units

    @property
    def is_cut(self) -> bool:
        """Whether it is known what a unit of its work writes."""
        return any(span.writes and len(span.low) > 1 for span in self.spans)

    @cached_property
    def spans(self) -> list[ByteSpan]:
        """What it touches, constants and tables aside."""
        own = self.prepared.once("spans", self._spans)
        return [own[name].moved(*place_of(self.passed[name].base)) for name in own]

    def _spans(self) -> Mapping[str, ByteSpan]:
        """Return the bytes that it touches, by argument and counted from that."""
        units, is_constant = self.prepared.work.spans(), self.storage.is_constant
        return {
            name: self._span(name, argument, argument.buffer, units.get(name))
            for name, argument in self.passed.items()
            if argument.buffer is not None and not is_constant(argument.buffer)
        }

    def _span(
        self, name: str, argument: Argument, buffer: SSAValue, units: UnitSpans | None
    ) -> ByteSpan:
        writes, work = buffer in self.written, self.prepared.work
        if units is None and (rows := work.rows.get(name)) is not None:
            units = rows.spans(work.units)
        if units is None:
            own = bytes_behind(argument, writes=writes)
            low, high = np.array([own.begin]), np.array([own.end])
        else:
            size = dtype_of(argument.operand.element).itemsize
            low, high = (each * size for each in units)
        return ByteSpan(name, writes, argument.is_own, low, high)

    @property
    def constant_bytes(self) -> int:
        """The bytes of constants, which each piece reads."""
        return self.prepared.once("constant bytes", self._constant_bytes)

    def _constant_bytes(self) -> int:
        buffers = [a.buffer for a in self.passed.values() if a.buffer is not None]
        roots = {root_of(each) for each in buffers if self.storage.is_constant(each)}
        return sum(size_bytes(buffer_type(root)) for root in roots)

    def is_large(self, near: int) -> bool:
        """Whether it writes more than `near` bytes by units, and may begin a chain."""
        return self.prepared.once("is large", lambda: self._writes_more(near))

    def _writes_more(self, near: int) -> bool:
        if self.prepared.ordered or self.constant_bytes > near // _CONSTANTS:
            return False
        # Nearly all are small: what their units touch need not be known.
        written = [bytes_of_root(root_of(each)) for each in self.written]
        if written and max(each.end for each in written) <= near:
            return False
        return self.is_cut and any(
            span.writes and span.bytes > near for span in self.spans
        )


def rounds_of(
    calls: Sequence[PlannedCall], near: int, costs: Costs = MEASURED
) -> Iterator[CallRange]:
    """
    Yield `calls`, where those that pass on more than `near` bytes take turns in pieces.

    Two units that touch the same bytes, at least one of them by a write, stay in order.
    """
    at = 0
    while at < len(calls):
        if not calls[at].is_large(near):
            yield calls[at], 0, calls[at].units
            at += 1
            continue
        chain = _Chain(near, costs, calls[at])
        for call in calls[at + 1 :]:
            if not chain.extend(call):
                break
        yield from chain.rounds()
        at += len(chain.calls)


class _Chain:
    """Consecutive calls that take turns: later ones read what earlier ones wrote."""

    def __init__(self, near: int, costs: Costs, first: PlannedCall):
        self._near, self._costs = near, costs
        self.calls, self._tried = [first], [first]
        self._needs: dict[PlannedCall, dict[PlannedCall, Offsets]] = {first: {}}

    @property
    def _most_constants(self) -> int:
        return self._near // _CONSTANTS

    def extend(self, call: PlannedCall) -> bool:
        """Add `call` if it may take turns; return whether another one may follow."""
        if call.prepared.ordered:
            return False
        needs = {
            other: need
            for other in self._tried
            if (need := _needs(call, other)) is not None
        }
        if not self._may_join(call, needs):
            return False
        self._tried.append(call)
        self._needs[call] = needs
        is_beside = call.beside is not None and call.beside == self.calls[-1].beside
        awaited = self._costs.awaited_bytes_per_ns * call.ns
        if is_beside or self._passed_on(call) > max(self._near, awaited):
            self.calls = list(self._tried)
        return True

    def _may_join(
        self, call: PlannedCall, needs: Mapping[PlannedCall, Offsets]
    ) -> bool:
        if not call.is_cut:
            touched = sum(span.bytes for span in call.spans)
            return touched * _SMALL < self._near and not any(
                other.is_cut for other in needs
            )
        constants = sum(each.constant_bytes for each in (*self._tried, call))
        if constants > self._most_constants:
            return False
        return all(
            need[0] * _AT_ONCE <= other.units or not other.is_cut
            for other, need in needs.items()
        )

    def _passed_on(self, call: PlannedCall) -> int:
        """Return how many bytes `call` reads that calls before it wrote."""
        written = [s for each in self._needs[call] for s in each.spans if s.writes]
        return sum(
            span.bytes
            for span in call.spans
            if not span.writes and any(span.meets(other) for other in written)
        )

    def rounds(self) -> Iterator[CallRange]:
        """Yield what each call does in turn."""
        done = dict.fromkeys(self.calls, 0)
        for call in self.calls[1:]:
            call.is_interleaved = True
        ends = [(call, call.units) for call in self.calls]
        for call, units in (*self._pieces(), *ends):
            yield from self._until(call, units, done)

    def _until(
        self, call: PlannedCall, units: int, done: dict[PlannedCall, int]
    ) -> Iterator[CallRange]:
        """Yield the ranges that bring `call` to `units` units, needed ones first."""
        before = done[call]
        if units <= before:
            return
        for other, need in self._needs[call].items():
            yield from self._until(other, int(need[min(units, len(need)) - 1]), done)
        done[call] = units
        yield call, before, units

    def _pieces(self) -> list[tuple[PlannedCall, int]]:
        """Return ends of pieces of the calls that none needs, in order of results."""
        if len(self.calls) == 1:
            return []
        needed = {other for call in self.calls for other in self._needs[call]}
        count = -(-self._bytes() // self._near)
        found: list[tuple[int, PlannedCall, int]] = []
        for call in self.calls:
            if call in needed or not call.is_cut:
                continue
            written = next(s for s in call.spans if s.writes and len(s.low) > 1)
            units = call.units
            ends = {-(-units * n // count) for n in range(1, count + 1)}
            found += ((int(written.low[end - 1]), call, end) for end in sorted(ends))
        found.sort(key=lambda each: each[0])
        return [(call, end) for _, call, end in found]

    def _bytes(self) -> int:
        """Return how many bytes the calls touch together."""
        total = 0
        spans = [span for call in self.calls for span in call.spans]
        for place in dict.fromkeys(span.place for span in spans):
            end = -1 << 62
            for low, high in sorted(
                (span.first, span.end) for span in spans if span.place == place
            ):
                total += max(0, high - max(low, end))
                end = max(end, high)
        return total


def _needs(call: PlannedCall, other: PlannedCall) -> Offsets | None:
    """Return how many units of `other` come before each of `call`'s, None if none."""
    if call.beside is not None and call.beside == other.beside:
        return None
    found: Offsets | None = None
    for x in call.spans:
        for y in other.spans:
            need = x.needs(y, other.units)
            if need is not None:
                found = need if found is None else np.maximum(found, need)
    return found
