"""Resize and Upsample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from glow.dialects.graph.interpolation import COORDINATES, CROP, MODES, ROUNDINGS
from glow.dialects.graph.resize import ResizeOp
from glow.dialects.graph.tensors import Tensor
from glow.formats.onnx.attributes import EXACT, exact_of
from glow.formats.onnx.node import Node
from glow.formats.onnx.nodes import NodeWriter, OnnxValue
from glow.formats.onnx.problems import Unsupported
from glow.formats.onnx.registry import onnx_form, onnx_op
from glow.support.types import normalize_axis, shape_of

Floats = tuple[float, ...]


@onnx_op("Upsample")
def upsample(node: Node) -> Tensor:
    scales = node.value("scales") if node.opset < 9 else _floats(node, 1, "scales")
    if any(scale < 1 for scale in scales):
        node.invalid(f"expected scales of at least 1, got {list(scales)}")
    return _by_scales(node, node.input(0), scales, "floor", range(len(scales)))


@onnx_op("Resize", since=10)
def resize_by_scales(node: Node) -> Tensor:
    """Of the nearest elements, the next one is taken where an axis becomes shorter."""
    value, scales = node.input(0), _floats(node, 1, "scales")
    shorter = [axis for axis, scale in enumerate(scales) if scale < 1]
    longer = [axis for axis in range(len(scales)) if axis not in shorter]
    if shorter and node.string("mode") == "nearest":
        value = _by_scales(node, value, scales, "ceil", shorter)
        return _by_scales(node, value, scales, "floor", longer) if longer else value
    return _by_scales(node, value, scales, "floor", range(len(scales)))


def _by_scales(
    node: Node, value: Tensor, scales: Floats, rounding: str, axes: Sequence[int]
) -> Tensor:
    """Resize as ONNX did before it had modes for coordinates."""
    node.check_entries("scales", scales, len(node.shape(0)))
    return node.emit(
        ResizeOp,
        value,
        scales=[scales[axis] for axis in axes],
        axes=axes,
        mode=node.choice("mode", "nearest", "linear"),
        coordinate_transformation_mode="asymmetric",
        nearest_mode=rounding,
    )


@onnx_op("Resize", since=11)
def resize(node: Node) -> Tensor:
    coordinates = node.choice("coordinate_transformation_mode", *COORDINATES)
    mode = node.choice("mode", *MODES)
    axes = node.integers("axes") if node.opset >= 18 else None
    sizes, scales = _target(node, axes)
    antialias = node.opset >= 18 and node.flag("antialias")
    if coordinates == CROP and antialias:
        node.known(1, "antialias and a roi")
    return node.emit(
        ResizeOp,
        node.input(0),
        node.input(1) if coordinates == CROP else None,
        sizes=sizes,
        scales=scales,
        axes=axes,
        mode=mode,
        coordinate_transformation_mode=coordinates,
        nearest_mode=node.choice("nearest_mode", *ROUNDINGS),
        cubic_coeff_a=node.real("cubic_coeff_a"),
        exclude_outside=node.flag("exclude_outside"),
        antialias=antialias and mode != "nearest",
        extrapolation_value=node.real("extrapolation_value"),
    )


def _target(
    node: Node, axes: Sequence[int] | None
) -> tuple[tuple[int, ...] | None, Floats | None]:
    """Return the sizes along `axes` and the scales, where they are given."""
    text = node.record.metadata.get(f"{EXACT}scales")
    scales = exact_of(_floats(node, 2, "scales"), text)
    sizes = node.known_ints(3, "sizes") or ()
    policy = "stretch"
    if node.opset >= 18:
        policies = ("stretch", "not_larger", "not_smaller")
        policy = node.choice("keep_aspect_ratio_policy", *policies)
    if bool(scales) == bool(sizes):
        got = "both" if scales else "neither"
        node.invalid(f"expected scales or sizes, got {got}")
    shape = node.shape(0)
    rank = len(shape)
    given = range(rank) if axes is None else axes
    named = [normalize_axis(axis, rank) for axis in given]
    if scales:
        node.check_entries("scales", scales, len(named))
        return None, scales
    node.check_entries("sizes", sizes, len(named))
    if policy == "stretch":
        return sizes, None
    extents = [shape[axis] for axis in named]
    ratios = [np.float32(n / max(m, 1)) for n, m in zip(sizes, extents, strict=True)]
    ratio = min(ratios) if policy == "not_larger" else max(ratios)
    rounded = [int(ratio * np.float32(extent) + np.float32(0.5)) for extent in extents]
    return tuple(rounded), (float(ratio),) * len(extents)


def _floats(node: Node, index: int, role: str) -> Floats:
    if node.optional(index) is None:
        return ()
    value = node.known(index, role)
    if value.ndim != 1 or value.dtype.kind != "f":
        node.invalid(
            f"expected a list of floats as {role}, "
            f"got {value.dtype} of shape {list(value.shape)}"
        )
    return tuple(float(v) for v in value)


@onnx_form(ResizeOp)
def resize_node(op: ResizeOp, out: NodeWriter) -> Sequence[OnnxValue | None]:
    """A size and a scale together are what keeps the aspect ratio of one axis."""
    sizes, scales = op.sizes, op.scales
    given: dict[str, Any] = {"sizes": None, "scales": None}
    if sizes is not None and scales is not None:
        sizes = _unbounded_sizes(op, sizes, scales)
        scales, given["keep_aspect_ratio_policy"] = None, "not_larger"
    if scales is not None:
        scales = np.array(scales, np.float32)
    made = out.as_node("Resize", op, op.input, op.roi, scales, sizes, **given)
    out.note_exact("scales", None if scales is None else op.scales)
    return made


def _unbounded_sizes(
    op: ResizeOp, sizes: Sequence[int], scales: Sequence[float]
) -> list[int]:
    """Return sizes where one axis gives the scale of all, and no other limits it."""
    shape = shape_of(op.input)
    axes = range(len(shape)) if op.axes is None else op.axes
    extents = [shape[axis] for axis in axes]
    for index, (size, extent) in enumerate(zip(sizes, extents, strict=True)):
        ratio = np.float32(size / max(extent, 1))
        rounded = [int(ratio * np.float32(e) + np.float32(0.5)) for e in extents]
        if {float(ratio)} == set(scales) and rounded == list(sizes):
            large = [(extent + 1) * (size + 1) for extent in extents]
            return [*large[:index], size, *large[index + 1 :]]
    raise Unsupported(f"Resize to {list(sizes)} by {list(scales)}")
