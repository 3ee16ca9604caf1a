"""Lower `memory.zero_halo`: the runs of elements between those of the tensor."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Generic

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from glow.codegen.loops import N, loop
from glow.codegen.strips import Strips
from glow.codegen.values import Value
from glow.dialects.layout.attribute import layout_of, physical_shape_of
from glow.dialects.memory.address import addressing_of, find_addressing
from glow.dialects.memory.base import buffer_type, extents_of
from glow.dialects.memory.elementwise import ZeroHaloOp
from glow.lowering.memory_to_loops.copy import clear_padding
from glow.lowering.memory_to_loops.kernels.kernel import (
    Call,
    Kernel,
    Steps,
    Work,
    bounds_of,
)
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.layout import pack
from glow.support.types import dtype_of


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

    strips: Strips

    def write(self, call: Call[ZeroGapsRow[Value]]) -> None:
        row, y, gaps = call.row, call["y"], call["gaps"]
        runs = bounds_of(row.runs, call)
        for repeat in loop(*bounds_of(row.repeats, call)):
            for run in loop(*runs):
                start = gaps[run * 2] + repeat * row.period
                for i, strip in self.strips.along(gaps[run * 2 + 1]):
                    y.store(strip.constant(0, y.element), start + i, strip)


@lowers(ZeroHaloOp)
def lower_zero_halo(main: Main, op: ZeroHaloOp) -> None:
    type_ = buffer_type(op.result)
    layout = layout_of(type_)
    if layout is not None and not (layout.is_permutation or layout.is_aligned):
        clear_padding(main, op.result)
        return
    gaps, repeats, period = gaps_of(op.result)
    if not len(gaps) or not repeats:
        return
    first = 0
    if find_addressing(type_) is not None:
        first = -addressing_of(type_).offset
    kernel = ZeroGaps(main.strips(op.result, unroll=2, moved=True))
    arguments = {"y": main.stored(op.result, first), "gaps": main.offsets(gaps)}
    units, others = max(repeats, len(gaps)), min(repeats, len(gaps))
    row = ZeroGapsRow(
        Steps(0, repeats, int(units == repeats)),
        period,
        Steps(0, len(gaps), int(units != repeats)),
    )
    cost = others * int(gaps[:, 1].sum()) // len(gaps)
    main.call(kernel, arguments, row, Work(units, cost))


def gaps_of(buffer: SSAValue) -> tuple[NDArray[np.int64], int, int]:
    """
    Return runs (start, length) of elements outside the tensor, and their repetition.

    All runs repeat so many times at such a distance. Units: elements.
    """
    layout, shape = layout_of(buffer_type(buffer)), extents_of(buffer)
    stored = physical_shape_of(buffer_type(buffer))
    if layout is None or prod(stored) == prod(shape):
        return np.empty((0, 2), np.int64), 1, 1
    if not layout.is_permutation:
        dtype = dtype_of(buffer_type(buffer).element_type)  # gaps depend on its size
        inside = pack(layout, np.ones(shape, dtype))
        return _runs(inside.reshape(-1) == 0), 1, inside.size
    order = layout.order()
    wide = [i for i, axis in enumerate(order) if stored[i] != shape[axis]]
    first, last = wide[0], wide[-1] + 1
    outside = np.ones(stored[first:last], np.bool_)
    outside[
        tuple(
            slice(layout.halo[axis][0], layout.halo[axis][0] + shape[axis])
            for axis in order[first:last]
        )
    ] = False
    cell = prod(stored[last:])
    gaps = _runs(outside.reshape(-1)) * cell
    return gaps, prod(stored[:first]), prod(stored[first:])


def _runs(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return (start, length) of each run of True."""
    edges = np.diff(mask.astype(np.int8), prepend=0, append=0)
    starts, stops = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    return np.stack([starts, stops - starts], axis=1)
