"""Lower gathers and scatters by tuples: loops over the tuples, and over a slice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Generic, cast

from xdsl.ir import SSAValue

from glow.codegen.functions import Combination, combined
from glow.codegen.loops import Level, N, nest
from glow.codegen.strips import Strips, nest_strips
from glow.codegen.values import Value
from glow.dialects.graph.indexing import GatherElementsOp, GatherNdOp, GatherOp
from glow.dialects.graph.scattering import ScatterElementsOp, ScatterNdOp
from glow.dialects.memory.address import Addressing, addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.lowering.memory_to_loops.axes import axes_along, collapse
from glow.lowering.memory_to_loops.kernels.element_picks import (
    ElementPicks,
    ElementPicksRow,
)
from glow.lowering.memory_to_loops.kernels.kernel import (
    Argument,
    Call,
    Fault,
    Kernel,
    work_of,
)
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.types import normalize_axis

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
    """
    Loops over batches (strides of x, indices, y), over the tuples of one (of indices,
    y), and over a slice (of x, y).
    """

    batches: tuple[Level[N], ...]
    tuples: tuple[Level[N], ...]
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
    strips: Strips

    def write(self, call: Call[PicksRow[Value]]) -> None:
        row = call.row
        is_cut = self.kind == "gather"
        part = call.part_inside(row.batches) if is_cut else None
        for batch in nest(row.batches, 3, bounds=call.range if is_cut else None):
            for place, y in nest(row.tuples, 2, starts=batch[1:], bounds=part):
                x = batch[0]
                for pick in row.picks:
                    fault = Fault(call["fault"], pick.code)
                    picked = fault.checked(call["indices"][place], pick.extent)
                    x, place = x + picked * pick.stride, place + pick.step
                if self.kind != CHECK:
                    self._move(call, x, y)

    def _move(self, call: Call[PicksRow[Value]], x: Value, y: Value) -> None:
        for (at, other), strip in nest_strips(call.row.slices, self.strips, [x, y]):
            if self.kind == "gather":
                call["y"].store(call["x"].load(at, strip), other, strip)
                continue
            values = call["y"].load(other, strip)
            if self.kind != "none":
                kind = cast(Combination, self.kind)
                values = combined(kind, call["x"].load(at, strip), values)
            call["x"].store(values, at, strip)


_GATHER, _SCATTER = ("data", "indices", "result"), ("result", "indices", "updates")
"""Slots: where places are named, by what, and what goes there or comes from there."""


@dataclass(frozen=True)
class _Picks:
    """
    A gather or scatter by tuples: the buffers of its slots, and as what they are seen.

    `picked` is [batch..., D1, ..., Dk, slice...], `indices` [batch..., I..., k],
    `dense` [batch..., I..., slice...].
    """

    op: ApplyOp
    buffers: tuple[SSAValue, ...]
    picked: Addressing
    indices: Addressing
    dense: Addressing
    batch: int

    @staticmethod
    def of(op: ApplyOp, slots: Sequence[str], batch: int = 0) -> _Picks:
        """Return what an op does whose buffers are seen as they are."""
        buffers = tuple(op.buffer(slot) for slot in slots)
        return _Picks(op, buffers, *map(addressing_of, buffers), batch=batch)

    @staticmethod
    def of_elements(op: ApplyOp, slots: Sequence[str]) -> _Picks:
        """Return what an op does that picks elements along an axis of lines."""
        picks, p = _Picks.of(op, slots), op.graph_op().parameters()
        seen, shape = (picks.picked, picks.indices, picks.dense), picks.indices.shape
        axis = normalize_axis(p["axis"], len(shape))
        x, i, y = (_last(each, shape, axis) for each in seen)
        i = Addressing((*i.shape, 1), (*i.strides, 1), i.offset)
        return _Picks(op, picks.buffers, x, i, y, len(shape) - 1)

    def arguments(self, main: Main, is_moved: bool) -> dict[str, Argument]:
        passed = main.stored if is_moved else main.base
        x, i, y = self.buffers
        given = {"x": passed(x), "indices": main.base(i), "y": passed(y)}
        return given | {"fault": main.fault}

    def loops(self) -> list[Level[int]]:
        """Return the axes over the tuples, with strides of all three."""
        *shape, _ = self.indices.shape
        count, still = len(shape), (0,) * (len(shape) - self.batch)
        read = (*self.picked.strides[: self.batch], *still)
        others = self.indices.strides[:count], self.dense.strides[:count]
        return axes_along(shape, read, *others)


@lowers(GatherOp)
def lower_gather(main: Main, op: ApplyOp) -> None:
    """Tuples are of one index; axes before the one that it picks from are batches."""
    picks = _Picks.of(op, _GATHER)
    x, i, y = picks.picked, picks.indices, picks.dense
    axis, rank = op.graph_op().parameters()["axis"], len(x.shape)
    batch = axis = normalize_axis(axis, rank)
    if prod(i.shape) == 1:  # read it once, whatever lies before its axis
        batch, others = 0, [n for n in range(rank) if n != axis]
        x = _reordered(x, [axis, *others])
        count = len(i.shape)
        y = _reordered(y, [n if n < axis else n + count - 1 for n in others])
        i = Addressing((1,), (1,))
    else:
        i = Addressing((*x.shape[:axis], *i.shape, 1), (*(0,) * axis, *i.strides, 1))
    _gather(main, _Picks(op, picks.buffers, x, i, y, batch))


def _reordered(a: Addressing, order: Sequence[int]) -> Addressing:
    """Return `a` with some of its axes, in this order."""
    extents = tuple(a.shape[n] for n in order)
    return Addressing(extents, tuple(a.strides[n] for n in order), a.offset)


@lowers(GatherNdOp)
def lower_gather_nd(main: Main, op: ApplyOp) -> None:
    batch = op.graph_op().parameters()["batch_dims"]
    _gather(main, _Picks.of(op, _GATHER, batch))


@lowers(GatherElementsOp)
def lower_gather_elements(main: Main, op: ApplyOp) -> None:
    _gather(main, _Picks.of_elements(op, _GATHER))


@lowers(ScatterNdOp, updates=True)
def lower_scatter_nd(main: Main, op: ApplyOp) -> None:
    _lower(main, _Picks.of(op, _SCATTER), op.graph_op().parameters()["reduction"])


@lowers(ScatterElementsOp, updates=True)
def lower_scatter_elements(main: Main, op: ApplyOp) -> None:
    reduction = op.graph_op().parameters()["reduction"]
    _lower(main, _Picks.of_elements(op, _SCATTER), reduction)


def _last(a: Addressing, shape: Sequence[int], axis: int) -> Addressing:
    """Return `a` cut to `shape`, but for `axis`, which is whole and comes last."""
    order = [*(i for i in range(len(shape)) if i != axis), axis]
    extents = [n if i == axis else shape[i] for i, n in enumerate(a.shape)]
    return _reordered(replace(a, shape=tuple(extents)), order)


def _gather(main: Main, picks: _Picks) -> None:
    if not _lower_elements(main, picks):
        _lower(main, picks, "gather")


def _lower_elements(main: Main, picks: _Picks) -> bool:
    """Append the call for single elements by lines of indices, if these are such."""
    picked, indices, dense = picks.picked, picks.indices, picks.dense
    is_one = len(picked.shape) == picks.batch + 1 and indices.shape[-1] == 1
    if not is_one or 0 in dense.shape or 0 in picked.shape:
        return False
    loops = collapse(picks.loops(), (2, 1))
    strips = main.strips(picks.buffers[1], unroll=2)
    if not loops or loops[-1].strides[1] != 1 or loops[-1].extent < strips.lanes:
        return False
    *outer, line = loops
    extent, stride = picked.shape[-1], picked.strides[-1]
    code = main.message(picks.op, f"expected an index in [{-extent}, {extent - 1}]")
    loop = Level(line.extent, (line.strides[0], line.strides[2]))
    row = ElementPicksRow(tuple(outer), loop, extent, stride, code)
    along = (line.strides[0], line.strides[2], stride) == (0, 1, 1)
    kernel = ElementPicks(along, strips)
    work = work_of(row.outer, prod(dense.shape))
    main.call(kernel, picks.arguments(main, is_moved=True), row, work)
    return True


def _lower(main: Main, picks: _Picks, kind: str) -> None:
    """Append the call that moves slices between places in x and dense y."""
    picked, indices, dense = picks.picked, picks.indices, picks.dense
    batch = picks.batch
    if 0 in dense.shape:
        return
    count, loops = indices.shape[-1], len(indices.shape) - 1
    # Of slices that are written twice, the last one must come last.
    is_any_order = kind == "gather" or loops - batch < 2
    axes = picks.loops()
    within = [Level(axis.extent, axis.strides[1:]) for axis in axes[batch:]]
    batches = tuple(collapse(axes[:batch], (2, 1) * is_any_order))
    inner = tuple(collapse(within, (1, 0) * is_any_order))
    tuples: list[Pick[int]] = []
    for k in range(count):
        extent, stride = picked.shape[batch + k], picked.strides[batch + k]
        message = f"expected an index in [{-extent}, {extent - 1}]"
        code = main.message(picks.op, message)
        tuples.append(Pick(extent, stride, indices.strides[-1], code))
    at = batch + count
    slices = axes_along(picked.shape[at:], picked.strides[at:], dense.strides[loops:])
    slices = collapse(slices, (1, 0))
    is_moved = kind in ("gather", "none")
    strips = main.strips(picks.buffers[0], unroll=2, moved=is_moved)
    if not slices or slices[-1].strides != (1, 1) or slices[-1].extent < strips.lanes:
        strips = Strips(0)
    if 0 in picked.shape:  # nothing can be picked: any index fails
        kind, slices, strips = CHECK, [], Strips(0)
        picks = replace(picks, buffers=(*picks.buffers[2:], *picks.buffers[1:]))
    arguments = picks.arguments(main, is_moved)
    row = PicksRow(batches, inner, tuple(tuples), tuple(slices))
    cut = (*batches, *inner) if kind == "gather" else ()
    main.call(Picks(kind, strips), arguments, row, work_of(cut, prod(dense.shape)))
