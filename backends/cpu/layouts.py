"""Ops that the processor has kernels for, the layouts of their values, and costs."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import f32
from xdsl.ir import Operation, SSAValue

from glow.backends.cpu.products import product_choices
from glow.dialects.graph.attention import AttentionOp
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.convolution import ConvOp, ConvTransposeOp
from glow.dialects.graph.declaration import ElementwiseOp
from glow.dialects.graph.joining import ConcatOp
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.movement import (
    DepthToSpaceOp,
    ReshapeOp,
    SpaceToDepthOp,
    TransposeOp,
)
from glow.dialects.graph.normalization import LrnOp
from glow.dialects.graph.pooling import (
    AvgPoolOp,
    GlobalAvgPoolOp,
    GlobalLpPoolOp,
    GlobalMaxPoolOp,
    LpPoolOp,
    MaxPoolOp,
)
from glow.dialects.graph.recurrent import GruOp, LstmOp, RnnOp
from glow.dialects.graph.resize import ResizeOp
from glow.dialects.layout.attribute import layout_attribute
from glow.lowering.convolution.layouts import convolution_choices, transposed_choices
from glow.support.layout import Layout, channels_last, size_of, strides_of
from glow.support.targets import AnyOrder, Asked, LayoutChoice, Layouts, Offers, Target
from glow.support.types import (
    compute_type,
    element_of,
    itemsize_of,
    shape_of,
    size_bytes,
)

_SPATIAL = (
    MaxPoolOp
    | AvgPoolOp
    | LpPoolOp
    | GlobalAvgPoolOp
    | GlobalMaxPoolOp
    | GlobalLpPoolOp
    | LrnOp
    | SpaceToDepthOp
    | DepthToSpaceOp
)


_EXACT = 1 << 24
"""f32 represents all positions below this exactly."""


def layout_choices(
    op: Operation, target: Target, offers: Offers
) -> Sequence[LayoutChoice]:
    """
    Return the layouts in which `op` can run on `target`.

    Ops that slide over space read channels innermost; constant filters and matrices are
    read in panels as wide as a register tile.
    """
    match op:
        case ConvOp():
            return convolution_choices(op, target)
        case ConvTransposeOp():
            return transposed_choices(op, target)
        case MatMulOp():
            return product_choices(op, target, offers)
        case AttentionOp() if keeps(op, target):
            return (_attention(op),)
        case LstmOp() | GruOp() | RnnOp():
            return (_recurrent(op),)
        case _ if isinstance(op, _SPATIAL):
            return (_spatial(op),)
        case _:
            return ()


def _spatial(op: Operation) -> LayoutChoice:
    """Return channels-last activations."""
    activations = layout_attribute(channels_last(len(shape_of(op.operands[0]))))
    others = (None,) * (len(op.operands) - 1)
    return LayoutChoice((activations, *others), (activations,) * len(op.results))


def _attention(op: AttentionOp) -> LayoutChoice:
    """Return contiguous elements of a head; heads and positions lie anywhere."""
    asked = _by_name(op, ("query", "key", "value"), AnyOrder((3,)), AnyOrder(None))
    return LayoutChoice(asked, (AnyOrder((3,)),))


def _recurrent(op: LstmOp | GruOp | RnnOp) -> LayoutChoice:
    """Return contiguous features and units; other axes lie anywhere."""
    states = ("input", "initial_h", "initial_c")
    results = (AnyOrder((len(shape_of(value)) - 1,)) for value in op.results)
    return LayoutChoice(_by_name(op, states, AnyOrder((2,)), None), tuple(results))


def _by_name(
    op: GraphOp, names: Sequence[str], asked: Asked, others: Asked
) -> tuple[Asked, ...]:
    """Return `asked` for each operand of `op` in `names`, `others` for the rest."""
    operands = (name for name, _ in op.get_irdl_definition().operands)
    present = [name for name in operands if getattr(op, name) is not None]
    return tuple(asked if name in names else others for name in present)


def carry_cost(
    op: Operation, operands: Layouts, results: Layouts, target: Target
) -> float | None:
    """
    Return the cost of running `op` in layouts that it carries.

    Kernels take one stride per axis, or blocks that are the same for all values and
    have no padding, which would not stay zero.
    """
    pairs = list(zip((*op.operands, *op.results), (*operands, *results), strict=True))
    if all(_is_strided(value, layout) for value, layout in pairs):
        match op:
            case ResizeOp():
                return _lines_cost(op, results[0], target)
            case ConcatOp():
                return _parts_cost(op, results[0], target)
            case _:
                return 0.0
    if isinstance(op, ReshapeOp | TransposeOp):
        return 0.0
    is_alike = len({(shape_of(value), layout) for value, layout in pairs}) == 1
    if not is_alike or not isinstance(op, ElementwiseOp):
        return None
    return None if any(_is_padded(value, layout) for value, layout in pairs) else 0.0


def _innermost(value: SSAValue, layout: Layout) -> int | None:
    """Return the axis along which neighbors in memory lie; None for one element."""
    shape, strides = shape_of(value), strides_of(layout, shape_of(value))
    assert strides is not None
    axes = [axis for axis, extent in enumerate(shape) if extent > 1]
    return min(axes, key=lambda axis: strides[0][axis], default=None)


def _parts_cost(op: ConcatOp, result: Layout, target: Target) -> float:
    """Return the cost of storing single elements of parts that take turns."""
    axis = op.parameters()["axis"]
    if _innermost(op.result, result) != axis:
        return 0.0
    singles = [part for part in op.inputs if shape_of(part)[axis] == 1]
    return target.costs.joined_elements * sum(map(size_bytes, singles))


def _lines_cost(op: ResizeOp, result: Layout, target: Target) -> float:
    """Return the cost of neighbors in memory that lie along a resized axis."""
    before, after = shape_of(op.input), shape_of(op.result)
    innermost = _innermost(op.result, result)
    others = [axis for axis, extent in enumerate(after) if before[axis] == extent > 1]
    has_vectors = any(after[axis] >= target.f32_lanes for axis in others)
    if innermost is None or innermost in others or not has_vectors:
        return 0.0
    if op.mode != "nearest":
        return target.costs.resized_sum * size_bytes(op.result)
    is_repeated = all(m % n == 0 for n, m in zip(before, after, strict=True))
    return 0.0 if is_repeated else target.costs.resized_gather * size_bytes(op.result)


def _is_strided(value: SSAValue, layout: Layout) -> bool:
    return strides_of(layout, shape_of(value), itemsize_of(value)) is not None


def _is_padded(value: SSAValue, layout: Layout) -> bool:
    shape = shape_of(value)
    return size_of(layout, shape, itemsize_of(value)) != prod(shape)


def keeps(op: Operation, target: Target) -> bool:
    """
    Return whether `op` is an attention in f32 with heads on an axis of their own.

    Past keys and values must be joined already, and scores must not be a result.
    """
    if not isinstance(op, AttentionOp):
        return False
    others = (op.past_key, op.present_key, op.present_value, op.scores)
    s = op.sizes
    return (
        not any(value is not None for value in others)
        and compute_type(element_of(op.query)) == f32
        and op.softmax_precision in (None, f32)
        and not s.is_flat
        and min(s.batch, s.heads, s.length, s.elements, s.value_elements) > 0
        and 0 < s.total < _EXACT
        and _is_faster(op, target)
    )


def _is_faster(op: AttentionOp, target: Target) -> bool:
    """
    Return whether one kernel is faster than products and a softmax.

    One kernel is, with a `valid_length`, for few queries, and for many scores.
    """
    queries = op.sizes.group * op.sizes.length
    costs, is_windowed = target.costs, op.window != (-1, -1)
    few = costs.plain_windowed_scores if is_windowed else costs.plain_scores
    is_large = queries * op.sizes.total > few
    is_single = queries <= costs.single_queries
    return op.valid_length is not None or is_single or is_large
