"""Lower data movement: views where nothing has to move, copies elsewhere."""

from collections.abc import Sequence
from math import prod
from typing import Literal

import numpy as np
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from glow.analysis.buffers import root_of
from glow.analysis.movements import keeps_bytes
from glow.dialects.graph import joining, movement, select, slicing
from glow.dialects.layout.attribute import layout_of, physical_shape_of
from glow.dialects.layout.transform import TransformOp
from glow.dialects.memory.address import Addressing, addressing_of, find_addressing
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.elementwise import ElementwiseOp, FillOp
from glow.lowering.graph_to_memory.halo import is_relabeled
from glow.lowering.graph_to_memory.scalar import ScalarRegion
from glow.lowering.graph_to_memory.state import Lowering, lowers, memref_of
from glow.support.layout import reshaped as layout_reshaped
from glow.support.layout import row_major_strides
from glow.support.types import normalize_axis, number_attribute, shape_of, tensor_type


@lowers(movement.TransposeOp, aliasing=True)
def _transpose(lowering: Lowering, op: movement.TransposeOp) -> None:
    source = lowering[op.input]
    order: tuple[int, ...] = op.permutation
    if is_relabeled(source):
        lowering.bind(op.result, lowering.permuted(source, order))
        return
    permuted = addressing_of(source).permuted(order)
    lowering.bind(op.result, lowering.view(source, permuted))


@lowers(movement.ReshapeOp, aliasing=True)
def _reshape(lowering: Lowering, op: movement.ReshapeOp) -> None:
    wanted = memref_of(tensor_type(op.result))
    if find_addressing(wanted) is None:
        lowering.bind(op.result, _into_blocks(lowering, op))
    else:
        lowering.bind(op.result, reshaped(lowering, op.input, shape_of(op.result)))


def _into_blocks(lowering: Lowering, op: movement.ReshapeOp) -> SSAValue:
    """Return what the operand holds as a buffer in the blocked layout of the result."""
    source, given = lowering[op.input], memref_of(tensor_type(op.input))
    layout, shape = layout_of(op.result), shape_of(op.result)
    assert layout is not None
    root = root_of(source)
    is_dense = prod(physical_shape_of(buffer_type(root))) == prod(shape)
    if not is_dense or find_addressing(buffer_type(source)) != find_addressing(given):
        root = lowering.alloc(given)
        lowering.copy(source, root)
    return lowering.relabeled(root, shape, layout)


def reshaped(lowering: Lowering, value: SSAValue, shape: tuple[int, ...]) -> SSAValue:
    """Return a buffer of `shape` with what `value` holds; copied only if it must be."""
    source = lowering[value]
    if is_relabeled(source):
        type_ = buffer_type(source)
        layout = layout_of(type_)
        assert layout is not None
        same = layout_reshaped(layout, type_.get_shape(), shape)
        if same is not None:
            return lowering.relabeled(source, shape, same)
    addressing = find_addressing(buffer_type(source))
    view = None if addressing is None else addressing.reshaped(shape)
    if view is None:
        source = lowering.contiguous(value)
        offset = addressing_of(source).offset
        view = Addressing(shape, row_major_strides(shape), offset)
    return lowering.view(source, view)


@lowers(select.DropoutOp)
def _dropout(lowering: Lowering, op: select.DropoutOp) -> None:
    lowering.copy(lowering[op.input], lowering.destination(op.result))
    if op.mask is not None:
        true = number_attribute(True, i1)
        lowering.add(FillOp(true, lowering.destination(op.mask)))


@lowers(movement.ExpandOp, aliasing=True)
def _expand(lowering: Lowering, op: movement.ExpandOp) -> None:
    source, shape = lowering[op.input], shape_of(op.result)
    a = addressing_of(source)
    missing = len(shape) - len(a.shape)
    strides = (0,) * missing + tuple(
        0 if n == 1 and wanted != 1 else s
        for n, s, wanted in zip(a.shape, a.strides, shape[missing:], strict=True)
    )
    view = Addressing(shape, strides, a.offset)
    lowering.bind(op.result, lowering.view(source, view))


@lowers(slicing.SliceOp, aliasing=True)
def _slice(lowering: Lowering, op: slicing.SliceOp) -> None:
    if 0 in op.sizes:
        lowering.destination(op.result)
        return
    source = lowering[op.input]
    view = addressing_of(source).part(op.starts, op.sizes, op.steps)
    lowering.bind(op.result, lowering.view(source, view))


@lowers(joining.SplitOp, aliasing=True)
def _split(lowering: Lowering, op: joining.SplitOp) -> None:
    axis = normalize_axis(op.axis, len(shape_of(op.input)))
    start = 0
    for result in op.results:
        part = lowering.slice(lowering[op.input], axis, start, result)
        lowering.bind(result, part)
        start += shape_of(result)[axis]


@lowers(joining.ConcatOp)
def _concat(lowering: Lowering, op: joining.ConcatOp) -> None:
    whole = lowering.destination(op.result)
    axis = normalize_axis(op.axis, len(shape_of(op.result)))
    start = 0
    for value in op.inputs:
        part = lowering.destinations.parts.get(value)
        if part is None or (part.whole, part.start) != (op.result, start):
            lowering.copy(lowering[value], lowering.slice(whole, axis, start, value))
        start += shape_of(value)[axis]


@lowers(TransformOp)
def _transform(lowering: Lowering, op: TransformOp) -> None:
    if keeps_bytes(op) and not lowering.has_place(op.result):
        lowering.bind(op.result, lowering[op.input])
        return
    lowering.copy(lowering[op.input], lowering.destination(op.result))


