"""Zeros between the lines of a buffer: what a halo is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic

from xdsl.ir import Attribute

from glow.codegen.loops import N, loop
from glow.codegen.memory import Strips
from glow.codegen.rows import blank
from glow.codegen.values import Value
from glow.lowering.memory_to_loops.kernels.kernel import (
    OFFSETS,
    Call,
    Kernel,
    Operand,
    Steps,
    bounds_of,
)


@dataclass(frozen=True)
class ZeroGapsRow(Generic[N]):
    """How often all runs repeat, at which distance in elements, and the runs."""

    repeats: Steps[N]
    period: N
    runs: Steps[N]


@dataclass(frozen=True)
class ZeroGaps(Kernel):
    """
    Write zeros to runs of elements, listed in `gaps` as (start, length).

    Unit: a repetition or a run, as the row says.
    """

    element: Attribute
    strips: Strips

    @property
    def prefix(self) -> str:
        return "zero_gaps"

    def operands(self) -> Mapping[str, Operand]:
        return {"y": Operand(self.element), "gaps": OFFSETS}

    def row(self) -> ZeroGapsRow[int]:
        steps = blank(Steps[int])
        return ZeroGapsRow(steps, 0, steps)

    def write(self, call: Call, row: ZeroGapsRow[Value]) -> None:
        y, gaps = call["y"], call["gaps"]
        runs = bounds_of(row.runs, call)
        for repeat in loop(*bounds_of(row.repeats, call)):
            for run in loop(*runs):
                start = gaps[run * 2] + repeat * row.period
                for i, strip in self.strips.along(gaps[run * 2 + 1]):
                    y.store(strip.constant(0, self.element), start + i, strip)
