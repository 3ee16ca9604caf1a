"""Write a scatter to a block of neighbours as a concatenation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from glow.dialects.graph.base import Array
from glow.dialects.graph.joining import ConcatOp
from glow.dialects.graph.movement import ExpandOp
from glow.dialects.graph.scattering import ScatterNdOp
from glow.dialects.graph.slicing import SliceOp
from glow.passes.graph._constants import Constants
from glow.support.rewriting import rewrite
from glow.support.types import has_layout, normalize_axis, shape_of


@dataclass
class FoldScatter(RewritePattern):
    """
    scatter_nd(x, places of x[..., a:b, ...], u)
    -> concat(x[..., :a, ...], u, x[..., b:, ...])
    """

    constants: Constants

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ScatterNdOp, rewriter: PatternRewriter, /) -> None:
        if op.reduction.data != "none" or any(map(has_layout, op.operands)):
            return
        extents, block = shape_of(op.data), shape_of(op.updates)
        depth = shape_of(op.indices)[-1]
        grid = shape_of(op.indices)[:-1]
        if len(grid) != depth or not prod(block):
            return  # also updates in another arrangement than that of the places
        starts = self.starts_of(op.indices, grid)
        if starts is None:
            return
        partial = [axis for axis in range(depth) if grid[axis] != extents[axis]]
        if len(partial) > 1 or any(
            start + n > extent
            for start, n, extent in zip(starts, grid, extents, strict=False)
        ):
            return
        if not partial:
            rewriter.replace(op, (), (op.updates,))
            return
        (axis,) = partial
        start, end = starts[axis], starts[axis] + grid[axis]
        before = _part(op.data, axis, 0, start)
        after = _part(op.data, axis, end, extents[axis])
        around = [
            *(part.result for part in before),
            op.updates,
            *(part.result for part in after),
        ]
        rewriter.replace(op, [*before, *after, ConcatOp(around, axis=axis)])

    def starts_of(self, indices: SSAValue, grid: Sequence[int]) -> list[int] | None:
        """Return where the block begins whose places `indices` lists in order."""
        found: list[int] = []
        for axis, places in enumerate(self.columns_of(indices)):
            if places is None:
                return None
            # What is the same along an axis need be looked at once.
            places = places[
                tuple(slice(None if stride else 1) for stride in places.strides)
            ]
            start = int(places.flat[0])
            line = start + np.arange(grid[axis])
            line = line.reshape([-1 if i == axis else 1 for i in range(len(grid))])
            if start < 0 or not (places == line).all():
                return None
            found.append(start)
        return found

    def columns_of(self, indices: SSAValue) -> list[Array | None]:
        """Return each coordinate of the indices, as far as it is known."""
        rank = len(shape_of(indices))
        join = indices.owner
        if isinstance(join, ConcatOp):
            if normalize_axis(join.axis.value.data, rank) != rank - 1:
                return [None]
            return [self.column_of(each) for each in join.inputs]
        array = self.known(indices)
        if array is None:
            return [None]
        return [array[..., k] for k in range(array.shape[-1])]

    def column_of(self, value: SSAValue) -> Array | None:
        array = self.known(value)
        return array[..., 0] if array is not None and array.shape[-1] == 1 else None

    def known(self, value: SSAValue) -> Array | None:
        """Return what `value` is, without making the copies that it stands for."""
        if isinstance(value.owner, ExpandOp) and not has_layout(value):
            inner = self.known(value.owner.input)
            return None if inner is None else np.broadcast_to(inner, shape_of(value))
        return self.constants.array_of(value)


def _part(data: SSAValue, axis: int, start: int, end: int) -> list[SliceOp]:
    """Return the op for a part of `data` along `axis`, or none for nothing."""
    if start == end:
        return []
    shape = list(shape_of(data))
    sizes = [*shape[:axis], end - start, *shape[axis + 1 :]]
    starts = [start if i == axis else 0 for i in range(len(shape))]
    return [SliceOp(data, starts=starts, sizes=sizes, steps=[1] * len(shape))]


@dataclass(frozen=True)
class FoldScattersPass(ModulePass):
    """
    Write a scatter to neighbouring places as a concatenation with what is around them.

    So exporters write assignments to a part of a tensor, such as that of a mask.

    Level: graph -> graph. Needs: fold-constants, for the places to be known.
    """

    name = "fold-scatters"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, FoldScatter(Constants(op)))
