"""Operators that take indices, lengths or conditions."""

from __future__ import annotations

import numpy as np

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.detection import NonMaxSuppressionOp
from glow.dialects.graph.encoding import OneHotOp
from glow.dialects.graph.tensors import Tensor
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op
from glow.support.types import INDEX, normalize_axis


@onnx_op("Compress")
def compress(node: Node) -> Tensor:
    """The parts for which a condition holds, of the elements in a row or of an axis."""
    data, condition = node.input(0), node.known(1, "a condition")
    axis = node.integer("axis") if node.has("axis") else 0
    if not node.has("axis"):
        data = data.reshape(data.size)
    axis = normalize_axis(axis, data.ndim)
    if condition.ndim != 1 or len(condition) > data.shape[axis]:
        node.invalid(
            f"expected at most {data.shape[axis]} conditions, "
            f"got {list(condition.shape)}"
        )
    return xp.take(data, np.flatnonzero(condition), axis=axis)


@onnx_op("ReverseSequence")
def reverse_sequence(node: Node) -> Tensor:
    """The element as far from the end of its sequence as it is from the start."""
    data, lengths = node.input(0), node.input(1)
    batch, time = node.integer("batch_axis"), node.integer("time_axis")
    shape = data.shape
    if {batch, time} != {0, 1} or lengths.shape != shape[batch : batch + 1]:
        node.invalid(
            "expected batch_axis and time_axis 0 and 1, a length for each sequence, "
            f"got {batch}, {time} and {list(lengths.shape)}"
        )
    ones = (1,) * (len(shape) - 2)
    places = np.arange(shape[time]).reshape((-1, 1) if time == 0 else (1, -1))
    here = node.literal(places.reshape(*places.shape, *ones))
    count = shape[batch]
    ends = lengths.reshape(*((1, count) if time == 0 else (count, 1)), *ones)
    index = xp.where(here < ends, ends - 1 - here, here)
    return xp.take_along_axis(data, xp.broadcast_to(index, shape), axis=time)


@onnx_op("OneHot")
def one_hot(node: Node) -> Tensor:
    """Indices may be numbers of any type, and so may the depth."""
    depth, indices = node.known(1, "a depth"), node.input(0)
    if depth.size != 1 or not depth.reshape(-1)[0] >= 1:
        node.invalid(f"expected a depth above 0, got {depth.tolist()}")
    if node.element(0) not in INDEX.members:
        indices = indices.astype(np.int64)
    count, axis = int(depth.reshape(-1)[0]), node.integer("axis")
    return node.emit(OneHotOp, indices, node.input(2), depth=count, axis=axis)


@onnx_op("NonMaxSuppression")
def non_max_suppression(node: Node) -> Tensor:
    """The boxes that are taken: as many rows as that are must be known."""
    limits = node.known_ints(2, "a number of boxes") or (0,)
    overlap, least = (
        None if node.optional(i) is None else node.known(i, "a threshold")
        for i in (3, 4)
    )
    if len(limits) != 1 or any(t is not None and t.size != 1 for t in (overlap, least)):
        node.invalid("expected one number of boxes and one number as each threshold")
    indices, count = node.emit_all(
        NonMaxSuppressionOp,
        node.input(0),
        node.input(1),
        max_output=max(0, limits[0]),
        iou_threshold=0.0 if overlap is None else float(overlap.item()),
        score_threshold=None if least is None else float(least.item()),
        center_point_box=node.flag("center_point_box"),
    )
    rows = indices.shape[0] and node.known_value(count, "boxes and scores").item()
    return indices[:rows]
