"""Write gathers of regular indices as slices."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from glow.dialects.graph.indexing import GatherElementsOp, GatherNdOp, GatherOp
from glow.passes.constants import Constants
from glow.passes.graph._known_indices import (
    Strided,
    places_of_axes,
    places_of_axis,
    strided,
    take,
)
from glow.passes.patterns import Replacement, Results, RewritePass
from glow.support.arrays import Array
from glow.support.layout import row_major_strides
from glow.support.types import has_layout, normalize_axis, shape_of

Gather = GatherOp | GatherNdOp | GatherElementsOp


def fold_gather(op: Gather, new: Replacement) -> Results:
    """gather(x, a, a + s, a + 2 s, ...) -> slice(x), reshaped and expanded"""
    if any(map(has_layout, op.operands)):
        return None
    wanted = _wanted(op, new.constants)
    return wanted and take(new.tensor(op.data), wanted)


def _wanted(op: Gather, constants: Constants) -> Strided | None:
    """Return which elements of the data `op` gives, if they are regular."""
    shape, result = shape_of(op.data), shape_of(op.result)
    if 0 in result:
        return None
    distances, start, strides = row_major_strides(shape), 0, [0] * len(result)
    frame = _frame(op)
    for at, axis in frame.kept.items():
        strides[at] += distances[axis]
    for axis, places in zip(frame.picked, _places_of(op, constants), strict=False):
        line = None if places is None else _line(places, shape[axis])
        if line is None:
            return None
        start += distances[axis] * line.start
        for at, stride in enumerate(line.strides, frame.first):
            strides[at] += distances[axis] * stride
    return Strided(start, result, tuple(strides))


def _places_of(op: Gather, constants: Constants) -> Sequence[Array | None]:
    if isinstance(op, GatherNdOp):
        return places_of_axes(op.indices, constants)
    return (places_of_axis(op.indices, constants),)


@dataclass(frozen=True)
class _Frame:
    """
    The way in which a gather reads its data.

    `picked` are the axes of the data that indices pick from; the axes of the indices
    are those of the result from `first` on. Axis i of the result runs along axis
    kept[i] of the data.
    """

    picked: Sequence[int]
    first: int
    kept: dict[int, int]


def _frame(op: Gather) -> _Frame:
    rank, count = len(shape_of(op.data)), len(shape_of(op.indices))
    if isinstance(op, GatherNdOp):
        batch = op.batch_dims
        picked = range(batch, batch + shape_of(op.indices)[-1])
        rest = enumerate(range(picked.stop, rank), count - 1)
        return _Frame(picked, 0, {**dict(enumerate(range(batch))), **dict(rest)})
    axis = normalize_axis(op.axis, rank)
    if isinstance(op, GatherElementsOp):
        return _Frame((axis,), 0, {at: at for at in range(rank) if at != axis})
    rest = enumerate(range(axis + 1, rank), axis + count)
    return _Frame((axis,), axis, {**{at: at for at in range(axis)}, **dict(rest)})


def _line(places: Array, extent: int) -> Strided | None:
    """Return `places` along an axis, if they are regular and inside of it."""
    if (places < 0).any():
        places = np.where(places < 0, places + extent, places)
    if (places < 0).any() or (places >= extent).any():
        return None  # a fault of the run
    return strided(places)


class FoldGathersPass(RewritePass):
    """
    Replace gathers with known, evenly spaced indices by slices.

    Exporters write such gathers to take the first token or to expand a mask. A slice is
    a view of another buffer, and recognizers look through it.

    Level: graph -> graph. Needs: `fold-constants`, for the places to be known;
    `remove-identities` afterwards.
    """

    name = "fold-gathers"
    patterns = (fold_gather,)
