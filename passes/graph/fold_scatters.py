"""Write scatters to a block as concatenations."""

from collections.abc import Sequence
from math import prod

from xdsl.ir import SSAValue

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.scattering import ScatterNdOp
from glow.passes.constants import Constants
from glow.passes.graph._known_indices import places_of_axes, strided
from glow.passes.patterns import Replacement, Results, RewritePass
from glow.support.types import has_layout, shape_of


def fold_scatter(op: ScatterNdOp, new: Replacement) -> Results:
    """
    scatter_nd(x, places of x[..., a:b, ...], u)
    -> concat(x[..., :a, ...], u, x[..., b:, ...])
    """
    if op.reduction != "none" or any(map(has_layout, op.operands)):
        return None
    extents, (*grid, depth) = shape_of(op.data), shape_of(op.indices)
    if len(grid) != depth or not prod(shape_of(op.updates)):
        return None  # also updates in another arrangement than that of the places
    starts = _starts_of(op.indices, grid, new.constants)
    if starts is None:
        return None
    ends = [start + n for start, n in zip(starts, grid, strict=True)]
    partial = [axis for axis in range(depth) if grid[axis] != extents[axis]]
    if len(partial) > 1 or any(map(int.__gt__, ends, extents)):
        return None
    if not partial:
        return op.updates
    (axis,) = partial
    data, before = new.tensor(op.data), (slice(None),) * axis
    first = data[(*before, slice(starts[axis]))]
    rest = data[(*before, slice(ends[axis], None))]
    parts = (first, new.tensor(op.updates), rest)
    return xp.concat([part for part in parts if part.size], axis)


def _starts_of(
    indices: SSAValue, grid: Sequence[int], constants: Constants
) -> list[int] | None:
    """Return where the block begins whose places `indices` lists in order."""
    starts: list[int] = []
    for axis, places in enumerate(places_of_axes(indices, constants)):
        line = None if places is None else strided(places)
        wanted = tuple(int(i == axis and n > 1) for i, n in enumerate(grid))
        if line is None or line.strides != wanted or line.start < 0:
            return None
        starts.append(line.start)
    return starts


class FoldScattersPass(RewritePass):
    """
    Replace a scatter to adjacent positions by a concatenation with what surrounds them.

    Exporters write assignments to a part of a tensor, such as a mask, as scatters.

    Level: graph -> graph. Needs: fold-constants, for the places to be known.
    """

    name = "fold-scatters"
    patterns = (fold_scatter,)
