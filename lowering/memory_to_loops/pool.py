"""Lower pools: windows clipped at compile time, one table per shape of them."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from glow.dialects.graph.window import Window
from glow.dialects.memory.address import Addressing, addressing_of
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.window import PoolOp
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.pool import MaxPoolIndices, Pool
from glow.lowering.memory_to_loops.kernels.strips import Strips
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.layout import row_major_strides


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
    if op.indices is None:
        row = windows_row(window, [source], [result])
        main.call(_kernel(main, op), [*arguments, main.offsets(table)], row)
        return
    numbers = _numbering(source.shape, op)
    row = windows_row(window, [source, numbers], [result, addressing_of(op.indices)])
    kernel = MaxPoolIndices(buffer_type(op.input).element_type, len(window.kernel))
    arguments += [main.base(op.indices), main.offsets(table)]
    main.call(kernel, arguments, row)


def _kernel(main: Main, op: PoolOp) -> Kernel:
    element = buffer_type(op.input).element_type
    spatial, p = len(op.kernel_shape), 2 if op.p is None else op.p.value.data
    kind = op.kind.data
    unit = all(addressing_of(v).strides[1] == 1 for v in (op.input, op.result))
    has_vector_form = kind != "lp" or p <= 2
    strips = Strips(0)
    if unit and has_vector_form:
        strips = Strips.of(main.target, [element], unroll=4)
    return Pool(kind, element, spatial, strips, p if kind == "lp" else 2)


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
) -> list[int]:
    """Return the row that `Windows` reads: `read` operands slide, `others` do not."""
    result = others[0]
    still = [0] * len(read)

    def strides(operands: Sequence[Addressing], axis: int) -> list[int]:
        return [operand.strides[axis] for operand in operands]

    row = [result.shape[0], *strides([*read, *others], 0)]
    start = 0
    for axis, places in enumerate(result.shape[2:], start=2):
        dilation = window.dilations[axis - 2]
        row += [places, *still, *strides(others, axis), 3 * start]
        row += strides(read, axis)
        row += [dilation * stride for stride in strides(read, axis)]
        start += places
    return [*row, result.shape[1], *strides([*read, *others], 1)]


def _numbering(shape: tuple[int, ...], op: PoolOp) -> Addressing:
    """Return how the elements of the input are numbered by `indices`."""
    strides = list(row_major_strides(shape))
    if op.storage_order is not None and op.storage_order.value.data:
        strides[2:] = [prod(shape[2:i]) for i in range(2, len(shape))]
    return Addressing(shape, tuple(strides))
