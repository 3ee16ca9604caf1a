"""Which layouts the processor's kernels read and write."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import permutations

from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, Operation, SSAValue

from glow.analysis.constants import constant_behind
from glow.dialects.graph.convolution import ConvOp, ConvTransposeOp
from glow.dialects.graph.global_pooling import (
    GlobalAvgPoolOp,
    GlobalLpPoolOp,
    GlobalMaxPoolOp,
)
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.movement import DepthToSpaceOp, SpaceToDepthOp
from glow.dialects.graph.normalization import LrnOp
from glow.dialects.graph.pooling import AvgPoolOp, LpPoolOp, MaxPoolOp
from glow.dialects.layout.attribute import LayoutAttr, layout_of, strides_of_type
from glow.lowering._packing import (
    choose_conv_algorithm,
    filter_depthwise,
    filter_panels,
    matrix_panels,
    panel_width,
)
from glow.support.layout import Layout, permuted
from glow.support.targets import LayoutChoice, Target
from glow.support.types import element_of, shape_of

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
    | ConvTransposeOp
)

_ORDERED = 4
"""The highest rank for whose results each order of axes is worth a choice."""


def layout_choices(op: Operation, target: Target) -> Sequence[LayoutChoice]:
    """
    Return the layouts in which `op` can run on `target`.

    Whatever slides over space wants channels innermost in its activations; constant
    filters and matrices want panels of as many columns as a register tile has.
    """
    match op:
        case ConvOp():
            return (_spatial(op, {1: _filter_layout(op, target)}),)
        case MatMulOp():
            return _products(op, target)
        case _ if isinstance(op, _SPATIAL):
            return (_spatial(op, {}),)
        case _:
            return ()


def _spatial(op: Operation, others: dict[int, Layout | None]) -> LayoutChoice:
    """Ask for channels-last activations, and for `others` by operand index."""
    activations = channels_last(len(shape_of(op.operands[0])))
    operands = [activations, *(others.get(i) for i in range(1, len(op.operands)))]
    return LayoutChoice(
        tuple(_attribute(layout) for layout in operands),
        (_attribute(activations),) * len(op.results),
    )


def _filter_layout(op: ConvOp, target: Target) -> Layout | None:
    """
    Return the layout of a convolution's filter; None where its kernel wants none.

    Depthwise filters have output channels innermost. A panel never spans two groups,
    so groups that no panel divides stay row-major: their padding is no layout.
    """
    if constant_behind(op.filter) is None:
        return None
    outputs, _, *kernel = shape_of(op.filter)
    p = op.parameters()
    algorithm = choose_conv_algorithm(
        target,
        element_of(op.filter),
        shape_of(op.input),
        shape_of(op.filter),
        shape_of(op.result),
        p["strides"],
        p["dilations"],
        p["group"],
    )
    if algorithm == "depthwise":
        return filter_depthwise(len(kernel))
    columns = outputs // p["group"]
    width = panel_width(target, columns)
    if algorithm != "direct" or (p["group"] > 1 and columns % width):
        return None
    return filter_panels(len(kernel), width)


def _products(op: MatMulOp, target: Target) -> tuple[LayoutChoice, ...]:
    """
    Ask for a constant matrix on the right in panels, else for columns in a row.

    Where the axes before lie is the same to the kernel, on all sides; so there is a
    choice for each order of the result's.
    """
    operands = (_left_layout(op), _right_layout(op, target))
    others = (None,) * (len(op.operands) - 2)
    asked = (*(_attribute(layout) for layout in operands), *others)
    rank = len(shape_of(op.result))
    orders = [tuple(range(rank))]
    if 1 < rank <= _ORDERED:
        orders = [(*order, rank - 1) for order in permutations(range(rank - 1))]
    return tuple(LayoutChoice(asked, (_attribute(permuted(o)),)) for o in orders)


def _left_layout(op: MatMulOp) -> Layout | None:
    """Return the layout of the left factor: its own if rows or columns are in a row."""
    rank = len(shape_of(op.lhs))
    has_unit_stride = any(_is_in_a_row(op.lhs, axis) for axis in range(rank)[-2:])
    return layout_of(op.lhs) if has_unit_stride else None


def _right_layout(op: MatMulOp, target: Target) -> Layout | None:
    """Return the layout of the right factor: panels, or any with columns in a row."""
    shape = shape_of(op.rhs)
    rank = len(shape)
    if rank == 1:
        return None
    columns, rows = rank - 1, rank - 2
    if op.transpose_rhs is not None:
        columns, rows = rows, columns
    if constant_behind(op.rhs) is not None and element_of(op.rhs) == f32:
        return matrix_panels(rank, columns, panel_width(target, shape[columns]))
    if _is_in_a_row(op.rhs, columns):
        return layout_of(op.rhs)
    return permuted((*range(rank - 2), rows, columns))


def _is_in_a_row(value: SSAValue, axis: int) -> bool:
    """Return whether elements along `axis` are neighbours in memory."""
    found = strides_of_type(value.type)
    return found is not None and (found[0][axis] == 1 or shape_of(value)[axis] == 1)


@cache
def channels_last(rank: int) -> Layout:
    """Return NWC, NHWC or NDHWC, and so on for any rank."""
    return permuted((0, *range(2, rank), 1))


@cache
def _attribute(layout: Layout | None) -> Attribute | None:
    return None if layout is None else LayoutAttr(layout)
