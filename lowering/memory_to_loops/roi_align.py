"""Lower roi_align: samples of regions, of several channels at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import prod
from typing import Generic

from xdsl.dialects import math
from xdsl.dialects.builtin import i64

from glow.codegen.casts import convert, truncated
from glow.codegen.conditions import is_outside, select
from glow.codegen.functions import function, maximum, minimum
from glow.codegen.loops import Level, N, Var, loop, moved, nest
from glow.codegen.memory import rest_of
from glow.codegen.values import INDEX, Value, constant, index
from glow.dialects.graph.detection import RoiAlignOp
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.lowering.memory_to_loops.kernels.kernel import Call, Fault, Kernel, Work
from glow.lowering.memory_to_loops.main import Main, lowers

_CHANNELS = 16
"""The channels that share the places and weights of a sample."""


@dataclass(frozen=True)
class RoiAlignRow(Generic[N]):
    """
    Loops over regions and over channels, and along height and width.

    The first moves regions, batches and the result; the second the input and the
    result. `steps` are the strides of images and of the numbers of a region.
    """

    regions: Level[N]
    channels: Level[N]
    axes: tuple[_PooledAxis[N], ...]
    images: N
    steps: tuple[N, N]
    ratio: N
    code: N


@dataclass(frozen=True)
class _PooledAxis(Generic[N]):
    """An axis of images: its pixels and their stride, the bins and theirs."""

    extent: N
    stride: N
    bins: N
    bin_stride: N


@dataclass(frozen=True)
class _Bin:
    """A part of a region along an axis: where it starts, its size, how many samples."""

    axis: _PooledAxis[Value]
    start: Value
    size: Value
    samples: Value

    def at(self, i: Value) -> _Bin:
        """Return the bin that is i bins further."""
        start = self.start + convert(i, self.size.element) * self.size
        return replace(self, start=start)

    def sample(self, i: Value) -> _Sample:
        """Return sample i."""
        compute, last = self.start.element, self.axis.extent - 1
        step = (convert(i, compute) + 0.5) * self.size / convert(self.samples, compute)
        at = self.start + step
        inside = (at >= -1) & (at <= convert(self.axis.extent, compute))
        at = minimum(maximum(select(inside, at, 0), 0), convert(last, compute))
        low = convert(at, INDEX)
        behind = at - convert(low, compute)
        places = (each * self.axis.stride for each in (low, minimum(low + 1, last)))
        return _Sample(tuple(places), (1 - behind, behind), inside)


@dataclass(frozen=True)
class _Sample:
    """The pixels before and after a sample along an axis, and their weights."""

    places: tuple[Value, ...]
    weights: tuple[Value, ...]
    inside: Value


@dataclass(frozen=True)
class RoiAlign(Kernel):
    """
    Samples of bins of regions; a batch out of range is reported and taken as 0.

    Unit: a region.
    """

    scale: float
    half_pixel: bool
    mean: bool

    def write(self, call: Call[RoiAlignRow[Value]]) -> None:
        row = call.row
        rows, columns = row.axes
        channels = row.channels.extent
        whole = channels - rest_of(channels, _CHANNELS)
        for region, place, result in nest([row.regions], 3, bounds=call.range):
            image = call["batches"][place]
            is_wrong = is_outside(image, row.images)
            Fault(call["fault"], row.code).report(is_wrong)
            start = select(is_wrong, 0, image) * row.steps[0]
            first = self._bins(call, region)
            for i in loop(0, rows.bins, nonempty=True):
                for j in loop(0, columns.bins, nonempty=True):
                    bins = first[0].at(i), first[1].at(j)
                    to = result + i * rows.bin_stride + j * columns.bin_stride
                    for n, low, high in ((_CHANNELS, 0, whole), (1, whole, channels)):
                        for c in loop(low, high, step=n):
                            starts = moved([start, to], c, row.channels)
                            self._store(call, starts, bins, n)

    def _bins(self, call: Call[RoiAlignRow[Value]], at: Value) -> list[_Bin]:
        """Return the first bins along height and width of the region at `at`."""
        row = call.row
        numbers = [call["regions"][at + i * row.steps[1]] for i in range(4)]
        x1, y1, x2, y2 = (v * self.scale - 0.5 * self.half_pixel for v in numbers)
        found: list[_Bin] = []
        for axis, low, high in zip(row.axes, (y1, x1), (y2, x2), strict=True):
            length = high - low if self.half_pixel else maximum(high - low, 1)
            size = length / convert(axis.bins, low.element)
            pixels = convert(truncated(function(math.CeilOp, size), i64), INDEX)
            samples = select(row.ratio == 0, maximum(pixels, 0), row.ratio)
            found.append(_Bin(axis, low, size, samples))
        return found

    def _store(
        self,
        call: Call[RoiAlignRow[Value]],
        starts: Sequence[Value],
        bins: Sequence[_Bin],
        count: int,
    ) -> None:
        """Store a bin of `count` channels; `starts` are where the first one is."""
        places = [moved(starts, index(k), call.row.channels) for k in range(count)]
        compute = call["x"].compute
        initial = 0 if self.mean else float("-inf")
        totals = [Var(constant(initial, compute)) for _ in places]
        for i in loop(0, bins[0].samples, *totals):
            y = bins[0].sample(i)
            for j in loop(0, bins[1].samples, *totals):
                x = bins[1].sample(j)
                for total, (plane, _) in zip(totals, places, strict=True):
                    value = select(
                        y.inside & x.inside, self._value(call, plane, y, x), 0
                    )
                    total.value = self._combined(total.value, value)
        samples = bins[0].samples * bins[1].samples
        divisor = convert(maximum(samples, 1), compute)
        for total, (_, to) in zip(totals, places, strict=True):
            mean, most = total.value / divisor, select(samples == 0, 0, total.value)
            call["y"][to] = mean if self.mean else most

    def _value(
        self, call: Call[RoiAlignRow[Value]], plane: Value, y: _Sample, x: _Sample
    ) -> Value:
        """Return the weighted pixels around a sample, added up or the largest."""
        first, *others = (
            weight * other * call["x"][plane + at + to]
            for at, weight in zip(y.places, y.weights, strict=True)
            for to, other in zip(x.places, x.weights, strict=True)
        )
        return reduce(self._combined, others, first)

    def _combined(self, x: Value, y: Value) -> Value:
        return x + y if self.mean else maximum(x, y)


@lowers(RoiAlignOp)
def lower_roi_align(main: Main, op: ApplyOp) -> None:
    names = ("input", "rois", "batches", "result")
    buffers = [op.buffer(name) for name in names]
    x, regions, batches, y = map(addressing_of, buffers)
    p = op.graph_op().parameters()
    kernel = RoiAlign(
        p["spatial_scale"],
        half_pixel=p["coordinate_transformation_mode"] == "half_pixel",
        mean=p["mode"] == "avg",
    )
    axes = (
        _PooledAxis(x.shape[i], x.strides[i], y.shape[i], y.strides[i]) for i in (2, 3)
    )
    strides = regions.strides[0], batches.strides[0], y.strides[0]
    row = RoiAlignRow(
        Level(y.shape[0], strides),
        Level(y.shape[1], (x.strides[1], y.strides[1])),
        tuple(axes),
        x.shape[0],
        (x.strides[0], regions.strides[1]),
        p["sampling_ratio"],
        main.message(op, f"expected a batch in [0, {x.shape[0] - 1}]"),
    )
    work = Work(y.shape[0], 16 * prod(y.shape[1:]))
    arguments = {
        "x": buffers[0],
        "regions": buffers[1],
        "batches": main.base(buffers[2], compute=INDEX),
        "y": buffers[3],
        "fault": main.fault,
    }
    main.call(kernel, arguments, row, work)
