"""Lower pools: windows clipped at compile time, one table per shape of them."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from glow.codegen.loops import Level
from glow.codegen.memory import Strips
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.global_pooling import GlobalLpPoolOp
from glow.dialects.graph.pooling import AvgPoolOp, LpPoolOp, MaxPoolOp
from glow.dialects.graph.window import Window
from glow.dialects.memory.address import Addressing, addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import buffer_type
from glow.lowering.memory_to_loops.kernels.kernel import Work
from glow.lowering.memory_to_loops.kernels.pool import (
    WINDOW_FIELDS,
    MaxPoolIndices,
    Pool,
    SpatialAxis,
    WindowsRow,
)
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.layout import row_major_strides
from glow.support.types import compute_type

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
    table = windows_table(window, spatial, result.shape[2:], counts_pads)
    arguments = {"x": main.base(x), "y": main.base(y)}
    places = result.shape[2]
    work = Work(places, prod((*result.shape, *window.kernel)) // places)
    indices = op.find("indices") if isinstance(graph_op, MaxPoolOp) else None
    if indices is None:
        row = windows_row(window, [source], [result])
        kernel = _kernel(main, _KINDS[type(graph_op)], x, y, p.get("p", 2))
        arguments["windows"] = main.offsets(table)
        main.call(kernel, arguments, row, work)
        return
    numbers = _numbering(source.shape, p["storage_order"])
    row = windows_row(window, [source, numbers], [result, addressing_of(indices)])
    arguments |= {"indices": main.base(indices), "windows": main.offsets(table)}
    main.call(MaxPoolIndices(), arguments, row, work)


def _kernel(main: Main, kind: str, x: SSAValue, y: SSAValue, p: int) -> Pool:
    element = buffer_type(x).element_type
    unit = all(addressing_of(v).strides[1] == 1 for v in (x, y))
    has_vector_form = kind != "lp" or p <= 2
    strips = Strips(0)
    if unit and has_vector_form:
        strips = Strips.of(main.target, [element, compute_type(element)], unroll=4)
    return Pool(kind, strips, p if kind == "lp" else 2)


def windows_table(
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


def windows_row(
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
        axes.append(SpatialAxis(level, WINDOW_FIELDS * start, positions, taps))
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
