"""The gradient of `graph.roi_align` by its images."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from glow.dialects.graph.backward import Backward
from glow.dialects.graph.indexing import GatherNdOp


class _SampleTensors(NamedTuple):
    """
    Samples of each region along an axis, as `RoiAlignOp.compute` has them.

    Shapes: [regions, samples].
    """

    ends: tuple[tuple[Any, Any], tuple[Any, Any]]
    """The pixels before and after, each with its weight."""
    inside: Any


def roi_align_gradient(b: Backward) -> Any:
    """
    Add the gradient of each bin to the pixels that its samples lie between.

    With mode max, pixels that are the largest share it equally.
    """
    ratio = b.sampling_ratio
    if ratio == 0:
        return (
            "the number of samples of a bin is known only at run time, expected a "
            "sampling_ratio of at least 1"
        )
    if b.needs("rois"):
        return "it has a gradient by images alone, expected boxes that are constant"
    if 0 in b.g.shape:
        return b.zeros(b.input)
    half_pixel = b.coordinate_transformation_mode == "half_pixel"
    boxes = b.rois * b.spatial_scale - (0.5 if half_pixel else 0)
    rows, columns = (
        _samples(b, boxes[:, at], boxes[:, at + 2], bins, extent, half_pixel)
        for at, bins, extent in (
            (1, b.output_height, b.input.shape[2]),
            (0, b.output_width, b.input.shape[3]),
        )
    )
    images = b.input.transpose(0, 2, 3, 1)
    inside = b.xp.expand_dims(_crossed(rows.inside, columns.inside, "and"), 3)
    corners = [
        (_tuples(b, y, x), b.xp.expand_dims(_crossed(u, v, "times"), 3))
        for y, u in rows.ends
        for x, v in columns.ends
    ]
    g = _repeated(b, b.g.transpose(0, 2, 3, 1))
    if b.mode == "avg":
        shares = [b.xp.where(inside, g / ratio**2, 0)] * 4
    else:
        best = _repeated(b, b.result.transpose(0, 2, 3, 1))
        wins = [
            (inside & (b.emit(GatherNdOp, images, at) * weight == best)).astype(
                b.g.element
            )
            for at, weight in corners
        ]
        counts = _repeated(b, _summed(b, wins[0] + wins[1] + wins[2] + wins[3]))
        shares = [g * each / b.xp.maximum(counts, 1) for each in wins]
    total = b.zeros(images)
    for (at, weight), share in zip(corners, shares, strict=True):
        total = b.xp.add_at(total, at, share * weight)
    return total.transpose(0, 3, 1, 2)


def _samples(
    b: Backward, start: Any, end: Any, bins: int, extent: int, half_pixel: bool
) -> _SampleTensors:
    ratio, dtype = b.sampling_ratio, start.dtype
    length = end - start
    if not half_pixel:
        length = b.xp.maximum(length, 1)
    size = (length / bins).reshape(-1, 1, 1)
    first = np.arange(bins, dtype=dtype).reshape(1, bins, 1)
    steps = (np.arange(ratio, dtype=dtype) + dtype.type(0.5)).reshape(1, 1, ratio)
    at = start.reshape(-1, 1, 1) + size * first + size * steps / ratio
    at = at.reshape(-1, bins * ratio)
    inside = (at >= -1) & (at <= extent)
    at = b.xp.clip(b.xp.where(inside, at, 0), 0, extent - 1)
    low = at.astype(np.int64)
    behind = at - low.astype(dtype)
    ends = (low, 1 - behind), (b.xp.minimum(low + 1, extent - 1), behind)
    return _SampleTensors(ends, inside)


def _crossed(rows: Any, columns: Any, how: str) -> Any:
    """Combine rows and columns of regions, as [regions, rows, columns]."""
    count = rows.shape[0]
    rows = rows.reshape(count, -1, 1)
    columns = columns.reshape(count, 1, -1)
    return rows & columns if how == "and" else rows * columns


def _tuples(b: Backward, rows: Any, columns: Any) -> Any:
    """Return the image, row and column of each sample, as [regions, ..., 3]."""
    shape = (*rows.shape, columns.shape[1])
    places = (
        b.batches.astype(np.int64).reshape(-1, 1, 1),
        rows.reshape(*shape[:2], 1),
        columns.reshape(shape[0], 1, shape[2]),
    )
    return b.xp.stack([b.xp.broadcast_to(each, shape) for each in places], 3)


def _repeated(b: Backward, bins: Any) -> Any:
    """Return the value of its bin for each sample; [regions, rows, columns, C]."""
    ratio, (count, height, width, channels) = b.sampling_ratio, bins.shape
    whole = (count, height, ratio, width, ratio, channels)
    bins = bins.reshape(count, height, 1, width, 1, channels)
    shape = (count, height * ratio, width * ratio, channels)
    return b.xp.broadcast_to(bins, whole).reshape(*shape)


def _summed(b: Backward, samples: Any) -> Any:
    """Return the sum over the samples of each bin."""
    ratio, (count, height, width, channels) = b.sampling_ratio, samples.shape
    shape = (count, height // ratio, ratio, width // ratio, ratio, channels)
    return b.xp.sum(samples.reshape(*shape), axis=(2, 4))
