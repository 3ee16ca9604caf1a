"""Cut from filters the taps that read nothing but padding, or little else."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from glow.dialects.graph.convolution import ConvOp
from glow.dialects.graph.slicing import PadOp, SliceOp
from glow.dialects.graph.tensors import Tensor
from glow.passes.patterns import Replacement, Results, RewritePass
from glow.support.arrays import Array
from glow.support.types import element_of, has_layout, shape_of

_LEAST_SAVED = 64
"""
The multiplications saved for an element of the result that are worth an addition.

An addition and the concatenation before it move 12 bytes or more.
"""


def trim_filter(op: ConvOp, new: Replacement) -> Results:
    """
    conv(x, w) -> conv(x, w[:, :, first:end]), with less padding and so for each axis

    where all windows read padding alone by the first and the last taps, and the filter
    is finite: infinity times the zero of padding is NaN.
    """
    if has_layout(op.input) or has_layout(op.filter):
        return None
    window, kept = op.window, list[slice]()
    begins, ends, dilations = map(list, (window.begins, window.ends, window.dilations))
    counts = window.taps_inside(shape_of(op.input)[2:])
    for axis, (taps, dilation) in enumerate(zip(counts, window.dilations, strict=True)):
        read = np.flatnonzero(taps)
        if not read.size:
            return None
        first = min(int(read[0]), begins[axis] // dilation)
        last = min(len(taps) - 1 - int(read[-1]), ends[axis] // dilation)
        kept.append(slice(first, len(taps) - last))
        begins[axis] -= first * dilation
        ends[axis] -= last * dilation
        if len(taps) - first - last == 1:
            dilations[axis] = 1  # kernels for windows without gaps fit
    kernel = tuple(part.stop - part.start for part in kept)
    if kernel == window.kernel:
        return None
    filter = _finite_filter(op, new)
    if filter is None:
        return None
    parameters = replace(
        window, kernel=kernel, pads=(*begins, *ends), dilations=tuple(dilations)
    ).parameters()
    trimmed = np.ascontiguousarray(filter[:, :, *kept])
    weight = new.folded(trimmed, op.filter)
    parameters = op.parameters() | parameters
    return new.emit(ConvOp, op.input, weight, op.bias, **parameters)


def split_filter(op: ConvOp, new: Replacement) -> Results:
    """
    conv(x, w) -> conv(x, w[:, :, a:b])
                  + concat(conv(x, w[:, :, b:]), 0, conv(x, w[:, :, :a])) along an axis

    where at least a quarter of the windows read padding by the taps before a dilated
    filter's middle, or by those after it, so that the last or first windows alone need
    them. The filter is finite, and sums are not rounded to fewer bits than they have.
    """
    if has_layout(op.input) or has_layout(op.filter) or element_of(op.input) != f32:
        return None
    window, shape = op.window, shape_of(op.result)
    reads = window.windows_inside(shape_of(op.input)[2:])
    for axis, (ranges, count) in enumerate(zip(reads, shape[2:], strict=True)):
        if window.dilations[axis] == 1 or not count:
            continue
        middle, *others = _parts_of(ranges, count)
        skipped = sum(part.taps * (count - part.windows) for part in others)
        products = prod(shape_of(op.filter)[1:]) // len(ranges) * skipped
        if products < _LEAST_SAVED * count:
            continue
        filter = _finite_filter(op, new)
        if filter is None:
            return None
        total = _computed(op, new, filter, axis, middle)
        for each in others:
            made = _computed(op, new, filter, axis, each)
            total += _filled_up(new, made, 2 + axis, each, count)
        return total
    return None


def _finite_filter(op: ConvOp, new: Replacement) -> Array | None:
    """Return the filter if its elements are known, and none is infinite or NaN."""
    filter = new.constants.array_of(op.filter)
    return filter if filter is not None and np.isfinite(filter).all() else None


@dataclass(frozen=True)
class _TapRange:
    """Neighboring taps of an axis, and windows along it that they are applied to."""

    first_tap: int
    end_tap: int
    first: int
    end: int

    @property
    def taps(self) -> int:
        return self.end_tap - self.first_tap

    @property
    def windows(self) -> int:
        return self.end - self.first


def _parts_of(ranges: Sequence[tuple[int, int]], count: int) -> list[_TapRange]:
    """Return the middle of a filter for all windows, and taps before and after it."""
    sizes = [end - first for first, end in ranges]
    least = min(max(sizes), 3 * count // 4 + 1)
    many = [tap for tap, size in enumerate(sizes) if size >= least]
    parts = [_TapRange(many[0], many[-1] + 1, 0, count)]
    for first, end in ((0, many[0]), (many[-1] + 1, len(ranges))):
        some = [(low, high) for low, high in ranges[first:end] if low < high]
        if some:
            lows, highs = zip(*some, strict=True)
            parts.append(_TapRange(first, end, min(lows), max(highs)))
    return parts


def _computed(
    op: ConvOp, new: Replacement, filter: Array, axis: int, part: _TapRange
) -> Tensor:
    """Return the sums of a part of the filter, for the windows that it is for."""
    window, extents = op.window, shape_of(op.input)
    stride, dilation = window.strides[axis], window.dilations[axis]
    begin = part.first * stride - window.begins[axis] + part.first_tap * dilation
    end = begin + (part.windows - 1) * stride + (part.taps - 1) * dilation + 1
    low, high = max(begin, 0), min(end, extents[2 + axis])
    pads, dilations = list(window.pads), list(window.dilations)
    pads[axis], pads[len(dilations) + axis] = low - begin, end - high
    dilations[axis] = dilation if part.taps > 1 else 1
    input: SSAValue | Tensor = op.input
    if (low, high) != (0, extents[2 + axis]):
        starts, sizes = [0] * len(extents), list(extents)
        starts[2 + axis], sizes[2 + axis] = low, high - low
        steps = [1] * len(extents)
        input = new.emit(SliceOp, input, starts=starts, sizes=sizes, steps=steps)
    taps = slice(part.first_tap, part.end_tap)
    some = np.ascontiguousarray(filter[(slice(None),) * (2 + axis) + (taps,)])
    is_all = part.windows == shape_of(op.result)[2 + axis]
    moved = {"pads": tuple(pads), "dilations": tuple(dilations)}
    operands = input, new.folded(some, op.filter), op.bias if is_all else None
    return new.emit(ConvOp, *operands, **op.parameters() | moved)


def _filled_up(
    new: Replacement, made: Tensor, axis: int, part: _TapRange, count: int
) -> Tensor:
    """Return `made` with zeros for the windows that it lacks."""
    before, after = [0] * made.ndim, [0] * made.ndim
    before[axis], after[axis] = part.first, count - part.end
    return new.emit(PadOp, made, None, pads=(*before, *after), mode="constant")


class TrimFiltersPass(RewritePass):
    """
    Cut from filters of convolutions the taps that read nothing but padding.

    A 3x3 filter with a dilation of 24 over 14x14 elements reads the image by its middle
    tap alone, and becomes a 1x1 filter without padding. With a dilation of 12 the other
    taps read it in two rows or columns: these are sums of 1x1 filters, added where they
    belong. Filters of unknown elements, and such that have infinities or NaN, stay.

    Level: graph -> graph. Needs: nothing; `remove-dead-constants` afterwards.
    """

    name = "trim-filters"
    patterns = (trim_filter, split_filter)
