"""Operators that move elements: transpose, concat, split, slice, pad, tile."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.joining import ConcatOp, SplitOp
from glow.dialects.graph.movement import (
    DepthToSpaceOp,
    ReshapeOp,
    SpaceToDepthOp,
    TileOp,
    TransposeOp,
)
from glow.dialects.graph.select import ClipOp
from glow.dialects.graph.slicing import PadOp, SliceOp, resolve_slice
from glow.dialects.graph.tensors import Tensor
from glow.dialects.graph.window import Ints
from glow.formats.onnx.node import Node
from glow.formats.onnx.nodes import NodeWriter, OnnxValue
from glow.formats.onnx.records import COUNTED
from glow.formats.onnx.registry import onnx_form, onnx_op
from glow.support.types import normalize_axis, shape_of


@onnx_op("Transpose")
def transpose(node: Node) -> Tensor:
    permutation = node.integers("perm")
    if permutation is None:
        permutation = tuple(reversed(range(len(node.shape(0)))))
    return node.emit(TransposeOp, node.input(0), permutation=permutation)


@onnx_form(TransposeOp)
def transpose_node(op: TransposeOp, out: NodeWriter) -> OnnxValue:
    return out.node("Transpose", op.input, perm=op.permutation)


@onnx_op("Concat")
def concat(node: Node) -> Tensor:
    return node.emit(ConcatOp, node.given, axis=node.integer("axis", 1))


@onnx_form(ConcatOp)
def concat_node(op: ConcatOp, out: NodeWriter) -> OnnxValue:
    return out.node("Concat", *op.inputs, axis=op.axis)


@onnx_op("Split")
def split(node: Node) -> tuple[Tensor, ...]:
    axis = normalize_axis(node.integer("axis", 0), len(node.shape(0)))
    extent, count = node.shape(0)[axis], node.output_count
    if node.has("num_outputs") and node.integer("num_outputs") != count:
        node.invalid(f"expected num_outputs {count}, got {node.integer('num_outputs')}")
    sizes = node.list_of("split", 1)
    if sizes is None and node.opset < 2 and node.optional(1) is not None:
        sizes = _integers(node, 1, "split")
    if sizes is None:
        sizes = _even_sizes(extent, count)
    if len(sizes) != count:
        node.invalid(f"expected {count} sizes, got {list(sizes)}")
    return node.emit_all(SplitOp, node.input(0), axis=axis, sizes=sizes)


@onnx_form(SplitOp)
def split_node(op: SplitOp, out: NodeWriter) -> Sequence[OnnxValue | None]:
    flags = [True] * len(op.sizes)
    return out.outputs(flags, "Split", op.input, op.sizes, axis=op.axis)


def _even_sizes(extent: int, count: int) -> Ints:
    """Return equal sizes; the last is smaller where the extent is not a multiple."""
    size = -(-extent // count)
    return (*(size,) * (count - 1), extent - size * (count - 1))


@onnx_op("Slice")
def slice_by_attributes(node: Node) -> Tensor:
    starts, ends = node.integers("starts") or (), node.integers("ends") or ()
    return _slice(node, starts, ends, node.integers("axes"), None)


@onnx_op("Slice", since=10)
def slice_(node: Node) -> Tensor:
    starts = node.known_ints(1, "starts") or ()
    axes, steps = node.known_ints(3, "axes"), node.known_ints(4, "steps")
    if node.constant(2) is None and starts == (0,) and steps in (None, (1,)):
        return _first_rows(node, (axes or (0,))[0])
    return _slice(node, starts, node.known_ints(2, "ends") or (), axes, steps)


def _first_rows(node: Node, axis: int) -> Tensor:
    """Return a slice from the first row up to a data-dependent end."""
    data, end = node.input(0), node.input(2)
    axis = normalize_axis(axis, data.ndim)
    if COUNTED in node.record.metadata and isinstance(end.value.owner, ReshapeOp):
        count = end.writer.tensor(end.value.owner.input)
        return node.emitter.rows.note(data, axis, count)
    end = end.reshape().astype(np.int64)
    extent = np.int64(data.shape[axis])
    from_start = xp.where(end < 0, end + extent, end)
    count = node.emit(ClipOp, from_start, np.int64(0), extent)
    whole = [0] * data.ndim, data.shape, [1] * data.ndim
    starts, sizes, ones = map(tuple, whole)
    made = node.emit(SliceOp, data, starts=starts, sizes=sizes, steps=ones)
    return node.emitter.rows.note(made, axis, count)


def _slice(
    node: Node, starts: Ints, ends: Ints, axes: Ints | None, steps: Ints | None
) -> Tensor:
    lists = [list(each) for each in (starts, ends, axes, steps) if each is not None]
    if len(set(map(len, lists))) > 1:
        got = ", ".join(map(str, lists))
        node.invalid(f"expected as many starts as ends, axes and steps, got {got}")
    first, sizes, step = resolve_slice(node.shape(0), starts, ends, axes, steps)
    return node.emit(SliceOp, node.input(0), starts=first, sizes=sizes, steps=step)


@onnx_form(SliceOp)
def slice_node(op: SliceOp, out: NodeWriter) -> OnnxValue:
    """An end below 0 would count from the end, so that of a negative step is far."""
    triples = zip(op.starts, op.sizes, op.steps, strict=True)
    ends = [start + size * step for start, size, step in triples]
    ends = [end if end >= 0 else -(1 << 31) for end in ends]
    axes = range(len(ends))
    return out.node("Slice", op.input, op.starts, ends, [*axes], op.steps)


@onnx_op("Pad")
def pad_by_attributes(node: Node) -> Tensor:
    """Up to opset 1, the pads have another name."""
    mode = node.choice("mode", "constant", "edge", "reflect")
    value = node.literal(node.real("value"), node.dtype(0))
    pads = node.integers("pads" if node.opset >= 2 else "paddings") or ()
    value = value if mode == "constant" else None
    return node.emit(PadOp, node.input(0), value, pads=pads, mode=mode)


@onnx_op("Pad", since=11)
def pad(node: Node) -> Tensor:
    mode = node.choice("mode", "constant", "edge", "reflect", "wrap")
    pads = node.known_ints(1, "pads") or ()
    axes = node.known_ints(3, "axes")
    if axes is not None:
        pads = _pads_of_all(node, pads, axes)
    value = node.optional(2) if mode == "constant" else None
    return node.emit(PadOp, node.input(0), value, pads=pads, mode=mode)


@onnx_form(PadOp)
def pad_node(op: PadOp, out: NodeWriter) -> OnnxValue:
    return out.node("Pad", op.input, op.pads, op.value, mode=op.mode)


def _pads_of_all(node: Node, pads: Ints, axes: Ints) -> Ints:
    """Return pads for every axis from those for `axes`."""
    rank, count = len(node.shape(0)), len(axes)
    places = [normalize_axis(axis, rank) for axis in axes]
    if len(set(places)) != count or len(pads) != 2 * count:
        node.invalid(f"expected two pads for each axis, got {list(pads)}, {list(axes)}")
    full = [0] * (2 * rank)
    for index, axis in enumerate(places):
        full[axis], full[rank + axis] = pads[index], pads[count + index]
    return tuple(full)


@onnx_op("Tile")
def tile_along_axis(node: Node) -> Tensor:
    """As often along an axis as both inputs say."""
    repeats = [1] * len(node.shape(0))
    (axis,), (tiles,) = _integers(node, 2, "an axis"), _integers(node, 1, "tiles")
    repeats[normalize_axis(axis, len(repeats))] = tiles
    return node.emit(TileOp, node.input(0), repeats=repeats)


def _integers(node: Node, index: int, role: str) -> Ints:
    """Return the integers of an input, which the first versions had in any type."""
    values = node.known(index, role).reshape(-1)
    if (values != np.trunc(values)).any():
        node.invalid(f"expected integers as {role}, got {values.tolist()}")
    return tuple(int(each) for each in values)


@onnx_op("Tile", since=6)
def tile(node: Node) -> Tensor:
    repeats = node.known_ints(1, "repeats") or ()
    return node.emit(TileOp, node.input(0), repeats=repeats)


@onnx_form(TileOp)
def tile_node(op: TileOp, out: NodeWriter) -> OnnxValue:
    return out.node("Tile", op.input, op.repeats)


@onnx_op("SpaceToDepth")
def space_to_depth(node: Node) -> Tensor:
    size = node.integer("blocksize")
    if not node.has("mode") or node.choice("mode", "DCR", "CRD") == "DCR":
        return node.emit(SpaceToDepthOp, node.input(0), block_size=size)
    n, c, h, w = shape_of(node.input(0).value, rank=4)
    if size < 1 or h % size or w % size:
        node.invalid(f"expected a blocksize that divides {h} and {w}, got {size}")
    blocks = (n, c, h // size, size, w // size, size)
    parts = node.input(0).reshape(*blocks).transpose(0, 1, 3, 5, 2, 4)
    return parts.reshape(n, c * size * size, h // size, w // size)


@onnx_form(SpaceToDepthOp)
def space_to_depth_node(op: SpaceToDepthOp, out: NodeWriter) -> OnnxValue:
    return out.node("SpaceToDepth", op.input, blocksize=op.block_size)


@onnx_op("DepthToSpace")
def depth_to_space(node: Node) -> Tensor:
    size = node.integer("blocksize")
    mode = node.choice("mode", "DCR", "CRD") if node.opset >= 11 else "DCR"
    return node.emit(DepthToSpaceOp, node.input(0), block_size=size, mode=mode)


@onnx_form(DepthToSpaceOp)
def depth_to_space_node(op: DepthToSpaceOp, out: NodeWriter) -> OnnxValue:
    return out.node("DepthToSpace", op.input, blocksize=op.block_size, mode=op.mode)
