"""Ops of object detection: features of regions, and the best boxes."""

from __future__ import annotations

from typing import Literal

import numpy as np
from xdsl.dialects.builtin import AnyTensorType, i64
from xdsl.ir import SSAValue
from xdsl.irdl import result_def
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.parameters import TENSOR
from glow.dialects.graph.roi_align_gradient import roi_align_gradient
from glow.support.arrays import Array
from glow.support.shapes import check_shape, same_element
from glow.support.types import FLOAT, INDEX, shape_of, tensor


class RoiAlignOp(GraphOp, elements=FLOAT):
    """
    Features of regions: each is cut into bins, and a bin is the mean of its samples.

    A region is x1, y1, x2, y2, in pixels once multiplied by `spatial_scale`. With
    `half_pixel`, corners of pixels have whole coordinates; with `output_half_pixel`,
    centers have, and a region is at least one pixel wide and high. A bin has
    `sampling_ratio` samples along each axis, or if that is 0 as many as it has pixels,
    rounded up. A sample is interpolated between four pixels; more than a pixel outside
    it is 0. `mode` max takes the largest weighted pixel of all samples.

    Shapes: input [N, C, H, W], rois [R, 4] of its floats, batches [R] of i32 or i64,
    result [R, C, output_height, output_width].
    Errors: other shapes, an image without pixels, a size below 1, a `sampling_ratio`
    below 0; when run, a batch outside [0, N - 1].
    Source: ONNX RoiAlign-22.

    ```mlir
    %y = graph.roi_align %x, %rois, %batches {output_height = 2 : i64}
        : (tensor<1x4x8x8xf32>, tensor<5x4xf32>, tensor<5xi64>) -> tensor<5x4x2x1xf32>
    ```
    """

    @staticmethod
    def infer(
        input: SSAValue,
        rois: SSAValue,
        batches: SSAValue,
        *,
        output_height: int,
        output_width: int,
        sampling_ratio: int,
    ) -> AnyTensorType:
        element = same_element(input, rois)
        images, channels, *extents = shape_of(input, 4)
        INDEX.check(batches)
        (count,) = shape_of(batches, 1)
        check_shape("rois", rois, (count, 4))
        if 0 in (images, *extents):
            raise VerifyException(f"expected images with pixels, got {input.type}")
        if min(output_height, output_width) < 1 or sampling_ratio < 0:
            raise VerifyException(
                "expected a height and a width from 1, a sampling_ratio from 0, "
                f"got {output_height}, {output_width}, {sampling_ratio}"
            )
        return tensor(element, (count, channels, output_height, output_width))

    @staticmethod
    def compute(
        input: Array,
        rois: Array,
        batches: Array,
        *,
        output_height: int = 1,
        output_width: int = 1,
        sampling_ratio: int = 0,
        spatial_scale: float = 1.0,
        mode: Literal["avg", "max"] = "avg",
        coordinate_transformation_mode: Literal[
            "half_pixel", "output_half_pixel"
        ] = "output_half_pixel",
    ) -> Array:
        half_pixel = coordinate_transformation_mode == "half_pixel"
        images, channels, *extents = input.shape
        sizes = output_height, output_width
        result = np.zeros((len(batches), channels, *sizes), input.dtype)
        if outside := [b for b in batches.tolist() if not 0 <= b < images]:
            raise IndexError(f"expected a batch in [0, {images - 1}], got {outside[0]}")
        scaled = rois * rois.dtype.type(spatial_scale)
        scaled = scaled - rois.dtype.type(0.5 if half_pixel else 0)
        for number, (x1, y1, x2, y2) in enumerate(scaled):
            lengths = y2 - y1, x2 - x1
            if not half_pixel:
                lengths = tuple(np.maximum(length, 1) for length in lengths)
            rows, columns = (
                _Samples(*each, sampling_ratio)
                for each in zip((y1, x1), lengths, sizes, extents, strict=True)
            )
            if rows.count and columns.count:
                image = input[batches[number]]
                result[number] = _pooled(image, rows, columns, mode)
        return result

    gradient = staticmethod(roi_align_gradient)


class _Samples:
    """Samples along an axis: pixels before and after, and their weights."""

    def __init__(self, start: Array, length: Array, bins: int, extent: int, ratio: int):
        """Take `ratio` samples in each bin, or one per pixel."""
        dtype = start.dtype
        size = length / dtype.type(bins)
        most = np.ceil(size)
        self.count = ratio or (int(most) if 0 < most < 2**63 else 0)
        bins_at = start + np.arange(bins).astype(dtype) * size
        steps = (np.arange(self.count).astype(dtype) + dtype.type(0.5)) * size
        steps = steps / dtype.type(max(self.count, 1))
        at = (bins_at[:, None] + steps).reshape(-1)
        self.inside = (at >= -1) & (at <= extent)
        at = np.clip(np.where(self.inside, at, 0), 0, extent - 1)
        self.low = at.astype(np.int64)
        self.high = np.minimum(self.low + 1, extent - 1)
        self.behind = at - self.low.astype(at.dtype)
        self.before = 1 - self.behind


