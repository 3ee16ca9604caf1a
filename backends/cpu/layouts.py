"""Which layouts the processor's kernels read and write."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, Operation

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
from glow.dialects.layout.attribute import LayoutAttr
from glow.lowering._packing import (
    choose_conv_algorithm,
    filter_depthwise,
    filter_panels,
    panel_width,
)
from glow.support.layout import Dim, Layout, permuted
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
            return (_product(op, target),)
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


def _product(op: MatMulOp, target: Target) -> LayoutChoice:
    """Ask for a constant matrix on the right in panels, for all else row-major."""
    panel = None
    rank = len(shape_of(op.rhs))
    is_packed = rank > 1 and constant_behind(op.rhs) is not None
    if is_packed and element_of(op.rhs) == f32:
        columns = rank - 2 if op.transpose_rhs is not None else rank - 1
        width = panel_width(target, shape_of(op.rhs)[columns])
        panel = matrix_panels(rank, columns, width)
    operands = (None, panel, *(None for _ in op.operands[2:]))
    return LayoutChoice(tuple(_attribute(layout) for layout in operands), (None,))


@cache
def channels_last(rank: int) -> Layout:
    """Return NWC, NHWC or NDHWC, and so on for any rank."""
    return permuted((0, *range(2, rank), 1))


@cache
def matrix_panels(rank: int, columns: int, width: int) -> Layout:
    """Return [batch..., columns / width, rows, width] of a stack of matrices."""
    outer, inner = Dim(columns, None, width), Dim(columns, width)
    rows = 2 * rank - 3 - columns
    return Layout([*(Dim(axis) for axis in range(rank - 2)), outer, Dim(rows), inner])


@cache
def _attribute(layout: Layout | None) -> Attribute | None:
    return None if layout is None else LayoutAttr(layout)
