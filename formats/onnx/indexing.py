"""Operators that take indices, lengths or conditions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.binary import DivOp
from glow.dialects.graph.detection import NonMaxSuppressionOp
from glow.dialects.graph.embedding import (
    MODES,
    EmbeddingBagOp,
    EmbeddingOp,
    SparseLengthsSumOp,
)
from glow.dialects.graph.indexing import GatherOp, OneHotOp
from glow.dialects.graph.tensors import Tensor
from glow.formats.onnx.counted_rows import places_of
from glow.formats.onnx.node import Node
from glow.formats.onnx.nodes import NodeWriter, OnnxValue
from glow.formats.onnx.records import DEFAULT_DOMAIN
from glow.formats.onnx.registry import Outputs, onnx_form, onnx_op
from glow.support.types import INDEX, normalize_axis, shape_of

# PyTorch exports embedding_bag as a call of ATen, its tensor library, where ONNX has no
# operator (ONNX_ATEN_FALLBACK); Caffe2's operators are nodes of its own domain, or of
# none where they came with Caffe2's exporter.
ATEN = (DEFAULT_DOMAIN, "org.pytorch.aten")
CAFFE2 = (DEFAULT_DOMAIN, "org.pytorch._caffe2")


@onnx_op("Compress")
def compress(node: Node) -> Tensor:
    """The parts for which a condition holds, of the elements in a row or of an axis."""
    data, condition = node.input(0), node.input(1)
    axis = node.integer("axis") if node.has("axis") else 0
    if not node.has("axis"):
        data = data.reshape(data.size)
    axis = normalize_axis(axis, data.ndim)
    if condition.ndim != 1 or condition.size > data.shape[axis]:
        node.invalid(
            f"expected at most {data.shape[axis]} conditions, "
            f"got {list(condition.shape)}"
        )
    known = node.constant(1)
    if known is not None:
        return xp.take(data, np.flatnonzero(known), axis=axis)
    places, count = places_of(condition)
    return node.emitter.rows.note(xp.take(data, places, axis), axis, count)


@onnx_op("Gather")
def gather(node: Node) -> Tensor:
    """The parts that indices name; those that do not count name the first one."""
    indices = node.emitter.rows.with_zeros(node.input(1))
    return node.emit(GatherOp, node.input(0), indices, axis=node.integer("axis"))


@onnx_form(GatherOp)
def gather_node(op: GatherOp, out: NodeWriter) -> Sequence[OnnxValue | None]:
    return out.as_node("Gather", op)


@onnx_op("NonZero")
def non_zero(node: Node) -> Tensor:
    """The places of elements that are not 0, a column for each."""
    data = node.input(0)
    flags = data.reshape(data.size)
    flags = flags if flags.dtype == np.bool_ else flags != flags.writer.like(0, flags)
    known = node.constant(0)
    if known is not None:
        return node.literal(np.array(np.nonzero(np.atleast_1d(known)), np.int64))
    places, count = places_of(flags)
    rows: list[Tensor] = []
    for extent in reversed(data.shape or (1,)):
        stride = np.int64(max(extent, 1))
        rows.insert(0, places % stride)
        places = node.emit(DivOp, places, stride)
    return node.emitter.rows.note(xp.stack(rows), 1, count)


@onnx_op("Unique")
def unique(node: Node) -> list[Tensor]:
    """The different elements or parts, where each is first, which one is where."""
    data, axis = node.known(0, "elements"), None
    if node.has("axis"):
        axis = normalize_axis(node.integer("axis"), data.ndim)
    values, first, inverse, counts = np.unique(data, True, True, True, axis)
    if not node.flag("sorted"):  # but in the order in which they come
        order = np.argsort(first)
        values = np.take(values, order, axis or 0)
        first, counts = first[order], counts[order]
        inverse = np.argsort(order)[inverse]
    numbers = (each.reshape(-1).astype(np.int64) for each in (first, inverse, counts))
    return [node.literal(each) for each in (values, *numbers)][: node.output_count]


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


@onnx_form(OneHotOp)
def one_hot_node(op: OneHotOp, out: NodeWriter) -> OnnxValue:
    depth = np.array(op.depth)
    return out.node("OneHot", op.indices, depth, op.values, axis=op.axis)


@onnx_op("NonMaxSuppression")
def non_max_suppression(node: Node) -> Tensor:
    """The boxes that are taken: a bounded number of rows."""
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
    if not indices.shape[0]:
        return indices
    known = node.emitter.array_of(count.value)
    if known is None:
        return node.emitter.rows.note(indices, 0, count)
    return indices[: known.item()]


@onnx_form(NonMaxSuppressionOp)
def non_max_suppression_function(
    op: NonMaxSuppressionOp, out: NodeWriter
) -> Sequence[OnnxValue | None]:
    return out.function(op, _padded_boxes)


def _padded_boxes(op: NonMaxSuppressionOp, out: NodeWriter) -> Sequence[OnnxValue]:
    """The rows that ONNX has, then rows of -1."""
    least = op.score_threshold
    thresholds = np.array(op.iou_threshold, np.float32), None
    if least is not None:
        thresholds = thresholds[0], np.array(least, np.float32)
    given = op.boxes, op.scores, np.array(op.max_output), *thresholds
    centers = op.center_point_box
    boxes = out.node("NonMaxSuppression", *given, center_point_box=centers)
    count = out.node("Shape", boxes, end=1)
    rows = shape_of(op.indices)[:1]
    missing = out.node("Sub", [*rows], count)
    pads = out.node("Concat", [0, 0], missing, [0], axis=0)
    padded = out.node("Pad", boxes, pads, np.array(-1))
    return out.node("Reshape", padded, [*rows, 3]), out.node("Squeeze", count)


@onnx_op("ATen", domains=ATEN)
def aten(node: Node) -> Outputs:
    """Import a call of the function that attribute `operator` names."""
    if not node.has("operator"):
        node.invalid("attribute operator is missing")
    # Which of several functions of one name; that, and what gradients are like.
    node.ignore("overload_name", "scale_grad_by_freq", "sparse")
    match node.string("operator"):
        case "embedding":
            node.ignore("padding_idx")  # it concerns training only
            return node.emit(EmbeddingOp, node.input(0), node.input(1))
        case "embedding_bag":
            return _embedding_bag(node)
        case other:
            node.refuse(f"operator={other!r}")


def _embedding_bag(node: Node) -> Sequence[Tensor]:
    """The first of four results; the others are there for gradients."""
    mode, padding_idx = node.integer("mode", 0), node.integer("padding_idx", -1)
    if not 0 <= mode < len(MODES):
        node.invalid(f"expected a mode from 0 to {len(MODES) - 1}, got {mode}")
    bags = node.emit(
        EmbeddingBagOp,
        node.input(0),
        node.input(1),
        node.optional(2),
        node.optional(3),
        mode=MODES[mode],
        padding_idx=padding_idx if padding_idx >= 0 else None,
        include_last_offset=node.integer("include_last_offset", 0) != 0,
    )
    return [bags]


@onnx_op("SparseLengthsSum", "SparseLengthsMean", domains=CAFFE2)
def sparse_lengths(node: Node) -> Tensor:
    given = [node.input(index) for index in range(3)]
    return node.emit(SparseLengthsSumOp, *given, mode=_mode(node))


@onnx_op("SparseLengthsWeightedSum", "SparseLengthsWeightedMean", domains=CAFFE2)
def sparse_lengths_weighted(node: Node) -> Tensor:
    """Weights follow the table."""
    table, weights, *bags = (node.input(index) for index in range(4))
    node.ignore("grad_on_weights")
    return node.emit(SparseLengthsSumOp, table, *bags, weights, mode=_mode(node))


def _mode(node: Node) -> str:
    return "mean" if node.record.op_type.endswith("Mean") else "sum"
