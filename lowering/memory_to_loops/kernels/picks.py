"""Slices of a buffer at places that tuples of indices name: to read, write, combine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, cast

from xdsl.ir import Attribute

from glow.codegen.functions import Combination, combined
from glow.codegen.loops import Level, N, levels_like, nest
from glow.codegen.memory import Strips, nest_strips
from glow.codegen.values import Value
from glow.lowering.memory_to_loops.kernels.faults import Fault
from glow.lowering.memory_to_loops.kernels.kernel import (
    FAULT,
    Call,
    Kernel,
    Operand,
)

CHECK = "check"


@dataclass(frozen=True)
class Pick(Generic[N]):
    """
    One index of a tuple: the axis that it picks from, its stride in the tuple.

    Row: extent and stride in x of the axis, the stride, the fault code.
    """

    extent: N
    stride: N
    step: N
    code: N


@dataclass(frozen=True)
class PicksRow(Generic[N]):
    """Loops over tuples (strides of x, indices, y), and over a slice (of x, y)."""

    outer: tuple[Level[N], ...]
    picks: tuple[Pick[N], ...]
    slices: tuple[Level[N], ...]


@dataclass(frozen=True)
class Picks(Kernel):
    """
    Move a slice per tuple of indices; one out of range is reported and taken as 0.

    `kind` is "gather": y is what x has there; "none": x becomes y there; the name of a
    combination: x becomes x and y combined; "check": nothing moves. On vectors, a slice
    has unit stride along its fastest axis in x and y.
    Unit: of gathers, an iteration of the outermost loop; else everything, since tuples
    may name one place.
    """

    kind: str
    element: Attribute
    compute: Attribute
    integer: Attribute
    outer: int
    count: int
    slices: int
    strips: Strips

    @property
    def prefix(self) -> str:
        return "gather_nd" if self.kind == "gather" else f"scatter_{self.kind}"

    def operands(self) -> Mapping[str, Operand]:
        is_moved = self.kind in ("gather", "none", CHECK)
        x = Operand(self.element, self.element if is_moved else self.compute)
        return {"x": x, "indices": Operand(self.integer), "y": x, "fault": FAULT}

    def row(self) -> PicksRow[int]:
        picks = (Pick(0, 0, 0, 0),) * self.count
        return PicksRow(levels_like(self.outer, 3), picks, levels_like(self.slices, 2))

    def write(self, call: Call, row: PicksRow[Value]) -> None:
        bounds = call.range if self.kind == "gather" else None
        for x, place, y in nest(row.outer, 3, bounds=bounds):
            for pick in row.picks:
                fault = Fault(call["fault"], pick.code)
                picked = fault.checked(call["indices"][place], pick.extent)
                x, place = x + picked * pick.stride, place + pick.step
            if self.kind != CHECK:
                self._move(call, row, x, y)

    def _move(self, call: Call, row: PicksRow[Value], x: Value, y: Value) -> None:
        for (at, other), strip in nest_strips(row.slices, self.strips, [x, y]):
            if self.kind == "gather":
                call["y"].store(call["x"].load(at, strip), other, strip)
                continue
            values = call["y"].load(other, strip)
            if self.kind != "none":
                kind = cast(Combination, self.kind)
                values = combined(kind, call["x"].load(at, strip), values)
            call["x"].store(values, at, strip)
