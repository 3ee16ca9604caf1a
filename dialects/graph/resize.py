"""Images of another size: elements repeated, dropped, or interpolated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import AnyTensorType
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.backward import Backward
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.interpolation import (
    CROP,
    Coordinates,
    Interpolation,
    ResizeMode,
    Rounding,
    ScaledAxis,
    Taps,
)
from glow.dialects.graph.reordering import Order, Reordering, identity
from glow.support.arrays import Array
from glow.support.shapes import check_shape
from glow.support.types import (
    FLOAT,
    element_of,
    normalize_axes,
    normalize_axis,
    shape_of,
    tensor,
)


class ResizeOp(GraphOp):
    """
    The input with other extents along `axes`, all of them if absent.

    Coordinates in the result are turned into those of the input, by the ratio in
    `scales`, else by that of the extents. The `nearest` element is taken as
    `nearest_mode` rounds, or those around are weighted: on a line (`linear`), or on a
    `cubic` curve with `cubic_coeff_a`. With `antialias`, an axis that becomes shorter
    weighs all that it leaves out. Beyond the border its element is repeated, or with
    `exclude_outside` has no weight. For `tf_crop_and_resize`, `roi` has the part of
    each of `axes` that is seen, all starts before all ends, of the whole 1; what is
    outside of the input is `extrapolation_value`.

    Shapes: input any, roi [2 * axes], result `sizes` along `axes`, or without them what
    `scales` give, rounded down. Elements are floats; of any type for nearest ones.
    Errors: neither sizes nor scales, other than one per axis, words that ONNX lacks,
    a roi of another length, or one without `tf_crop_and_resize`, or none with it.
    Source: ONNX Resize-19, whose policies for aspect ratios give sizes and scales;
    `tf_half_pixel_for_nn` is of Resize-11. Where ONNX Runtime drops a roi along an axis
    that keeps its extent, ONNX is followed.

    ```mlir
    %y = graph.resize %x {scales = array<f64: 2.0, 2.0>, axes = array<i64: 2, 3>,
                          mode = "linear"}
        : (tensor<1x8x4x4xf32>) -> tensor<1x8x8x8xf32>
    ```
    """

    @staticmethod
    def infer(
        input: SSAValue,
        roi: SSAValue | None = None,
        **parameters: Any,
    ) -> AnyTensorType:
        is_nearest = parameters["mode"] == "nearest"
        if not is_nearest:
            FLOAT.check(input)
        elif parameters["antialias"]:
            raise VerifyException("expected no antialias of the nearest elements")
        shape = shape_of(input)
        lines = lines_of(shape, parameters)
        _check_region(roi, parameters["coordinate_transformation_mode"], len(lines))
        extents = list(shape)
        for axis, line in lines.items():
            if line.places and not line.extent:
                raise VerifyException(
                    f"expected a size of 0 along axis {axis}, which is empty, "
                    f"got {line.places}"
                )
            extents[axis] = line.places
        return tensor(element_of(input), extents)

    @staticmethod
    def compute(
        input: Array,
        roi: Array | None = None,
        *,
        sizes: Sequence[int] | None = None,
        scales: Sequence[float] | None = None,
        axes: Sequence[int] | None = None,
        mode: ResizeMode = "nearest",
        coordinate_transformation_mode: Coordinates = "half_pixel",
        nearest_mode: Rounding = "round_prefer_floor",
        cubic_coeff_a: float = -0.75,
        exclude_outside: bool = False,
        antialias: bool = False,
        extrapolation_value: float = 0.0,
    ) -> Array:
        how = interpolation_of(locals())
        lines = lines_of(input.shape, locals(), roi)
        taps = {axis: how.taps(line, input.dtype) for axis, line in lines.items()}
        result = input
        for axis, each in taps.items():
            result = _along(result, axis, each)
        for axis, each in taps.items():
            if each.inside is not None:
                value = np.asarray(extrapolation_value).astype(input.dtype)
                inside = each.inside.reshape(-1, *(1,) * (input.ndim - 1 - axis))
                result = np.where(inside, result, value)
        return result

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...] | None:
        return identity(len(shape_of(self.input))) if operand == 0 else None

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        if operand:
            return None
        named = _named(self.parameters()["axes"], len(order))
        return self.in_order(order, axes=[order.index(axis) for axis in named])

    @staticmethod
    def gradient(b: Backward) -> Any:
        roi = None if b.roi is None else b.known("roi")
        if b.roi is not None and (roi is None or b.needs("roi")):
            return "its roi decides in a run which elements are read"
        lines = lines_of(b.input.shape, b.op.parameters(), roi)
        how, g = interpolation_of(b.op.parameters()), b.g
        for axis, line in lines.items():
            matrix = how.taps(line, b.g.dtype).matrix(line.extent, b.g.dtype)
            order = (*(i for i in range(g.ndim) if i != axis), axis)
            back = sorted(range(g.ndim), key=order.__getitem__)
            g = (g.transpose(*order) @ matrix).transpose(*back)
        return g


def interpolation_of(parameters: Mapping[str, Any]) -> Interpolation:
    """Return the interpolation of an op with these parameters."""
    return Interpolation(
        mode=parameters["mode"],
        coordinates=parameters["coordinate_transformation_mode"],
        rounding=parameters["nearest_mode"],
        cubic_coeff_a=parameters["cubic_coeff_a"],
        exclude_outside=bool(parameters["exclude_outside"]),
        antialias=bool(parameters["antialias"]),
    )


def _named(axes: Sequence[int] | None, rank: int) -> tuple[int, ...]:
    """Return the axes that are resized, in the order in which they are named."""
    if axes is None:
        return tuple(range(rank))
    normalize_axes(axes, rank)  # refuses one that is named twice
    return tuple(normalize_axis(axis, rank) for axis in axes)


def _check_region(roi: SSAValue | None, coordinates: str, axes: int) -> None:
    if (roi is None) == (coordinates == CROP):
        wanted = "a roi" if roi is None else "no roi"
        raise VerifyException(f"expected {wanted} for {coordinates} coordinates")
    if roi is None:
        return
    FLOAT.check(roi)
    check_shape("a roi", roi, (2 * axes,))


def lines_of(
    shape: Sequence[int],
    parameters: Mapping[str, Any],
    roi: Array | Sequence[float] | None = None,
) -> dict[int, ScaledAxis]:
    """
    Return the axes that a resize of a tensor of `shape` goes along.

    Errors: no sizes and no scales, or other than one per axis.
    """
    named = _named(parameters["axes"], len(shape))
    sizes: Sequence[int] | None = parameters["sizes"]
    scales: Sequence[float] | None = parameters["scales"]
    if sizes is None and scales is None:
        raise VerifyException("expected sizes or scales, got neither")
    for role, values in (("sizes", sizes), ("scales", scales)):
        if values is not None and len(values) != len(named):
            raise VerifyException(
                f"expected {role} of {len(named)} entries, got {list(values)}"
            )
    if sizes is not None and min(sizes, default=0) < 0:
        raise VerifyException(f"expected sizes of at least 0, got {list(sizes)}")
    if scales is not None and not all(0 < scale < np.inf for scale in scales):
        raise VerifyException(f"expected scales above 0, got {list(scales)}")
    ratios = [float(np.float32(scale)) for scale in scales or ()]
    if sizes is None:
        pairs = zip(named, ratios, strict=True)
        sizes = [int(np.float32(shape[axis]) * np.float32(r)) for axis, r in pairs]
    elif scales is None:
        pairs = zip(named, sizes, strict=True)
        ratios = [size / max(shape[axis], 1) for axis, size in pairs]
    lines: dict[int, ScaledAxis] = {}
    for index, axis in enumerate(named):
        region = (0.0, 1.0)
        if roi is not None:
            region = float(roi[index]), float(roi[len(named) + index])
        lines[axis] = ScaledAxis(shape[axis], sizes[index], ratios[index], *region)
    return lines


def _along(array: Array, axis: int, taps: Taps) -> Array:
    """Interpolate `array` along one axis."""
    if taps.is_identity and taps.positions.shape[0] == array.shape[axis]:
        return array
    if taps.weights is None:
        return np.take(array, taps.positions[:, 0], axis)
    trailing = (1,) * (array.ndim - 1 - axis)
    result: Any = 0
    for positions, weights in zip(taps.positions.T, taps.weights.T, strict=True):
        weighted = weights.astype(array.dtype).reshape(-1, *trailing)
        result = result + np.take(array, positions, axis) * weighted
    return result
