"""Lower images of another size: copies where elements repeat, else sums by tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import f32, f64, i8
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.codegen.loops import Level
from glow.codegen.strips import Strips
from glow.codegen.values import INDEX
from glow.dialects.graph.interpolation import Interpolation, ScaledAxis, Taps
from glow.dialects.graph.resize import ResizeOp, interpolation_of, lines_of
from glow.dialects.memory.address import Addressing, addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import buffer_type
from glow.lowering.memory_to_loops.axes import axes_of, collapse
from glow.lowering.memory_to_loops.copy import call_copy
from glow.lowering.memory_to_loops.elementwise import call_program
from glow.lowering.memory_to_loops.kernels.kernel import Argument, Work
from glow.lowering.memory_to_loops.kernels.resize import (
    CropTaps,
    CropTapsRow,
    Resize,
    ResizedAxis,
    ResizeRow,
)
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram
from glow.support.types import compute_type, dtype_of, is_bool, number_attribute

_MOST_TAPS = 16
"""Elements that are summed up without a loop over them."""


@dataclass(frozen=True)
class _Resize:
    """
    A resize: the buffers it reads and writes, and how it finds elements.

    Of a roi that is known only at run time, positions and weights of what is summed up
    per place go to the scratch; nearest elements have no weights.
    """

    input: SSAValue
    result: SSAValue
    roi: SSAValue | None
    positions: SSAValue | None
    weights: SSAValue | None
    lines: dict[int, ScaledAxis]
    how: Interpolation
    extrapolation_value: float


def _resize_of(main: Main, op: ApplyOp) -> _Resize:
    p, roi, x = op.graph_op().parameters(), op.find("roi"), op.buffer("input")
    how, region = interpolation_of(p), None if roi is None else main.known(roi)
    roi = roi if region is None else None
    scratch = 0 if roi is None else 1 if how.mode == "nearest" else 2
    if len(op.scratch) != scratch:
        raise PassFailedException(
            f"{op.title} expects {scratch} scratch buffers, got {len(op.scratch)}"
        )
    positions, weights, *_ = *op.scratch, None, None
    shape = addressing_of(x).shape
    lines = lines_of(shape, p, region)
    fill = p["extrapolation_value"]
    y = op.buffer("result")
    return _Resize(x, y, roi, positions, weights, lines, how, fill)


@lowers(ResizeOp)
def lower_resize(main: Main, apply: ApplyOp) -> None:
    op = _resize_of(main, apply)
    source, result = addressing_of(op.input), addressing_of(op.result)
    order = sorted(op.lines, key=lambda axis: -abs(result.strides[axis]))
    if op.roi is not None:
        _fill(main, op)
        _sum(main, op, order, _write_tables(main, op, op.roi, order))
        return
    dtype = dtype_of(buffer_type(op.result).element_type)
    all_taps = {axis: op.how.taps(op.lines[axis], dtype) for axis in order}
    extents = source.shape
    taps = {
        axis: each
        for axis, each in all_taps.items()
        if not each.is_identity or len(each.positions) != extents[axis]
    }
    repeats = _repeats(source, result, taps)
    if repeats is not None:
        axes, start = repeats
        call_copy(main, (op.input, start), (op.result, 0), axes)
        return
    if any(each.inside is not None for each in taps.values()):
        _fill(main, op)
    _sum(main, op, list(taps), _constant_tables(main, op, taps))


def _repeats(
    source: Addressing, result: Addressing, taps: Mapping[int, Taps]
) -> tuple[list[Level[int]], int] | None:
    """
    Return the axes of a copy that is the same, and where it starts in the source.

    Each axis repeats elements that are equally far apart equally often.
    """
    if any(each.weights is not None for each in taps.values()):
        return None
    axes: list[Level[int]] = []
    start = 0
    for axis, places in enumerate(result.shape):
        read, write = source.strides[axis], result.strides[axis]
        if axis not in taps:
            axes.append(Level(places, (read, write)))
            continue
        pattern = None if taps[axis].inside is not None else _pattern(taps[axis])
        if pattern is None:
            return None
        first, step, times = pattern
        start += first * read
        axes.append(Level(places // times, (step * read, times * write)))
        axes.append(Level(times, (0, write)))
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


def _fill(main: Main, op: _Resize) -> None:
    """Append a call that writes the value of what is outside of the input."""
    element, result = buffer_type(op.result).element_type, addressing_of(op.result)
    value = np.asarray(op.extrapolation_value).astype(dtype_of(element))
    program = ScalarProgram.constant(number_attribute(value.item(), element), element)
    axes = collapse(axes_of(result.shape, [result]), (0,))
    call_program(main, program, [(op.result, 0)], axes)


@dataclass(frozen=True)
class _Tables:
    """Positions and weights: how many per place of each axis, and where they begin."""

    counts: tuple[int, ...]
    starts: tuple[tuple[int, int], ...]
    is_partial: bool
    positions: Argument
    weights: Argument | None


def _sum(main: Main, op: _Resize, order: list[int], tables: _Tables) -> None:
    element = buffer_type(op.result).element_type
    seen_as = i8 if is_bool(element) else element
    source, result = addressing_of(op.input), addressing_of(op.result)
    axes = axes_of(result.shape, [source, result])
    others = collapse([a for i, a in enumerate(axes) if i not in order], (1, 0))
    inner = _inner(others, result, order)
    if inner is not None:
        others.remove(inner)
    unrolled = prod(tables.counts) <= _MOST_TAPS
    strips = Strips(0)
    if inner is not None and inner.strides == (1, 1):
        strips = main.strips(op.result)
        unrolls = (n for n in (4, 2) if inner.extent % (n * strips.lanes) == 0)
        strips = replace(strips, unroll=next(unrolls, 1))
    kernel = Resize(
        tables.counts if unrolled else (0,) * len(order),
        tables.weights is not None,
        tables.is_partial,
        inner is None and result.strides[order[-1]] == 1,
        strips,
    )
    each = zip(order, tables.starts, tables.counts, strict=True)
    resized = tuple(
        ResizedAxis(result.shape[axis], result.strides[axis], *start, count)
        for axis, start, count in each
    )
    row = ResizeRow(tuple(others), resized, tuple([] if inner is None else [inner]))
    arguments = {
        "x": main.base(op.input, 0, seen_as),
        "y": main.base(op.result, 0, seen_as),
        "positions": tables.positions,
        "weights": tables.weights,
    }
    units = resized[0].places
    main.call(kernel, arguments, row, Work(units, prod(result.shape) // units))


def _inner(
    others: list[Level[int]], result: Addressing, order: list[int]
) -> Level[int] | None:
    """Return the axis that neighbors lie along, if it is not one that is resized."""
    if not others:
        return None
    *_, last = others
    finest = min(abs(result.strides[axis]) for axis in order)
    is_line = last.strides == (1, 1) or abs(last.strides[1]) < finest
    return last if is_line else None


def _starts(records: Sequence[int], taps: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Return where positions and weights of each axis begin, by how many there are."""
    ends = zip(accumulate(records), accumulate(taps), strict=True)
    return ((0, 0), *ends)[:-1]


