"""Lower images of another size: copies where elements repeat, else sums by tables."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import i8
from xdsl.ir import Attribute

from glow.dialects.graph.interpolation import Taps
from glow.dialects.memory.address import Addressing, addressing_of
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.resize import ResizeOp
from glow.lowering.memory_to_loops.axes import Axis, axes_of, collapse, nest_row
from glow.lowering.memory_to_loops.copy import plan_copy
from glow.lowering.memory_to_loops.elementwise import plan
from glow.lowering.memory_to_loops.kernels.resize import Resize
from glow.lowering.memory_to_loops.kernels.strips import Strips
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram
from glow.support.targets import Target
from glow.support.types import dtype_of, is_bool, number_attribute

_MOST_TAPS = 16
"""Elements that are summed up without a loop over them."""


@lowers(ResizeOp)
def lower_resize(main: Main, op: ResizeOp) -> None:
    source, result = addressing_of(op.input), addressing_of(op.result)
    if 0 in result.shape:
        return
    dtype = dtype_of(buffer_type(op.result).element_type)
    found = {axis: op.how.taps(line, dtype) for axis, line in op.lines.items()}
    extents = source.shape
    taps = {
        axis: each
        for axis, each in found.items()
        if not each.is_identity or len(each.positions) != extents[axis]
    }
    repeats = _repeats(source, result, taps)
    if repeats is not None:
        axes, start = repeats
        element = buffer_type(op.result).element_type
        kernel, row, seen_as = plan_copy(main.target, element, axes)
        bases = [main.base(op.input, start, seen_as), main.base(op.result, 0, seen_as)]
        main.call(kernel, bases, row)
        return
    if any(each.inside is not None for each in taps.values()):
        _fill(main, op)
    _sum(main, op, taps)


def _repeats(
    source: Addressing, result: Addressing, taps: Mapping[int, Taps]
) -> tuple[list[Axis], int] | None:
    """
    Return the axes of a copy that is the same, and where it starts in the source.

    Each axis repeats elements that are equally far apart equally often.
    """
    if any(each.weights is not None for each in taps.values()):
        return None
    axes: list[Axis] = []
    start = 0
    for axis, places in enumerate(result.shape):
        read, write = source.strides[axis], result.strides[axis]
        if axis not in taps:
            axes.append(Axis(places, (read, write)))
            continue
        found = None if taps[axis].inside is not None else _pattern(taps[axis])
        if found is None:
            return None
        first, step, times = found
        start += first * read
        axes.append(Axis(places // times, (step * read, times * write)))
        axes.append(Axis(times, (0, write)))
    return axes, start


def _pattern(taps: Taps) -> tuple[int, int, int] | None:
    """Return (first, step, times) where positions go on by a step after some times."""
    positions = taps.positions[:, 0]
    changes = np.flatnonzero(positions != positions[0])
    times = int(changes[0]) if changes.size else positions.size
    if positions.size % times:
        return None
    first = int(positions[0])
    step = int(positions[times]) - first if changes.size else 1
    wanted = first + np.arange(positions.size) // times * step
    return (first, step, times) if (positions == wanted).all() else None


def _fill(main: Main, op: ResizeOp) -> None:
    """Append a call that writes the value of what is outside of the input."""
    element, result = buffer_type(op.result).element_type, addressing_of(op.result)
    value = np.asarray(op.extrapolation_value.value.data).astype(dtype_of(element))
    program = ScalarProgram.constant(number_attribute(value.item(), element), element)
    kernel, row = plan(
        main.target, program, collapse(axes_of(result.shape, [result]), (0,))
    )
    main.call(kernel, [main.base(op.result)], row)


def _sum(main: Main, op: ResizeOp, taps: Mapping[int, Taps]) -> None:
    element = buffer_type(op.result).element_type
    seen_as = i8 if is_bool(element) else element
    source, result = addressing_of(op.input), addressing_of(op.result)
    axes = [
        Axis(n, (source.strides[axis], result.strides[axis]))
        for axis, n in enumerate(result.shape)
        if axis not in taps
    ]
    others = collapse(axes, (1, 0))
    order = sorted(taps, key=lambda axis: -abs(result.strides[axis]))
    tables = _Tables(taps, order)
    inner = _inner(others, result, order)
    if inner is not None:
        others.remove(inner)
    counts = tuple(taps[axis].positions.shape[1] for axis in order)
    kernel = Resize(
        seen_as,
        len(others),
        counts if prod(counts) <= _MOST_TAPS else (0,) * len(counts),
        tables.is_weighted,
        tables.is_partial,
        inner is not None,
        _strips(main.target, element, inner),
    )
    row = nest_row(others)
    for index, axis in enumerate(order):
        strides = source.strides[axis], result.strides[axis]
        row += [result.shape[axis], *strides, *tables.starts[index], counts[index]]
    row += [] if inner is None else nest_row([inner])
    arguments = [main.base(op.input, 0, seen_as), main.base(op.result, 0, seen_as)]
    arguments.append(main.offsets(tables.positions))
    if tables.is_weighted:
        weights = tables.weights.astype(dtype_of(element))
        arguments.append(main.table(weights, element))
    main.call(kernel, arguments, row)


def _inner(others: list[Axis], result: Addressing, order: list[int]) -> Axis | None:
    """Return the axis that neighbours lie along, if it is not one that is resized."""
    if not others:
        return None
    *_, last = others
    finest = min(abs(result.strides[axis]) for axis in order)
    is_line = last.strides == (1, 1) or abs(last.strides[1]) < finest
    return last if is_line else None


def _strips(target: Target, element: Attribute, inner: Axis | None) -> Strips:
    if inner is None or inner.strides != (1, 1):
        return Strips(0)
    strips = Strips.of(target, [element])
    unrolls = (n for n in (4, 2) if inner.extent % (n * strips.lanes) == 0)
    return Strips.of(target, [element], next(unrolls, 1))


class _Tables:
    """The tables of all axes, and where those of each begin."""

    def __init__(self, taps: Mapping[int, Taps], order: list[int]):
        ordered = [taps[axis] for axis in order]
        self.is_weighted = any(each.weights is not None for each in ordered)
        self.is_partial = any(each.inside is not None for each in ordered)
        positions: list[NDArray[np.int64]] = []
        weights: list[NDArray[np.float64]] = []
        self.starts: list[tuple[int, int]] = []
        at = [0, 0]
        for each in ordered:
            self.starts.append((at[0], at[1]))
            positions.append(self._records(each).ravel())
            own = each.weights
            own = np.ones(each.positions.shape) if own is None else own
            weights.append(own.astype(np.float64).ravel())
            at = [at[0] + positions[-1].size, at[1] + weights[-1].size]
        self.positions = np.concatenate(positions)
        self.weights = np.concatenate(weights)

    def _records(self, taps: Taps) -> NDArray[np.int64]:
        if not self.is_partial:
            return taps.positions
        inside = taps.inside
        inside = np.ones(len(taps.positions), bool) if inside is None else inside
        return np.concatenate([inside[:, None].astype(np.int64), taps.positions], 1)
