"""Which layouts the processor's kernels read and write."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod

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
from glow.dialects.graph.movement import DepthToSpaceOp, ReshapeOp, SpaceToDepthOp
from glow.dialects.graph.normalization import LrnOp
from glow.dialects.graph.pooling import AvgPoolOp, LpPoolOp, MaxPoolOp
from glow.dialects.layout.attribute import LayoutAttr
from glow.lowering._packing import (
    choose_conv_algorithm,
    filter_depthwise,
    filter_panels,
    matrix_panels,
    panel_width,
)
from glow.support.layout import Layout, permuted, size_of, strides_of
from glow.support.targets import (
    AnyOrder,
    Asked,
    LayoutChoice,
    Layouts,
    Offers,
    Target,
)
from glow.support.types import dtype_of, element_of, shape_of

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


def layout_choices(
    op: Operation, target: Target, offers: Offers
) -> Sequence[LayoutChoice]:
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
    """
    Ask for a constant matrix on the right in panels, else for columns in a row.

    Where the axes before lie is the same to the kernel, on all sides; of the left
    factor, rows or columns are in a row.
    """
    rank, left = len(shape_of(op.result)), len(shape_of(op.lhs))
    others = (None,) * (len(op.operands) - 2)
    return LayoutChoice(
        (AnyOrder(tuple(range(left))[-2:]), _right(op, target), *others),
        (AnyOrder((rank - 1,) if rank else None),),
    )


def _right(op: MatMulOp, target: Target) -> Asked:
    """Return what is asked of the right factor: panels, or columns in a row."""
    shape = shape_of(op.rhs)
    rank = len(shape)
    if rank == 1:
        return None
    columns = rank - (2 if op.transpose_rhs is not None else 1)
    if constant_behind(op.rhs) is not None and element_of(op.rhs) == f32:
        width = panel_width(target, shape[columns])
        return _attribute(matrix_panels(rank, columns, width))
    return AnyOrder((columns,))


def carry_cost(
    op: Operation, operands: Layouts, results: Layouts, target: Target
) -> float | None:
    """
    Return what it costs to run `op` in layouts that it carries.

    Kernels follow one stride per axis. In blocks they can only go through values that
    are all alike, one element after the other, where no padding must stay zero.
    """
    pairs = list(zip((*op.operands, *op.results), (*operands, *results), strict=True))
    if all(_is_strided(value, layout) for value, layout in pairs):
        return 0.0
    if isinstance(op, ReshapeOp) or len({(shape_of(v), a) for v, a in pairs}) > 1:
        return None
    return None if any(_is_padded(value, layout) for value, layout in pairs) else 0.0


def _is_strided(value: SSAValue, layout: Layout) -> bool:
    itemsize = dtype_of(element_of(value)).itemsize
    return strides_of(layout, shape_of(value), itemsize) is not None


def _is_padded(value: SSAValue, layout: Layout) -> bool:
    shape, itemsize = shape_of(value), dtype_of(element_of(value)).itemsize
    return size_of(layout, shape, itemsize) != prod(shape)


@cache
def channels_last(rank: int) -> Layout:
    """Return NWC, NHWC or NDHWC, and so on for any rank."""
    return permuted((0, *range(2, rank), 1))


@cache
def _attribute(layout: Layout | None) -> Attribute | None:
    return None if layout is None else LayoutAttr(layout)
