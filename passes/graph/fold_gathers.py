"""Write gathers of regular indices as slices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
)

from glow.dialects.graph.base import Array
from glow.dialects.graph.indexing import GatherElementsOp, GatherNdOp, GatherOp
from glow.passes.constants import Constants
from glow.passes.graph._known_indices import Places
from glow.passes.graph._regular_indices import Strided, strided, strides_of, take
from glow.passes.replacement import Replacement
from glow.support.rewriting import op_type_rewrite_pattern, rewrite
from glow.support.types import has_layout, normalize_axis, shape_of

Gather = GatherOp | GatherNdOp | GatherElementsOp


@dataclass
class FoldGather(RewritePattern):
    """gather(x, a, a + s, a + 2 s, ...) -> slice(x), reshaped and expanded"""

    places: Places

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: Gather, rewriter: PatternRewriter, /) -> None:
        if any(map(has_layout, (*op.operands, *op.results))):
            return
        wanted = self.wanted(op)
        if wanted is None:
            return
        new = Replacement(op, rewriter)
        part = take(new.tensor(op.data), wanted)
        if part is not None:
            new.finish(part)

    def wanted(self, op: Gather) -> Strided | None:
        """Return which elements of the data `op` gives, if they are regular."""
        shape, result = shape_of(op.data), shape_of(op.result)
        if 0 in result:
            return None
        distances, start, strides = strides_of(shape), 0, [0] * len(result)
        frame = _frame(op)
        for at, axis in frame.kept.items():
            strides[at] += distances[axis]
        for axis, places in zip(frame.picked, self.places_of(op), strict=False):
            line = None if places is None else _line(places, shape[axis])
            if line is None:
                return None
            start += distances[axis] * line.start
            for at, stride in enumerate(line.strides, frame.first):
                strides[at] += distances[axis] * stride
        return Strided(start, result, tuple(strides))

    def places_of(self, op: Gather) -> Sequence[Array | None]:
        if isinstance(op, GatherNdOp):
            return self.places.of_axes(op.indices)
        return (self.places.of_axis(op.indices),)


@dataclass(frozen=True)
class _Frame:
    """
    How a gather reads its data.

    `picked` are axes of the data that indices are for, whose own axes are those of the
    result from `first` on. Along axis i of the result, axis kept[i] of the data runs.
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
    """Return where `places` are along an axis, if that is regular and inside."""
    if (places < 0).any():
        places = np.where(places < 0, places + extent, places)
    if (places < 0).any() or (places >= extent).any():
        return None  # the run tells
    return strided(places)


@dataclass(frozen=True)
class FoldGathersPass(ModulePass):
    """
    Write gathers whose places are known and at regular distances as slices.

    So exporters write what takes the first token, or a mask for all pairs of tokens.
    A slice is a part of another buffer, and what is recognized by its form is seen
    behind it.

    Level: graph -> graph. Needs: `fold-constants`, for the places to be known;
    `remove-identities` afterwards.
    """

    name = "fold-gathers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, FoldGather(Places(Constants(op))))
