"""Write scatters to a block as concatenations."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import SSAValue

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.scattering import ScatterNdOp
from glow.dialects.graph.tensors import Tensor
from glow.passes.constants import Constants
from glow.passes.graph._known_indices import places_of_axes, strided
from glow.passes.patterns import Replacement, Results, RewritePass
from glow.support.types import has_layout, shape_of


def fold_scatter(op: ScatterNdOp, new: Replacement) -> Results:
    """
    scatter_nd(x, places of x[..., a:b, ...], u)
    -> concat(x[..., :a, ...], u, x[..., b:, ...])

    A chain of scatters to different places, such as row by row, is folded as one.
    """
    block = _block_of(op, new.constants)
    if block is None:
        return None
    if block.axis is None:
        return new.tensor(op.updates).reshape(*shape_of(op.data))
    reader = _reader_of(op)
    after = None if reader is None else _block_of(reader, new.constants)
    if after is not None and block.is_apart(after):
        return None  # `after` is folded together with this one
    blocks, data = [block], op.data
    while isinstance(data.owner, ScatterNdOp) and data.has_one_use():
        earlier = _block_of(data.owner, new.constants)
        if earlier is None or earlier.axis != block.axis:
            break
        at = bisect(blocks, earlier.start, key=lambda each: each.start)
        if not all(map(earlier.is_apart, blocks[max(at - 1, 0) : at + 1])):
            break
        blocks.insert(at, earlier)
        data = data.owner.data
    return _joined(blocks, data, block.axis, new)


@dataclass(frozen=True)
class _Block:
    """The places that a scatter writes: those from `start` to `end` along `axis`."""

    axis: int | None
    """None if they are all places of the data."""
    start: int
    end: int
    updates: SSAValue

    def is_apart(self, other: _Block) -> bool:
        """Return whether both are along one axis, and have no place in common."""
        is_beside = self.end <= other.start or other.end <= self.start
        return None is not self.axis == other.axis and is_beside


def _block_of(op: ScatterNdOp, constants: Constants) -> _Block | None:
    """Return the places of a scatter where they are known and adjacent."""
    if op.reduction != "none" or any(map(has_layout, op.operands)):
        return None
    extents, (*grid, depth) = shape_of(op.data), shape_of(op.indices)
    if len(grid) not in (0, depth) or not prod(shape_of(op.updates)):
        return None  # the places are neither one nor a grid of as many axes
    starts = _starts_of(op.indices, grid, constants)
    if starts is None:
        return None
    grid = grid or [1] * depth  # one place, without an axis of its own
    ends = [start + n for start, n in zip(starts, grid, strict=True)]
    partial = [axis for axis in range(depth) if grid[axis] != extents[axis]]
    if len(partial) > 1 or any(map(int.__gt__, ends, extents)):
        return None
    if not partial:
        return _Block(None, 0, 0, op.updates)
    (axis,) = partial
    return _Block(axis, starts[axis], ends[axis], op.updates)


def _reader_of(op: ScatterNdOp) -> ScatterNdOp | None:
    """Return the only reader of the result, if it is a scatter into that result."""
    use = op.result.get_user_of_unique_use()
    return use if isinstance(use, ScatterNdOp) and use.data is op.result else None


def _joined(
    blocks: Sequence[_Block], data: SSAValue, axis: int, new: Replacement
) -> Tensor:
    """Return the blocks joined along `axis`, with `data` in the gaps between them."""
    whole, before = new.tensor(data), (slice(None),) * axis
    parts: list[Tensor] = []
    place, extent = 0, shape_of(data)[axis]
    for block in blocks:
        if place < block.start:
            parts.append(whole[(*before, slice(place, block.start))])
        shape = list(whole.shape)
        shape[axis] = block.end - block.start
        parts.append(new.tensor(block.updates).reshape(*shape))
        place = block.end
    if place < extent:
        parts.append(whole[(*before, slice(place, extent))])
    return xp.concat(parts, axis)


def _starts_of(
    indices: SSAValue, grid: Sequence[int], constants: Constants
) -> list[int] | None:
    """Return the start of the block whose places `indices` lists in order."""
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

    Exporters write assignments to a part of a tensor, such as a mask, as scatters;
    loops that are written out have one for each row.

    Level: graph -> graph. Needs: fold-constants, for the places to be known.
    """

    name = "fold-scatters"
    patterns = (fold_scatter,)
