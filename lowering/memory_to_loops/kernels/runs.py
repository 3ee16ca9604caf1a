"""Copies of runs of neighbors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

from glow.codegen.functions import minimum
from glow.codegen.loops import Level, N, loop, moved, nest
from glow.codegen.memory import Strip, rest_of
from glow.codegen.values import Value, index
from glow.lowering.memory_to_loops.kernels.kernel import Bounds, Call, Kernel

UNROLL = 4

Place = Sequence[Value]
"""Where something starts in the source and in the result."""


@dataclass(frozen=True)
class RunsRow(Generic[N]):
    """Loops around lines (strides of source and result), the length of a line."""

    outer: tuple[Level[N], ...]
    length: N


@dataclass(frozen=True)
class Runs(Kernel):
    """
    Copy lines of at least `lanes` elements that lie next to each other on both sides.

    A line has `vectors` vectors, or any number if that is 0. The last one ends with
    the line, over elements that were copied before; so do, of the innermost loop, the
    last `lines`, which are copied together.
    Unit: an iteration of the outermost loop: of several lines if there is no other
    around them, of several vectors if there is none around a line.
    """

    lanes: int
    vectors: int = 0
    lines: int = 1

    @property
    def size(self) -> int:
        """The elements of the vectors that go together where a line has many."""
        return self.lanes * UNROLL

    def write(self, call: Call, row: RunsRow[Value]) -> None:
        if self.lines == 1:
            part = call.part_inside(row.outer)
            for place in nest(row.outer, 2, bounds=call.range):
                self._lines(call, [place], row.length, part)
            return
        *levels, inner = row.outer
        for place in nest(levels, 2, bounds=call.range):
            self._several(call, row, place, inner, is_outermost=not levels)

    def _several(
        self,
        call: Call,
        row: RunsRow[Value],
        place: Place,
        level: Level[Value],
        is_outermost: bool,
    ) -> None:
        """Write a loop that copies a few lines at a time."""
        count = self.lines
        first, end = index(0), level.extent
        if is_outermost:
            first, end = call.begin * count, minimum(call.end * count, end)
        for i in loop(first, end, step=count, nonempty=True):
            places = [moved(place, minimum(i, level.extent - count), level)]
            for _ in range(1, count):
                pairs = zip(places[-1], level.strides, strict=True)
                places.append([at + stride for at, stride in pairs])
            self._lines(call, places, row.length, None)

    def _lines(
        self,
        call: Call,
        places: Sequence[Place],
        length: Value,
        part: Bounds | None,
    ) -> None:
        """Copy the lines that start at `places`, or the range `part` of the one."""
        if not self.vectors:
            for place in places:
                self._long(call, place, length, part)
            return
        steps = [index(k * self.lanes) for k in range(self.vectors - 1)]
        steps.append(length - self.lanes)
        self._copy(call, [[at + k for at in place] for place in places for k in steps])

    def _long(
        self,
        call: Call,
        place: Place,
        length: Value,
        part: Bounds | None,
    ) -> None:
        """Write loops over several vectors at a time, then over one."""
        first, end = index(0), length
        if part is not None:
            begin, last = part
            first, end = begin * self.size, minimum(last * self.size, length)
        whole = end - rest_of(end, self.size)
        for i in loop(first, whole, step=self.size):
            starts = [i + k * self.lanes for k in range(UNROLL)]
            self._copy(call, [[at + start for at in place] for start in starts])
        for i in loop(whole, end, step=self.lanes):
            start = minimum(i, length - self.lanes)
            self._copy(call, [[at + start for at in place]])

    def _copy(self, call: Call, places: Sequence[Place]) -> None:
        """Load all vectors at `places`, then store them."""
        strip = Strip(self.lanes)
        loaded = [call["x"].load(source, strip) for source, _ in places]
        for value, (_, result) in zip(loaded, places, strict=True):
            call["y"].store(value, result)
