"""The layouts that the targets of this package ask for."""

from functools import cache

from xdsl.ir import Attribute, Operation

from glow.dialects.graph.convolution import ConvTransposeOp
from glow.dialects.graph.movement import DepthToSpaceOp, SpaceToDepthOp
from glow.dialects.graph.normalization import LrnOp
from glow.dialects.graph.pooling import (
    AvgPoolOp,
    GlobalAvgPoolOp,
    GlobalLpPoolOp,
    GlobalMaxPoolOp,
    LpPoolOp,
    MaxPoolOp,
)
from glow.dialects.layout.attribute import LayoutAttr
from glow.support.layout import Dim, Layout, permuted
from glow.support.targets import LayoutChoice
from glow.support.types import shape_of

SPATIAL = (
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


@cache
def blocked_channels(rank: int, block: int) -> LayoutAttr:
    """Return NCHW8c for rank 4 and blocks of 8, and the like."""
    spatial = [Dim(axis) for axis in range(2, rank)]
    outer, inner = Dim(1, None, block), Dim(1, block)
    return LayoutAttr(Layout([Dim(0), outer, *spatial, inner]))


@cache
def channels_last(rank: int) -> LayoutAttr:
    """Return NHWC for rank 4, and the like."""
    return LayoutAttr(permuted((0, *range(2, rank), 1)))


@cache
def blocked_filter(rank: int, block: int) -> LayoutAttr:
    """Return OIHW8i8o for rank 4 and blocks of 8, and the like."""
    spatial = [Dim(axis) for axis in range(2, rank)]
    outer = [Dim(0, None, block), Dim(1, None, block)]
    return LayoutAttr(Layout([*outer, *spatial, Dim(1, block), Dim(0, block)]))


@cache
def filter_last(rank: int) -> LayoutAttr:
    """Return HWIO for rank 4, and the like."""
    return LayoutAttr(permuted((*range(2, rank), 1, 0)))


def choice(
    op: Operation,
    image: Attribute,
    filter: Attribute | None = None,
    cost: float = 0.0,
) -> LayoutChoice:
    """Ask for `image` in and out, for `filter` second, and for row-major elsewhere."""
    others = [filter, *[None] * len(op.operands)][: len(op.operands) - 1]
    return LayoutChoice((image, *others), (image,) * len(op.results), cost)


def rank_of(op: Operation) -> int:
    return len(shape_of(op.operands[0]))
