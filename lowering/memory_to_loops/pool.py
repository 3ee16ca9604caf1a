"""Pools: windows clipped at compile time, one table per shape of them."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Generic

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from glow.codegen.casts import convert, lowest
from glow.codegen.functions import fma, maximum, power, sqrt
from glow.codegen.loops import Level, N, Var, loop, moved, nest
from glow.codegen.memory import Memory, Strip
from glow.codegen.strips import Strips
from glow.codegen.values import Value, absolute, compare_floats, constant, index, select
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.pooling import AvgPoolOp, GlobalLpPoolOp, LpPoolOp, MaxPoolOp
from glow.dialects.graph.window import Window
from glow.dialects.memory.address import Addressing, addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.lowering.memory_to_loops.kernels.kernel import Bounds, Call, Kernel, Work
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.layout import row_major_strides
from glow.support.types import is_float

_FIELDS = 3
"""Per window: its first position in the input, its positions there, its divisor."""


@dataclass(frozen=True)
class SpatialAxis(Generic[N]):
    """
    The windows along one axis.

    Row: places (extent, strides), where their windows start in the table, the strides
    of a position and of a tap of the operands that windows slide over.
    """

    places: Level[N]
    table: N
    positions: tuple[N, ...]
    taps: tuple[N, ...]


@dataclass(frozen=True)
class WindowsRow(Generic[N]):
    """
    Images, their windows and their channels.

    Operands come in the order: those that windows slide over, then others.
    """

    batch: Level[N]
    axes: tuple[SpatialAxis[N], ...]
    channels: Level[N]


@dataclass(frozen=True)
class WindowPlace:
    """Where operands stand for one window, and the loops over what it reads."""

    offsets: list[Value]
    taps: tuple[Level[Value], ...] = ()
    divisor: Value | None = None


def _windows(call: Call[WindowsRow[Value]]) -> Generator[WindowPlace]:
    """Write loops over windows, clipped to the input; channels are not among them."""
    row = call.row
    for image in nest([row.batch], len(row.batch.strides)):
        yield from _slide(call["windows"], row.axes, WindowPlace(image), call.range)


def _slide(
    table: Memory,
    axes: Sequence[SpatialAxis[Value]],
    window: WindowPlace,
    part: Bounds | None = None,
) -> Generator[WindowPlace]:
    if not axes:
        yield window
        return
    axis, *inner = axes
    for i in loop(*(part or (0, axis.places.extent)), nonempty=True):
        yield from _slide(table, inner, _placed(table, window, axis, i))


def _placed(
    table: Memory, window: WindowPlace, axis: SpatialAxis[Value], i: Value
) -> WindowPlace:
    """Return `window` with its place along one more axis."""
    entry = axis.table + i * _FIELDS
    first, count, divisor = (table[entry + field] for field in range(_FIELDS))
    offsets = moved(window.offsets, i, axis.places)
    for k, step in enumerate(axis.positions):
        offsets[k] = offsets[k] + first * step
    if window.divisor is not None:
        divisor = window.divisor * divisor
    return WindowPlace(offsets, (*window.taps, Level(count, axis.taps)), divisor)


@dataclass(frozen=True)
class Pool(Kernel):
    """
    Reduce each window to one element per channel, by `kind`: max, avg or lp.

    Unit: a place along the first spatial axis, in each image.
    """

    kind: str
    strips: Strips
    p: int = 2

    @property
    def prefix(self) -> str:
        return f"{self.kind}_pool"

    def write(self, call: Call[WindowsRow[Value]]) -> None:
        channels = call.row.channels
        for window in _windows(call):
            divisor = None
            if self.kind == "avg" and window.divisor is not None:
                divisor = convert(window.divisor, call["x"].compute)
            for i, strip in self.strips.along(channels.extent, nonempty=True):
                starts = [offset + i for offset in window.offsets]
                if not self.strips.lanes:
                    starts = moved(window.offsets, i, channels)
                source, result = starts
                total = self._reduced(call["x"], source, window, strip)
                call["y"].store(self._finished(total, divisor), result, strip)

    def _reduced(
        self, x: Memory, at: Value, window: WindowPlace, strip: Strip
    ) -> Value:
        start = lowest(x.compute) if self.kind == "max" else 0
        total = Var(strip.constant(start, x.compute))
        for place in nest(window.taps, 1, total, starts=[at], nonempty=False):
            total.value = self._combined(total.value, x.load(place[0], strip))
        return total.value

    def _combined(self, total: Value, value: Value) -> Value:
        match self.kind, self.p:
            case "max", _:
                return maximum(total, value)
            case "avg", _:
                return total + value
            case "lp", 1:
                return total + absolute(value)
            case "lp", 2:
                return fma(value, value, total)
            case _:
                return total + power(absolute(value), self.p)

    def _finished(self, value: Value, divisor: Value | None) -> Value:
        if divisor is not None:
            return value / divisor
        if self.kind != "lp" or self.p == 1:
            return value
        return sqrt(value) if self.p == 2 else power(value, 1 / self.p)


@dataclass(frozen=True)
class MaxPoolIndices(Kernel):
    """
    The greatest element of each window, and which one of the input it is.

    Operands of the row are the input, the numbers of its elements, the result, the
    indices.
    Unit: a place along the first spatial axis, in each image.
    """

    def write(self, call: Call[WindowsRow[Value]]) -> None:
        channels = call.row.channels
        for window in _windows(call):
            for i in loop(0, channels.extent, nonempty=True):
                starts = moved(window.offsets, i, channels)
                at, number, result, place = starts
                greatest, where = self._greatest(call["x"], [at, number], window)
                call["y"][result] = greatest
                call["indices"][place] = where

    def _greatest(
        self, x: Memory, starts: list[Value], window: WindowPlace
    ) -> tuple[Value, Value]:
        """Return the greatest element, the first of equal ones or of NaN, and where."""
        greatest = Var(constant(lowest(x.compute), x.compute))
        where = Var(index(-1))
        carried = (greatest, where)
        for at, number in nest(window.taps, 2, *carried, starts=starts, nonempty=False):
            value = x[at]
            is_better = (where.value < 0) | _is_greater(value, greatest.value)
            greatest.value = select(is_better, value, greatest.value)
            where.value = select(is_better, number, where.value)
        return greatest.value, where.value


def _is_greater(value: Value, than: Value) -> Value:
    """NaN is greater than any number, and nothing is greater than NaN."""
    if not is_float(value.element):
        return value > than
    return compare_floats("ugt", value, than) & compare_floats("ord", than, than)


_KINDS: dict[type[GraphOp], str] = {
    MaxPoolOp: "max",
    AvgPoolOp: "avg",
    LpPoolOp: "lp",
    GlobalLpPoolOp: "lp",
}


@lowers(*_KINDS)
def lower_pool(main: Main, op: ApplyOp) -> None:
    x, y, graph_op = op.buffer("input"), op.buffer("result"), op.graph_op()
    source, result = addressing_of(x), addressing_of(y)
    p, spatial = graph_op.parameters(), source.shape[2:]
    strides, pads, dilations = map(p.get, ("strides", "pads", "dilations"))
    window = Window.of(p.get("kernel_shape", spatial), strides, pads, dilations)
    counts_pads = bool(p.get("count_include_pad"))
    table = _table(window, spatial, result.shape[2:], counts_pads)
    places = result.shape[2]
    taps = map(min, window.kernel, spatial)
    work = Work(places, prod((*result.shape, *taps)) // places)
    indices = op.find("indices") if isinstance(graph_op, MaxPoolOp) else None
    arguments = {"x": x, "y": y, "indices": indices, "windows": main.offsets(table)}
    if indices is None:
        kernel = _kernel(main, _KINDS[type(graph_op)], x, y, p.get("p", 2))
        main.call(kernel, arguments, _row(window, [source], [result]), work)
        return
    numbers = _numbering(source.shape, p["storage_order"])
    row = _row(window, [source, numbers], [result, addressing_of(indices)])
    arguments["indices"] = indices
    main.call(MaxPoolIndices(), arguments, row, work)


def _kernel(main: Main, kind: str, x: SSAValue, y: SSAValue, p: int) -> Pool:
    strips = Strips(0)
    unit = all(addressing_of(v).strides[1] == 1 for v in (x, y))
    if unit and (kind != "lp" or p <= 2):
        strips = main.strips(x, unroll=4)
    return Pool(kind, strips, p if kind == "lp" else 2)


def _table(
    window: Window, spatial: Sequence[int], places: Sequence[int], count_pads: bool
) -> NDArray[np.int32]:
    """
    Return (first position, positions, divisor) of each window, axis after axis.

    A divisor counts the positions inside, or those in the padding, too; what lies
    beyond that is left out either way.
    """
    tables: list[NDArray[np.int32]] = []
    for axis, (extent, count) in enumerate(zip(spatial, places, strict=True)):
        starts = np.arange(count) * window.strides[axis] - window.begins[axis]
        taps = np.arange(window.kernel[axis]) * window.dilations[axis]
        positions = starts[:, None] + taps
        inside = (positions >= 0) & (positions < extent)
        first = positions[np.arange(count), inside.argmax(axis=1)]
        divisor = inside.sum(axis=1)
        if count_pads:
            end = extent + window.ends[axis]
            divisor = ((positions >= -window.begins[axis]) & (positions < end)).sum(1)
        columns = [np.maximum(first, 0), inside.sum(axis=1), np.maximum(divisor, 1)]
        tables.append(np.stack(columns, axis=1).astype(np.int32))
    return np.concatenate(tables)


def _row(
    window: Window, read: Sequence[Addressing], others: Sequence[Addressing]
) -> WindowsRow[int]:
    """Return the row of a pool: windows slide over `read` operands, not `others`."""
    result, operands = others[0], (*read, *others)

    def strides(operands: Sequence[Addressing], axis: int) -> tuple[int, ...]:
        return tuple(operand.strides[axis] for operand in operands)

    axes: list[SpatialAxis[int]] = []
    start = 0
    for axis, places in enumerate(result.shape[2:], start=2):
        dilation, positions = window.dilations[axis - 2], strides(read, axis)
        level = Level(places, ((0,) * len(read) + strides(others, axis)))
        taps = tuple(dilation * stride for stride in positions)
        axes.append(SpatialAxis(level, _FIELDS * start, positions, taps))
        start += places
    return WindowsRow(
        Level(result.shape[0], strides(operands, 0)),
        tuple(axes),
        Level(result.shape[1], strides(operands, 1)),
    )


def _numbering(shape: tuple[int, ...], storage_order: int) -> Addressing:
    """Return how the elements of the input are numbered by `indices`."""
    strides = list(row_major_strides(shape))
    if storage_order:
        strides[2:] = [prod(shape[2:i]) for i in range(2, len(shape))]
    return Addressing(shape, tuple(strides))
