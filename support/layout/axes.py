"""Layouts of tensors whose axes run along those of others."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from glow.support.layout.physical import Dim, Layout, LayoutError, permuted


@lru_cache(4096)
def relabeled(layout: Layout, sources: tuple[int | None, ...]) -> Layout:
    """
    Return the layout of a tensor whose axis i runs along axis `sources[i]`.

    Axes along which nothing runs are left out; an axis that runs along none goes
    outermost. The order of the others stays.
    """
    axes = [axis for axis in sources if axis is not None]
    if len(set(axes)) != len(axes) or any(not 0 <= a < layout.rank for a in axes):
        raise LayoutError(
            f"expected distinct axes out of {layout.rank}, got {list(sources)}"
        )
    fresh = [Dim(axis) for axis, source in enumerate(sources) if source is None]
    kept = [
        replace(dim, axis=sources.index(dim.axis))
        for dim in layout.dims
        if dim.axis in axes
    ]
    halo = [(0, 0) if axis is None else layout.halo[axis] for axis in sources]
    return Layout(_unaligned_inside(fresh + kept), halo)


@lru_cache(4096)
def unblocked(layout: Layout) -> Layout:
    """Return the axes in the order of their finest digits: no blocks, no padding."""
    return permuted(sorted(range(layout.rank), key=lambda a: layout.digits(a)[-1]))


def _unaligned_inside(dims: list[Dim]) -> list[Dim]:
    """Drop the alignment of a dim that became the innermost."""
    return [*dims[:-1], replace(dims[-1], alignment=1)] if dims else dims
