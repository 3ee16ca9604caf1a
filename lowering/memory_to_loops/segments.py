"""Segments of copies between blocked layouts, each a strided copy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product
from math import prod

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from glow.codegen.loops import Level
from glow.dialects.layout.attribute import layout_of, physical_shape_of
from glow.dialects.memory.address import find_addressing
from glow.dialects.memory.base import buffer_type
from glow.lowering.memory_to_loops.axes import axes_along
from glow.support.layout import Layout, address_map, row_major_strides
from glow.support.layout.address import Digit
from glow.support.types import dtype_of


@dataclass(frozen=True)
class AxisAddress:
    """
    The places of the positions of one axis in a buffer.

    Position x adds, over the digits, `(x + before) // step % extent * stride`.
    """

    digits: tuple[Digit, ...]
    before: int = 0

    def place(self, position: int) -> int:
        at = position + self.before
        return sum(at // step % extent * stride for step, extent, stride in self.digits)

    @property
    def steps(self) -> list[int]:
        """At which multiples addresses jump, the largest first."""
        return [step for step, _, _ in self.digits if step > 1]

    def jump(self, step: int) -> int | None:
        """Return what moving by `step` adds wherever no larger step is crossed."""
        strides = [stride for own, _, stride in self.digits if own == step]
        if strides:
            return strides[0]
        finer = [(own, stride) for own, _, stride in self.digits if own < step]
        if not finer:
            return 0
        own, stride = finer[0]
        return step // own * stride if step % own == 0 else None


@dataclass(frozen=True)
class Segment:
    """A strided part: where each operand starts, and the axes from there."""

    starts: tuple[int, ...]
    axes: tuple[Level[int], ...]


def lines_of(buffer: SSAValue) -> list[AxisAddress]:
    """Return where each axis of `buffer` lies, seen from its base pointer."""
    type_ = buffer_type(buffer)
    shape, addressing = type_.get_shape(), find_addressing(type_)
    if addressing is not None:
        return [
            AxisAddress(((1, max(extent, 1), stride),))
            for extent, stride in zip(shape, addressing.strides, strict=True)
        ]
    layout = layout_of(type_)
    assert layout is not None
    digits = address_map(layout, shape, dtype_of(type_.element_type).itemsize)
    return [
        AxisAddress(mine, before)
        for mine, (before, _) in zip(digits, layout.halo, strict=True)
    ]


def segments_of(buffers: Sequence[SSAValue]) -> Iterator[Segment]:
    """Yield the strided parts that make up `buffers`, which have one shape."""
    type_ = buffers[0].type
    assert isinstance(type_, MemRefType)
    shape = type_.get_shape()
    if not shape:
        yield Segment((0,) * len(buffers), ())
        return
    lines = list(zip(*map(lines_of, buffers), strict=True))
    yield from _box(lines, [(0, extent) for extent in shape])


def padding_of(buffer: SSAValue) -> Iterator[Segment]:
    """Yield the strided parts of what `buffer` stores beside its elements."""
    type_ = buffer_type(buffer)
    shape, layout = type_.get_shape(), layout_of(type_)
    assert layout is not None
    stored = physical_shape_of(type_)
    if prod(stored) == prod(shape):
        return
    used = _used(layout, shape, stored)
    if used is not None:
        yield from _around(stored, used)
        return
    yield from _gaps(layout, stored)
    lines = _stored_lines(layout, stored)
    spans = [
        (-line.before, line.digits[0][0] * line.digits[0][1] - line.before)
        for line in lines
    ]
    for axis, extent in enumerate(shape):
        sides: list[list[Segment]] = []
        for low, high in ((spans[axis][0], 0), (extent, spans[axis][1])):
            inner = [(0, n) for n in shape[axis + 1 :]]
            box = [*spans[:axis], (low, high), *inner]
            if all(start < end for start, end in box):
                sides.append(list(_box([(line,) for line in lines], box)))
        yield from _paired(sides)


def _used(
    layout: Layout, shape: Sequence[int], stored: Sequence[int]
) -> list[tuple[int, int]] | None:
    """
    Return which positions of each stored dim hold elements, as (first, end).

    None where that depends on other dims: of an axis in blocks that do not divide it.
    """
    if 0 in shape:
        return None
    used = list[tuple[int, int]]()
    for i, dim in enumerate(layout.dims):
        digits, (before, after) = layout.digits(dim.axis), layout.halo[dim.axis]
        if len(digits) == 1:
            used.append((before, before + shape[dim.axis]))
        elif before or after or prod(stored[d] for d in digits) != shape[dim.axis]:
            return None
        else:
            used.append((0, stored[i]))
    return used


def _around(
    stored: Sequence[int], used: Sequence[tuple[int, int]]
) -> Iterator[Segment]:
    """
    Yield what lies around the `used` positions of stored dims, in the longest runs.

    The border after a line and that before the next one are one run, as are all lines
    before the first one of an image and its own border.
    """
    stored, used = (1, *stored), ((0, 1), *used)  # so that there are rows of lines
    strides = row_major_strides(stored)
    gaps = [i for i, (low, high) in enumerate(used) if high - low < stored[i]]
    *outer, line = gaps
    *outer, row = outer or [0]

    def runs(dim: int, start: int, length: int, *levels: Level[int]) -> list[Segment]:
        """Return runs from `start` on for the used positions of all dims before one."""
        around = [
            Level(high - low, (strides[i],)) for i, (low, high) in enumerate(used[:dim])
        ]
        first = sum(low * strides[i] for i, (low, _) in enumerate(used[:dim]))
        axes = *around, *levels, Level(length, (1,))
        return [Segment((first + start,), axes)] if length else []

    for dim in outer:
        low, high = (position * strides[dim] for position in used[dim])
        end = stored[dim] * strides[dim]
        yield from _paired([runs(dim, 0, low), runs(dim, high, end - high)])
    begin, end = (position * strides[row] for position in used[row])
    low, high = (position * strides[line] for position in used[line])
    pitch = stored[line] * strides[line]
    last = end - pitch + high
    whole = stored[row] * strides[row]
    yield from _paired([runs(row, 0, begin + low), runs(row, last, whole - last)])
    lines = Level((end - begin) // pitch - 1, (pitch,))
    if lines.extent:
        yield from runs(row, begin + high, pitch - high + low, lines)


def _paired(sides: Sequence[Sequence[Segment]]) -> Iterator[Segment]:
    """Yield the parts of both sides of an axis, as one where they are alike."""
    if len(sides) == 2 and [p.axes for p in sides[0]] == [p.axes for p in sides[1]]:
        for first, second in zip(*sides, strict=True):
            step = second.starts[0] - first.starts[0]
            yield Segment(first.starts, (Level(2, (step,)), *first.axes))
    else:
        yield from chain(*sides)


def _gaps(layout: Layout, stored: tuple[int, ...]) -> Iterator[Segment]:
    """Yield what alignment leaves within blocks, which belongs to no position."""
    whole = axes_along(stored, row_major_strides(stored))
    for i, dim in enumerate(layout.dims):
        if dim.extent is not None and dim.extent < stored[i]:
            (stride,) = whole[i].strides
            rest = Level(stored[i] - dim.extent, (stride,))
            axes = (*whole[:i], rest, *whole[i + 1 :])
            yield Segment((dim.extent * stride,), axes)


def _stored_lines(layout: Layout, stored: tuple[int, ...]) -> list[AxisAddress]:
    """Return where each axis lies, what is stored beyond its end included."""
    strides = row_major_strides(stored)
    return [
        AxisAddress(
            tuple(
                (layout.dims[i].stride, layout.dims[i].extent or stored[i], strides[i])
                for i in layout.digits(axis)
            ),
            layout.halo[axis][0],
        )
        for axis in range(layout.rank)
    ]


def _box(
    lines: Sequence[tuple[AxisAddress, ...]], spans: Sequence[tuple[int, int]]
) -> Iterator[Segment]:
    """Yield the strided parts of the positions that `spans` says of each axis."""
    cut = [list(_cut(axis, *span)) for axis, span in zip(lines, spans, strict=True)]
    for parts in product(*cut):
        starts = tuple(map(sum, zip(*(part.starts for part in parts), strict=True)))
        axes = tuple(axis for part in parts for axis in part.axes)
        yield Segment(starts, axes)


def _cut(lines: Sequence[AxisAddress], low: int, high: int) -> Iterator[Segment]:
    """Yield the parts of positions low..high along one axis of each operand."""
    crossed = _first_crossed(lines, low, high)
    if crossed is None:
        starts = tuple(line.place(low) for line in lines)
        strides = (line.place(low + 1) - line.place(low) for line in lines)
        axis = Level(
            high - low, tuple(strides if high - low > 1 else (0 for _ in lines))
        )
        yield Segment(starts, (axis,))
        return
    step, before = crossed
    first = low + -(low + before) % step
    last = high - (high + before) % step
    yield from _cut(lines, low, first) if low < first else ()
    yield from _whole(lines, first, last, step) if first < last else ()
    yield from _cut(lines, last, high) if last < high else ()


def _first_crossed(
    lines: Sequence[AxisAddress], low: int, high: int
) -> tuple[int, int] | None:
    """Return the largest step with a multiple strictly inside, and its line's start."""
    crossed = [
        (step, line.before)
        for line in lines
        for step in line.steps
        if (low + line.before) // step != (high - 1 + line.before) // step
    ]
    return max(crossed, default=None)


def _whole(
    lines: Sequence[AxisAddress], low: int, high: int, step: int
) -> Iterator[Segment]:
    """Yield the parts of one step, each repeated from `low` to `high`."""
    jumps = [line.jump(step) for line in lines]
    if high - low == step or None in jumps:
        for start in range(low, high, step):
            yield from _cut(lines, start, start + step)
        return
    count = (high - low) // step
    for part in _cut(lines, low, low + step):
        strides = tuple(jump or 0 for jump in jumps)
        yield Segment(part.starts, (Level(count, strides), *part.axes))
