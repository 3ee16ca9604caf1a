"""Kernels that go along lines of an axis: loops around the lines of a rule."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, Generic

from glow.codegen.functions import minimum
from glow.codegen.loops import Level, N, nest
from glow.codegen.memory import Strip
from glow.codegen.strips import Strips
from glow.codegen.values import Value
from glow.lowering.memory_to_loops.axes import LoopAxes
from glow.lowering.memory_to_loops.kernels.kernel import (
    Call,
    Kernel,
    Work,
)
from glow.lowering.memory_to_loops.kernels.lines import Line, Rule
from glow.lowering.memory_to_loops.kernels.unit_rows import UnitRows, rows_along
from glow.support.costs import Costs

_SCALARS = 64
"""The elements of a unit of work where lines of scalars are cut."""
_FARTHEST = 1 << 20
"""Lanes are less than this apart, so that all offsets in a step have 32 bits."""


@dataclass(frozen=True)
class LinesRow(Generic[N]):
    """
    The loops of a call: around lines, and along them.

    `width` is how many lines are neighbors, if lanes lie across lines; `pitches` are
    their distances in the operands that are `apart` in the kernel.
    """

    outer: tuple[Level[N], ...]
    inner: tuple[Level[N], ...]
    axis: Level[N]
    width: tuple[N, ...]
    numbers: tuple[N, ...]
    pitches: tuple[N, ...] = ()


@dataclass(frozen=True)
class Lines(Kernel):
    """
    All lines of an axis; `across`: lanes are neighbors of other lines.

    `still` are operands that do not move from lane to lane, `apart` those that move by
    more than an element.

    Unit: an iteration of the outermost loop. Where there is none: a strip of
    neighbors, or of a line whose elements are apart.
    """

    rule: Rule
    across: bool
    strips: Strips
    still: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()

    def per_ns(self, costs: Costs) -> float:
        if not self.strips.lanes:
            return costs.scalars_per_ns
        return self.rule.per_ns(costs)

    @property
    def prefix(self) -> str:
        return self.rule.name + ("_columns" if self.across else "")

    @property
    def step(self) -> int:
        """The elements of a unit of work that is not a whole iteration."""
        if not self.strips.lanes:
            return _SCALARS
        return self.strips.lanes * self.strips.unroll

    def write(self, call: Call[LinesRow[Value]]) -> None:
        row, moving = call.row, self.rule.moving
        numbers = dict(zip(self.rule.NUMBERS, row.numbers, strict=True))
        pitches = dict(zip(self.apart, row.pitches, strict=True))
        part = None
        if not (row.outer or row.width) and self.rule.INDEPENDENT:
            part = self._part(call, row.axis.extent)
        for at in nest(row.outer, len(moving), bounds=call.range):
            starts = dict(zip(moving, at, strict=True))
            for lanes, shifted in self._neighbors(call, starts, pitches):
                line = Line(
                    *(self.rule, call, shifted, row.inner, row.axis, self.strips),
                    *(numbers, self.still, lanes, part, pitches),
                )
                self.rule.line(line)

    def _part(self, call: Call[Any], extent: Value) -> tuple[Value, Value]:
        """Return the range of elements that the units of a call cover."""
        return call.begin * self.step, minimum(call.end * self.step, extent)

    def _neighbors(
        self,
        call: Call[LinesRow[Value]],
        starts: Mapping[str, Value],
        pitches: Mapping[str, Value],
    ) -> Generator[tuple[Strip | None, Mapping[str, Value]]]:
        """Write loops over neighbors; yield how many lanes and where lines begin."""
        row = call.row
        if not row.width:
            yield None, starts
            return
        (width,) = row.width
        first, last = (0, width) if row.outer else self._part(call, width)
        for i, strip in self.strips.along(last, start=first):
            yield (
                strip,
                {
                    name: start
                    if name in self.still
                    else start + (i * pitches[name] if name in pitches else i)
                    for name, start in starts.items()
                },
            )


@dataclass(frozen=True)
class LinesOf:
    """
    The axes of lines: `along` lines, the finest last, and `apart`, around them.

    `still` are the operands that may stand still where vectors run.
    """

    rule: Rule
    along: LoopAxes
    apart: LoopAxes
    numbers: tuple[int, ...] = ()
    still: frozenset[str] = field(default_factory=frozenset)

    def still_on(self, axis: Level[int]) -> tuple[str, ...] | None:
        """Return what stands still along `axis`; None if vectors cannot run there."""
        if axis.extent == 1:
            return ()
        strides = dict(zip(self.rule.moving, axis.strides, strict=True))
        still = tuple(name for name, stride in strides.items() if stride == 0)
        moves = all(stride in (0, 1) for stride in strides.values())
        return still if moves and self.still.issuperset(still) else None

    def plan(
        self, strips: Strips, across: Strips | None
    ) -> tuple[Lines, LinesRow[int], Work]:
        """
        Return the kernel, the row and the work.

        Lanes lie across lines if `across` is given, and neighboring lines allow it or
        lines are too short for vectors; else along a line, if its elements allow it;
        else steps are scalars.
        """
        *inner, axis = self.along or [Level(1, (0,) * len(self.rule.moving))]
        outer = list(self.apart)
        width: tuple[int, ...] = ()
        chosen, still, apart = Strips(0), (), dict[str, int]()
        neighbors = self.still_on(outer[-1]) if across and outer else None
        if across and neighbors is not None:
            width, chosen, still = (outer.pop().extent,), across, neighbors
        elif across and (apart := self._pitches(across)):
            # What is left over are scalars: gathers have no masks.
            width, chosen = (outer.pop().extent,), replace(across, masked=False)
        elif strips.lanes and (on_line := self.still_on(axis)) is not None:
            chosen, still = strips, on_line
        kernel = Lines(self.rule, bool(width), chosen, still, tuple(apart))
        row = LinesRow(
            tuple(outer),
            tuple(inner),
            axis,
            width,
            self.numbers,
            tuple(apart.values()),
        )
        return kernel, row, _work(kernel, row)

    def _pitches(self, across: Strips) -> dict[str, int]:
        """Return strides over 1 across lines, if these are shorter than a vector."""
        if not (self.apart and across.lanes and len(self.along) == 1):
            return {}
        neighbors, strides = self.apart[-1], self.apart[-1].strides
        is_short = self.along[0].extent < across.lanes <= neighbors.extent
        if not (is_short and min(strides) > 0 and max(strides) < _FARTHEST):
            return {}
        pitches = zip(self.rule.moving, strides, strict=True)
        return {name: stride for name, stride in pitches if stride > 1}


def _work(kernel: Lines, row: LinesRow[int]) -> Work:
    names, still = kernel.rule.moving, kernel.still
    apart = dict(zip(kernel.apart, row.pitches, strict=True))
    steps = tuple(0 if name in still else apart.get(name, 1) for name in names)
    width = [Level(extent, steps) for extent in row.width]
    levels = [*row.outer, *width, *row.inner, row.axis]
    elements = prod(level.extent for level in levels)
    units, rows = 1, dict[str, UnitRows]()
    if row.outer:
        units, rows = row.outer[0].extent, rows_along(levels, names)
    elif row.width or kernel.rule.INDEPENDENT:
        units = -(-levels[0].extent // kernel.step)
        rows = rows_along(levels, names, kernel.step)
    return Work(units, -(-elements // max(1, units)), rows)