def _constant_tables(main: Main, op: _Resize, taps: Mapping[int, Taps]) -> _Tables:
    element = compute_type(buffer_type(op.result).element_type)
    is_partial = any(each.inside is not None for each in taps.values())
    is_weighted = any(each.weights is not None for each in taps.values())
    strides = addressing_of(op.input).strides
    records = [
        _records(each, strides[axis], is_partial).ravel() for axis, each in taps.items()
    ]
    weights = [_weights(each).ravel() for each in taps.values()]
    flat = np.concatenate(weights).astype(dtype_of(element))
    return _Tables(
        tuple(each.positions.shape[1] for each in taps.values()),
        _starts([r.size for r in records], [w.size for w in weights]),
        is_partial,
        main.offsets(np.concatenate(records)),
        main.table(flat, element) if is_weighted else None,
    )


def _weights(taps: Taps) -> NDArray[Any]:
    return np.ones(taps.positions.shape) if taps.weights is None else taps.weights


def _records(taps: Taps, stride: int, is_partial: bool) -> NDArray[np.int64]:
    """Return where elements are, counted from the start of the source."""
    offsets = taps.positions * stride
    if not is_partial:
        return offsets
    inside = np.ones(len(offsets)) if taps.inside is None else taps.inside
    return np.column_stack([inside.astype(np.int64), offsets])


def _write_tables(main: Main, op: _Resize, roi: SSAValue, order: list[int]) -> _Tables:
    """Append calls that find positions and weights of each axis in its region."""
    assert op.positions is not None
    named, length = list(op.lines), op.how.length
    places = [op.lines[axis].places for axis in order]
    starts = _starts([n * (length + 1) for n in places], [n * length for n in places])
    positions = main.base(op.positions, compute=INDEX)
    weights = None if op.weights is None else main.base(op.weights)
    number = f64 if buffer_type(op.result).element_type == f64 else f32
    region, stride = main.base(roi, compute=number), addressing_of(roi).strides[0]
    for axis, start in zip(order, starts, strict=True):
        line, index = op.lines[axis], named.index(axis)
        kernel = CropTaps(op.how, line.places == 1)
        ends = index * stride, (len(named) + index) * stride
        arguments = {"roi": region, "positions": positions, "weights": weights}
        step = addressing_of(op.input).strides[axis]
        row = CropTapsRow(line.extent, line.places, step, *ends, *start)
        main.call(kernel, arguments, row, Work(line.places, length))
    return _Tables((length,) * len(order), starts, True, positions, weights)
