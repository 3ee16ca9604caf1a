"""Phases of transposed convolutions: a convolution for each offset of the strides."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from glow.dialects.graph.convolution import ConvTransposeOp
from glow.support.types import shape_of


@dataclass(frozen=True)
class AxisPhase:
    """
    The part of a phase along an axis: every stride-th place from `first` on.

    `taps` are the positions in the filter, in the order in which the input is read;
    `before` and `after` say how far reads exceed the input.
    """

    first: int
    places: int
    taps: tuple[int, ...]
    dilation: int
    before: int
    after: int


Phase = tuple[AxisPhase, ...]
"""One entry per spatial axis."""


def phases_of(op: ConvTransposeOp) -> list[Phase] | None:
    """
    Return the phases of `op`; None if one reads nothing or starts beyond the input.

    Together they write each place of the result once.
    """
    p = op.parameters()
    spatial, extents = shape_of(op.input)[2:], shape_of(op.result)[2:]
    kernel = shape_of(op.filter)[2:]
    axes: list[list[AxisPhase]] = []
    for i, (extent, places) in enumerate(zip(spatial, extents, strict=True)):
        steps = p["strides"][i], p["dilations"][i]
        axis = _axis(extent, places, kernel[i], steps, p["pads"][i])
        if axis is None:
            return None
        axes.append(axis)
    return list(product(*axes))


def border_of(phases: Sequence[Phase]) -> tuple[tuple[int, int], ...]:
    """Return the border that phases together read around the input, per axis."""
    pairs = (
        (max(axis.before for axis in axes), max(axis.after for axis in axes))
        for axes in zip(*phases, strict=True)
    )
    return ((0, 0), (0, 0), *pairs)


def _axis(
    extent: int, places: int, kernel: int, steps: tuple[int, int], pad: int
) -> list[AxisPhase] | None:
    """
    Return the phases of an axis; None as `phases_of`.

    Place y is the sum of x[i] * w[j] where i * stride + j * dilation - pad is y.
    """
    stride, dilation = steps
    phases: list[AxisPhase] = []
    for first in range(min(stride, places)):
        starts = {j: first + pad - j * dilation for j in reversed(range(kernel))}
        read = {j: start // stride for j, start in starts.items() if not start % stride}
        positions = list(read.values())
        if not positions or positions[0] > 0:
            return None
        count = -(-(places - first) // stride)
        step = positions[1] - positions[0] if len(positions) > 1 else 1
        after = max(0, count - 1 + positions[-1] - (extent - 1))
        phases.append(AxisPhase(first, count, tuple(read), step, -positions[0], after))
    return phases
