"""Slices of a buffer, picked by indices that are known only when it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic

from xdsl.ir import Attribute

from glow.codegen.loops import Level, N, levels_like, nest
from glow.codegen.memory import Strips, nest_strips
from glow.codegen.values import Value, index
from glow.lowering.memory_to_loops.kernels.faults import Fault
from glow.lowering.memory_to_loops.kernels.kernel import (
    FAULT,
    Call,
    Kernel,
    Operand,
)


@dataclass(frozen=True)
class GatherRow(Generic[N]):
    """
    Loops before the picked axis, over the indices, and over a slice.

    Strides are those of data and result; of indices and result over the indices.
    """

    before: tuple[Level[N], ...]
    index: tuple[Level[N], ...]
    after: tuple[Level[N], ...]
    extent: N
    stride: N
    code: N


@dataclass(frozen=True)
class Gather(Kernel):
    """
    Copy a slice per index; an index out of range is reported and taken as 0.

    On vectors, a slice has unit stride along its fastest axis on both sides.
    Unit: an iteration of the outermost loop before the slice.
    """

    element: Attribute
    integer: Attribute
    before: int
    index: int
    after: int
    strips: Strips

    @property
    def prefix(self) -> str:
        return "gather"

    def operands(self) -> Mapping[str, Operand]:
        data, indices = Operand(self.element), Operand(self.integer)
        return {"data": data, "indices": indices, "y": data, "fault": FAULT}

    def row(self) -> GatherRow[int]:
        loops = (levels_like(n, 2) for n in (self.before, self.index, self.after))
        return GatherRow(*loops, extent=0, stride=0, code=0)

    def write(self, call: Call, row: GatherRow[Value]) -> None:
        data, indices, y = call["data"], call["indices"], call["y"]
        fault = Fault(call["fault"], row.code)
        outer = call.range if row.before else None
        inner = None if row.before else call.range
        for source, result in nest(row.before, 2, bounds=outer):
            places = nest(row.index, 2, starts=[index(0), result], bounds=inner)
            for place, to in places:
                picked = fault.checked(indices[place], row.extent)
                starts = [source + picked * row.stride, to]
                for (at, out), strip in nest_strips(row.after, self.strips, starts):
                    y.store(data.load(at, strip), out, strip)
