"""Pools: windows clipped at compile time, one table per shape of them."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from math import prod
from typing import Generic

from xdsl.ir import SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.codegen.casts import convert, lowest
from glow.codegen.conditions import compare_floats, select
from glow.codegen.functions import fma, maximum, power, sqrt
from glow.codegen.loops import Level, N, Var, loop, moved, nest, value_if
from glow.codegen.memory import Memory, Strip
from glow.codegen.strips import Strips
from glow.codegen.values import Value, absolute, constant, index
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.pooling import AvgPoolOp, GlobalLpPoolOp, LpPoolOp, MaxPoolOp
from glow.dialects.graph.window import Window
from glow.dialects.memory.address import Addressing, addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import buffer_type
from glow.lowering.memory_to_loops._epilogue import extra_arguments, program_of
from glow.lowering.memory_to_loops.axes import axes_along, strides_in
from glow.lowering.memory_to_loops.kernels.finish import Epilogue
from glow.lowering.memory_to_loops.kernels.gemm_row import Extra
from glow.lowering.memory_to_loops.kernels.kernel import Call, Kernel, Work
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.lowering.memory_to_loops.windows import (
    SpatialAxis,
    WindowPlace,
    slide,
    spatial_axes,
    window_table,
)
from glow.support.costs import Costs
from glow.support.layout import row_major_strides
from glow.support.types import is_float

_FEW_TAPS = 9
"""The most elements of a window that is read without loops: code grows with them."""

_MOST_VECTORS = 4
"""The most vectors of a strip of channels."""


@dataclass(frozen=True)
class WindowsRow(Generic[N]):
    """
    Images, their windows and their channels.

    Operands come in the order: those that windows slide over, then others. `starts` is
    where they stand at the first window, which may begin in the padding.
    """

    starts: tuple[N, ...]
    batch: Level[N]
    axes: tuple[SpatialAxis[N], ...]
    channels: Level[N]


def _windows(call: Call[WindowsRow[Value]]) -> Generator[WindowPlace]:
    """Write loops over windows, clipped to the input; channels are not among them."""
    row = call.row
    for image in nest([row.batch], len(row.starts), starts=row.starts):
        yield from slide(call, row.axes, WindowPlace(image), call.range)


@dataclass(frozen=True)
class Pool(Kernel):
    """
    Reduce each window to one element per channel, by `kind`: max, avg or lp.

    Operands of the row are the input, the extras of the epilogue, the result.
    Unit: a place along the first spatial axis, in each image.
    """

    kind: str
    strips: Strips
    epilogue: Epilogue
    p: int = 2
    taps: tuple[int, ...] = ()
    """The extents of a window that is read without loops where all of it exists."""

    def per_ns(self, costs: Costs) -> float:
        if not self.strips.lanes:
            return costs.scalars_per_ns
        return costs.vectors_per_ns * self.strips.lanes

    def write(self, call: Call[WindowsRow[Value]]) -> None:
        channels = call.row.channels
        for window in _windows(call):
            divisor = None
            if self.kind == "avg" and window.divisor is not None:
                divisor = convert(window.divisor, call["x"].compute)
            for i, strip in self.strips.along(channels.extent, nonempty=True):
                source, *others, result = self._places(window, i, channels)
                total = self._reduced(call["x"], source, window, strip)
                inputs = [self._finished(total, divisor)]
                for n, at in enumerate(others):
                    inputs.append(self._extra(call, n, at, strip))
                call["y"].store(self.epilogue.finished(inputs), result, strip)

    def _places(
        self, window: WindowPlace, i: Value, channels: Level[Value]
    ) -> list[Value]:
        """Return where operands stand at channel `i`; in vectors, at those from `i`."""
        if not self.strips.lanes:
            return moved(window.offsets, i, channels)
        source, *others, result = window.offsets
        kinds = zip(others, self.epilogue.extras, strict=True)
        extras = (at if kind is Extra.ROWS else at + i for at, kind in kinds)
        return [source + i, *extras, result + i]

    def _extra(
        self, call: Call[WindowsRow[Value]], n: int, at: Value, strip: Strip
    ) -> Value:
        source = call[f"extra{n}"]
        if self.epilogue.extras[n] is Extra.ROWS:
            return strip.spread(source[at])
        return source.load(at, strip)

    def _reduced(
        self, x: Memory, at: Value, window: WindowPlace, strip: Strip
    ) -> Value:
        """Return the elements of a window combined, the rows of taps in order."""
        by_loops = partial(self._by_loops, x, at, window, strip)
        if not self.taps:
            return by_loops()
        counts = [level.extent for level in window.taps]
        whole = [count == n for count, n in zip(counts, self.taps, strict=True)]
        is_whole = reduce(Value.__and__, whole)
        one_by_one = partial(self._one_by_one, x, at, window, strip)
        return value_if(is_whole, one_by_one, by_loops)

    def _by_loops(
        self, x: Memory, at: Value, window: WindowPlace, strip: Strip
    ) -> Value:
        total = Var(self._start(x, strip))
        for place in nest(window.taps, 1, total, starts=[at], nonempty=False):
            total.value = self._combined(total.value, x.load(place[0], strip))
        return total.value

    def _one_by_one(
        self, x: Memory, at: Value, window: WindowPlace, strip: Strip
    ) -> Value:
        places = [at]
        for level, extent in zip(window.taps, self.taps, strict=True):
            steps = [level.strides[0] * i for i in range(extent)]
            places = [place + step for place in places for step in steps]
        values = (x.load(place, strip) for place in places)
        return reduce(self._combined, values, self._start(x, strip))

    def _start(self, x: Memory, strip: Strip) -> Value:
        start = lowest(x.compute) if self.kind == "max" else 0
        return strip.constant(start, x.compute)

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


@lowers(*_KINDS, epilogue=1)
def lower_pool(main: Main, op: ApplyOp) -> None:
    x, y, graph_op = op.buffer("input"), op.buffer("result"), op.graph_op()
    source, result = addressing_of(x), addressing_of(y)
    p, spatial = graph_op.parameters(), source.shape[2:]
    strides, pads, dilations = map(p.get, ("strides", "pads", "dilations"))
    window = Window.of(p.get("kernel_shape", spatial), strides, pads, dilations)
    counts_pads = bool(p.get("count_include_pad"))
    table = window_table(window, spatial, result.shape[2:], counts_pads)
    places = result.shape[2]
    read = prod(map(min, window.kernel, spatial)) + len(op.extras)
    work = Work(places, prod(result.shape) * read // places)
    indices = op.find("indices") if isinstance(graph_op, MaxPoolOp) else None
    arguments = {"x": x, "y": y, "indices": indices, "windows": main.offsets(table)}
    if indices is None:
        extras = [_broadcast(extra, result.shape) for extra in op.extras]
        row = _row(window, [source], [*extras, result])
        kernel = _kernel(main, op, row, window)
        main.call(kernel, arguments | extra_arguments(main, op.extras), row, work)
        return
    numbers = _numbering(source.shape, p["storage_order"])
    row = _row(window, [source, numbers], [result, addressing_of(indices)])
    arguments["indices"] = indices
    main.call(MaxPoolIndices(), arguments, row, work)


def _broadcast(extra: SSAValue, shape: tuple[int, ...]) -> Addressing:
    own = addressing_of(extra)
    return Addressing(shape, strides_in(own, shape), own.offset)


def _kernel(main: Main, op: ApplyOp, row: WindowsRow[int], window: Window) -> Pool:
    """
    Return the kernel of a pool.

    Errors: an epilogue that divides integers, which reports faults.
    """
    graph_op, x = op.graph_op(), op.buffer("input")
    kind, p = _KINDS[type(graph_op)], graph_op.parameters().get("p", 2)
    element = buffer_type(op.buffer("result")).element_type
    program = program_of(op.epilogue, element)
    if program.divides_integers:
        raise PassFailedException(f"cannot divide integers after {op.title}")
    source, *others, result = row.channels.strides
    kinds = [Extra.FULL if stride else Extra.ROWS for stride in others]
    unit = all(stride == 1 for stride in (source, result))
    strips = Strips(0)
    if unit and {*others} <= {0, 1} and (kind != "lp" or p <= 2):
        strips = main.strips(x, *op.extras)
        strips = replace(strips, unroll=_vectors(row.channels.extent, strips.lanes))
    is_small = strips.lanes > 0 and prod(window.kernel) <= _FEW_TAPS
    taps = tuple(window.kernel) if is_small else ()
    epilogue = Epilogue(program, element, tuple(kinds))
    return Pool(kind, strips, epilogue, p if kind == "lp" else 2, taps)


def _vectors(channels: int, lanes: int) -> int:
    """Return how many vectors a strip has, so that the fewest cover the channels."""

    def strips(vectors: int) -> int:
        whole, rest = divmod(channels, vectors * lanes)
        return whole + -(-rest // lanes)

    return min(range(_MOST_VECTORS, 0, -1), key=strips)


def _row(
    window: Window, read: Sequence[Addressing], others: Sequence[Addressing]
) -> WindowsRow[int]:
    """Return the row of a pool: windows slide over `read` operands, not `others`."""
    result, operands = others[0], (*read, *others)
    batch, channels, *places = axes_along(
        result.shape, *(operand.strides for operand in operands)
    )
    slid = [axis.strides[: len(read)] for axis in places]
    moves = [
        (*(step * stride for stride in own), *axis.strides[len(read) :])
        for step, own, axis in zip(window.strides, slid, places, strict=True)
    ]
    taps = [
        tuple(dilation * stride for stride in own)
        for dilation, own in zip(window.dilations, slid, strict=True)
    ]
    begins = zip(window.begins, slid, strict=True)
    pads = [[pad * stride for stride in own] for pad, own in begins]
    return WindowsRow(
        (*(-sum(own) for own in zip(*pads, strict=True)), *(0 for _ in others)),
        batch,
        spatial_axes(result.shape[2:], moves, taps),
        channels,
    )


def _numbering(shape: tuple[int, ...], storage_order: int) -> Addressing:
    """Return how the elements of the input are numbered by `indices`."""
    strides = list(row_major_strides(shape))
    if storage_order:
        strides[2:] = [prod(shape[2:i]) for i in range(2, len(shape))]
    return Addressing(shape, tuple(strides))
