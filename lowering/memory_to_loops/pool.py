"""Lower pools: windows clipped at compile time, one table per shape of them."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from glow.codegen.loops import Level
from glow.codegen.memory import Strips
from glow.dialects.graph.window import Window
from glow.dialects.memory.address import Addressing, addressing_of
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.window import PoolOp
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


@lowers(PoolOp)
def lower_pool(main: Main, op: PoolOp) -> None:
    source, result = addressing_of(op.input), addressing_of(op.result)
    if 0 in result.shape:
        return
    window = window_of(op)
    table = windows_table(
        window, source.shape[2:], result.shape[2:], op.count_include_pad is not None
    )
    arguments = [main.base(op.input), main.base(op.result)]
    places = result.shape[2]
    work = Work(places, prod((*result.shape, *window.kernel)) // places)
    if op.indices is None:
        row = windows_row(window, [source], [result])
        main.call(_kernel(main, op), [*arguments, main.offsets(table)], row, work)
        return
    numbers = _numbering(source.shape, op)
    row = windows_row(window, [source, numbers], [result, addressing_of(op.indices)])
    element = buffer_type(op.input).element_type
    kernel = MaxPoolIndices(element, compute_type(element), len(window.kernel))
    arguments += [main.base(op.indices), main.offsets(table)]
    main.call(kernel, arguments, row, work)


def _kernel(main: Main, op: PoolOp) -> Pool:
    element = buffer_type(op.input).element_type
    compute = compute_type(element)
    spatial, p = len(op.kernel_shape), 2 if op.p is None else op.p.value.data
    kind = op.kind.data
    unit = all(addressing_of(v).strides[1] == 1 for v in (op.input, op.result))
    has_vector_form = kind != "lp" or p <= 2
    strips = Strips(0)
    if unit and has_vector_form:
        strips = Strips.of(main.target, [element, compute], unroll=4)
    return Pool(element, compute, spatial, kind, strips, p if kind == "lp" else 2)


def window_of(op: PoolOp) -> Window:
    """Return how the kernel slides."""
    return Window.of(
        op.kernel_shape.get_values(),
        op.strides.get_values(),
        op.pads.get_values(),
        op.dilations.get_values(),
    )


def windows_table(
    window: Window, spatial: Sequence[int], places: Sequence[int], count_pads: bool
) -> NDArray[np.int32]:
    """
    Return (first position, positions, divisor) of each window, axis after axis.

    A divisor counts the positions inside, or those in the padding, too; what lies
    beyond that is left out either way.
    """
    found: list[NDArray[np.int32]] = []
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
        found.append(np.stack(columns, axis=1).astype(np.int32))
    return np.concatenate(found)


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


def _numbering(shape: tuple[int, ...], op: PoolOp) -> Addressing:
    """Return how the elements of the input are numbered by `indices`."""
    strides = list(row_major_strides(shape))
    if op.storage_order is not None and op.storage_order.value.data:
        strides[2:] = [prod(shape[2:i]) for i in range(2, len(shape))]
    return Addressing(shape, tuple(strides))