def _pooled(image: Array, rows: _Samples, columns: _Samples, mode: str) -> Array:
    """Return one region of `image`."""
    corners = [
        weights[:, None] * others * image[:, at][:, :, to]
        for at, weights in ((rows.low, rows.before), (rows.high, rows.behind))
        for to, others in (
            (columns.low, columns.before),
            (columns.high, columns.behind),
        )
    ]
    first, second, third, fourth = corners
    values = first + second + third + fourth if mode == "avg" else np.max(corners, 0)
    values = np.where(rows.inside[:, None] & columns.inside, values, 0)
    shape = [(len(axis.low) // axis.count, axis.count) for axis in (rows, columns)]
    bins = values.reshape(len(image), *shape[0], *shape[1])
    return bins.mean((2, 4)) if mode == "avg" else bins.max((2, 4))


class NonMaxSuppressionOp(
    GraphOp, elements=FLOAT, no_gradient="its results are indices and a count"
):
    """
    The best boxes of each class, without those that overlap a better one.

    Of each image and class, boxes are taken by falling score, of equal ones the first.
    One is left out if its overlap with one that was taken, their intersection by their
    union, is above `iou_threshold`; if its score is not above `score_threshold`; or
    after `max_output` boxes. A score that is NaN is never taken. A box is y1, x1, y2,
    x2, any two opposite corners, or with `center_point_box` the center x, y, its width
    and height. A row of indices is image, class and box. There are as many rows as
    boxes may be taken: those from `count` on are -1.

    Shapes: boxes [B, N, 4], scores [B, C, N] of the same floats, indices
    [B * C * min(N, max_output), 3] of i64, count one i64.
    Errors: other shapes, a `max_output` below 0, an `iou_threshold` outside [0, 1].
    Source: ONNX NonMaxSuppression-11; there, rows end where boxes do.

    ```mlir
    %indices, %count = graph.non_max_suppression %boxes, %scores {max_output = 3 : i64}
        : (tensor<1x6x4xf32>, tensor<1x2x6xf32>) -> (tensor<6x3xi64>, tensor<i64>)
    ```
    """

    indices = result_def(TENSOR)
    count = result_def(TENSOR)

    @staticmethod
    def infer(
        boxes: SSAValue, scores: SSAValue, *, max_output: int, iou_threshold: float
    ) -> tuple[AnyTensorType, AnyTensorType]:
        same_element(boxes, scores)
        images, classes, count = shape_of(scores, 3)
        check_shape("boxes", boxes, (images, count, 4))
        if max_output < 0 or not 0 <= iou_threshold <= 1:
            raise VerifyException(
                "expected a max_output from 0, an iou_threshold in [0, 1], "
                f"got {max_output}, {iou_threshold}"
            )
        rows = images * classes * min(count, max_output)
        return tensor(i64, (rows, 3)), tensor(i64, ())

    @staticmethod
    def compute(
        boxes: Array,
        scores: Array,
        *,
        max_output: int,
        iou_threshold: float = 0.0,
        score_threshold: float | None = None,
        center_point_box: bool = False,
    ) -> tuple[Array, Array]:
        limit = scores.dtype.type(iou_threshold)
        corners = _corners(boxes, center_point_box)
        taken: list[tuple[int, int, int]] = []
        for image, kind in np.ndindex(scores.shape[:2]):
            line = scores[image, kind]
            valid = ~np.isnan(line)
            if score_threshold is not None:
                valid = line > scores.dtype.type(score_threshold)
            order = np.argsort(-line, kind="stable")
            left = order[valid[order]]
            for _ in range(max_output):
                if not left.size:
                    break
                best, left = left[0], left[1:]
                taken.append((image, kind, int(best)))
                left = left[~(_overlap(corners[image], best, left) > limit)]
        rows = scores.shape[0] * scores.shape[1] * min(scores.shape[2], max_output)
        indices = np.full((rows, 3), -1, np.int64)
        indices[: len(taken)] = np.reshape(taken, (-1, 3))
        return indices, np.asarray(len(taken), np.int64)


def _corners(boxes: Array, centers: bool) -> Array:
    """Return the least and the greatest corner of each box, in any order of axes."""
    first, second = boxes[..., :2], boxes[..., 2:]
    if centers:
        return np.stack([first - second / 2, first + second / 2], -2)
    return np.stack([np.minimum(first, second), np.maximum(first, second)], -2)


def _overlap(corners: Array, one: int, others: Array) -> Array:
    """Return intersection over union; 0 where a box or either of these has no area."""
    lows, highs = corners[:, 0], corners[:, 1]
    sides = np.minimum(highs[one], highs[others]) - np.maximum(lows[one], lows[others])
    sizes = highs - lows
    area, areas = sizes[one, 0] * sizes[one, 1], sizes[others, 0] * sizes[others, 1]
    common = sides[:, 0] * sides[:, 1]
    union = areas + area - common
    meets = (sides > 0).all(-1) & (common > 0) & (areas > 0) & (area > 0) & (union > 0)
    return np.divide(common, union, out=np.zeros_like(common), where=meets)
