"""Write scatters to a block as concatenations."""

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
)

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.scattering import ScatterNdOp
from glow.passes.constants import Constants
from glow.passes.graph._known_indices import Places
from glow.passes.replacement import Replacement
from glow.support.rewriting import op_type_rewrite_pattern, rewrite
from glow.support.types import has_layout, shape_of


@dataclass
class FoldScatter(RewritePattern):
    """
    scatter_nd(x, places of x[..., a:b, ...], u)
    -> concat(x[..., :a, ...], u, x[..., b:, ...])
    """

    places: Places

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ScatterNdOp, rewriter: PatternRewriter, /) -> None:
        if op.reduction != "none" or any(map(has_layout, op.operands)):
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
        new = Replacement(op, rewriter)
        data, before = new.tensor(op.data), (slice(None),) * axis
        parts = [data[(*before, slice(start))], data[(*before, slice(end, None))]]
        parts.insert(1, new.tensor(op.updates))
        new.finish(xp.concat([part for part in parts if part.size], axis))

    def starts_of(self, indices: SSAValue, grid: Sequence[int]) -> list[int] | None:
        """Return where the block begins whose places `indices` lists in order."""
        starts: list[int] = []
        for axis, places in enumerate(self.places.of_axes(indices)):
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
            starts.append(start)
        return starts


@dataclass(frozen=True)
class FoldScattersPass(ModulePass):
    """
    Write a scatter to neighboring places as a concatenation with what is around them.

    So exporters write assignments to a part of a tensor, such as that of a mask.

    Level: graph -> graph. Needs: fold-constants, for the places to be known.
    """

    name = "fold-scatters"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, FoldScatter(Places(Constants(op))))