@lowers(movement.TileOp)
def _tile(lowering: Lowering, op: movement.TileOp) -> None:
    """Copy each axis [n] as [repeats, n]; the input repeats with stride 0."""
    repeats = op.repeats
    source, result = lowering[op.input], lowering.destination(op.result)
    a, r = addressing_of(source), addressing_of(result)
    shape = _interleaved(repeats, a.shape)
    inside = _interleaved((0,) * len(repeats), a.strides)
    steps = tuple(n * s for n, s in zip(a.shape, r.strides, strict=True))
    outside = _interleaved(steps, r.strides)
    lowering.copy(
        lowering.view(source, Addressing(shape, inside, a.offset)),
        lowering.view(result, Addressing(shape, outside, r.offset)),
    )


def _interleaved(a: Sequence[int], b: Sequence[int]) -> tuple[int, ...]:
    return tuple(v for pair in zip(a, b, strict=True) for v in pair)


@lowers(movement.SpaceToDepthOp)
def _space_to_depth(lowering: Lowering, op: movement.SpaceToDepthOp) -> None:
    block = op.block_size
    n, c, h, w = shape_of(op.input)
    split = (n, c, h // block, block, w // block, block)
    joined = (n, block, block, c, h // block, w // block)
    _permuted_copy(lowering, op.input, split, (0, 3, 5, 1, 2, 4), op.result, joined)


@lowers(movement.DepthToSpaceOp)
def _depth_to_space(lowering: Lowering, op: movement.DepthToSpaceOp) -> None:
    block = op.block_size
    n, c, h, w = shape_of(op.input)
    deep = c // (block * block)
    joined = (n, deep, h, block, w, block)
    if op.mode == "CRD":
        split, order = (n, deep, block, block, h, w), (0, 1, 4, 2, 5, 3)
    else:
        split, order = (n, block, block, deep, h, w), (0, 3, 4, 1, 5, 2)
    _permuted_copy(lowering, op.input, split, order, op.result, joined)


def _permuted_copy(
    lowering: Lowering,
    value: SSAValue,
    split: tuple[int, ...],
    order: tuple[int, ...],
    result: SSAValue,
    joined: tuple[int, ...],
) -> None:
    """Copy `value`, seen as `split` and permuted, into `result`, seen as `joined`."""
    source = reshaped(lowering, value, split)
    out = lowering.destination(result)
    taken, view = (
        addressing_of(source).permuted(order),
        addressing_of(out).reshaped(joined),
    )
    assert view is not None  # only whole axes of a buffer are split
    lowering.copy(lowering.view(source, taken), lowering.view(out, view))


@lowers(slicing.PadOp)
def _pad(lowering: Lowering, op: slicing.PadOp) -> None:
    source, result = lowering[op.input], lowering.destination(op.result)
    a, r = addressing_of(source), addressing_of(result)
    if 0 in r.shape:
        return
    before = op.pads[: len(a.shape)]
    starts = tuple(max(0, lo) for lo in before)
    ends = tuple(
        min(n, lo + k) for n, lo, k in zip(r.shape, before, a.shape, strict=True)
    )
    if any(e <= s for s, e in zip(starts, ends, strict=True)):
        _fill(lowering, op, result)
        return
    if op.mode == "constant" and (starts, ends) != ((0,) * len(starts), r.shape):
        _fill(lowering, op, result)
    sizes = tuple(e - s for s, e in zip(starts, ends, strict=True))
    skips = tuple(s - lo for s, lo in zip(starts, before, strict=True))
    inner, outer = a.part(skips, sizes), r.part(starts, sizes)
    lowering.copy(lowering.view(source, inner), lowering.view(result, outer))
    if op.mode != "constant":
        _mirror(lowering, result, r, starts, ends, op.mode)


def _fill(lowering: Lowering, op: slicing.PadOp, result: SSAValue) -> None:
    element = buffer_type(result).element_type
    array = np.zeros(1, int) if op.value is None else lowering.known(op.value)
    if array is not None:
        number = number_attribute(array.reshape(-1)[0].item(), element)
        lowering.add(FillOp(number, result))
        return
    assert op.value is not None
    region = ScalarRegion()
    same = region.finish(region.argument(element))
    scalar = reshaped(lowering, op.value, ())
    lowering.add(ElementwiseOp([scalar], [result], same))


def _mirror(
    lowering: Lowering,
    result: SSAValue,
    r: Addressing,
    starts: tuple[int, ...],
    ends: tuple[int, ...],
    mode: Literal["edge", "reflect", "wrap"],
) -> None:
    """Fill the border from the inside, axis by axis: the later axes fill corners."""
    low, high = list(starts), list(ends)
    for axis, extent in enumerate(r.shape):
        inside = np.arange(starts[axis], ends[axis])
        repeated = np.pad(inside, (starts[axis], extent - ends[axis]), mode)
        for place, inside in enumerate(repeated.tolist()):
            if place == inside:
                continue
            lowering.copy(
                lowering.view(result, _plane(r, low, high, axis, inside)),
                lowering.view(result, _plane(r, low, high, axis, place)),
            )
        low[axis], high[axis] = 0, extent


def _plane(
    r: Addressing, low: Sequence[int], high: Sequence[int], axis: int, place: int
) -> Addressing:
    """Return the elements of `r` from `low` to `high`, along `axis` only at `place`."""
    starts, sizes = list(low), [h - lo for lo, h in zip(low, high, strict=True)]
    starts[axis], sizes[axis] = place, 1
    return r.part(starts, sizes)
