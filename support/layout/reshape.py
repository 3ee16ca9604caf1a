"""Layouts of tensors whose axes are those of others: picked, merged or split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod

from glow.support.arrays import Shape
from glow.support.layout.address import check_shape
from glow.support.layout.physical import (
    Dim,
    Halo,
    Layout,
    LayoutError,
    permuted,
    row_major,
)

NO_HALO: Halo = (0, 0)


@lru_cache(4096)
def relabeled(layout: Layout, sources: tuple[int | None, ...]) -> Layout:
    """
    Return the layout of a tensor whose axis i runs along axis `sources[i]`.

    Axes that are no source are left out; an axis without a source goes outermost.
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
    dims = fresh + kept
    if dims:  # the innermost dim has no alignment
        dims[-1] = replace(dims[-1], alignment=1)
    return Layout(dims, halo)


@lru_cache(4096)
def unblocked(layout: Layout) -> Layout:
    """Return the axes in the order of their finest digits: no blocks, no padding."""
    return permuted(sorted(range(layout.rank), key=lambda a: layout.digits(a)[-1]))


@lru_cache(4096)
def reshaped(layout: Layout, shape: Shape, new_shape: Shape) -> Layout | None:
    """
    Return the layout in which the reshaped tensor has the same bytes, if there is one.

    Elements keep their row-major order. There is none where the inner one of merged
    axes has padding, where a block straddles two new axes unless all are row-major, or
    for an aligned layout. New axes of one position go outermost. Dims that stay whole
    keep their extensions.
    """
    check_shape(layout, shape)
    if prod(shape) != prod(new_shape) or 0 in shape or layout.is_aligned:
        return None
    if any(_is_padded(layout, shape, axis) for axis in _units(shape)):
        return None
    places: dict[int, list[Dim]] = {}
    halo = [NO_HALO] * len(new_shape)
    for old, new in axis_runs(shape, new_shape):
        merged = _merge(layout, shape, old)
        axes = _outer_to_inner(new, new_shape)
        pieces = None if merged is None else _split(merged, axes)
        if merged is None or pieces is None:
            return row_major(len(new_shape)) if layout.is_row_major else None
        places |= pieces
        before, after = merged.halo
        halo[new[0]] = before // axes[0].step, after // axes[0].step
    units = [_unit(layout, axis, shape, new_shape) for axis in _units(new_shape)]
    dims = [dim for i in sorted(places) for dim in places[i]]
    return Layout(units + dims, halo)


def _units(shape: Shape) -> list[int]:
    return [axis for axis, extent in enumerate(shape) if extent == 1]


def _unit(layout: Layout, axis: int, shape: Shape, new_shape: Shape) -> Dim:
    """Return the dim of a new axis of one position; the same one if no axis differs."""
    if shape[: axis + 1] != new_shape[: axis + 1]:
        return Dim(axis)
    top = layout.dims[layout.digits(axis)[0]]
    return Dim(axis, extensions=top.extensions)


@dataclass(frozen=True)
class _Merged:
    """Axes merged into one: by the index of each dim, its digit of the merged axis."""

    digits: dict[int, Dim]
    halo: Halo


@dataclass(frozen=True)
class _SplitAxis:
    """A new axis: it counts positions of the merged one in steps of `step`."""

    axis: int
    extent: int
    step: int


def axis_runs(shape: Shape, new_shape: Shape) -> list[tuple[list[int], list[int]]]:
    """Pair the shortest runs of axes, but those of extent 1, of equal sizes, not 0."""
    old = [axis for axis, extent in enumerate(shape) if extent != 1]
    new = [axis for axis, extent in enumerate(new_shape) if extent != 1]
    groups: list[tuple[list[int], list[int]]] = []
    while old:
        left, right = [old.pop(0)], [new.pop(0)]
        while (have := prod(shape[a] for a in left)) != (
            want := prod(new_shape[a] for a in right)
        ):
            if have < want:
                left.append(old.pop(0))
            else:
                right.append(new.pop(0))
        groups.append((left, right))
    return groups


def _is_padded(layout: Layout, shape: Shape, axis: int) -> bool:
    """Whether the digits of `axis` have values that no position has."""
    top = layout.dims[layout.digits(axis)[0]]
    return layout.halo[axis] != NO_HALO or shape[axis] % top.stride != 0


def _merge(layout: Layout, shape: Shape, axes: Sequence[int]) -> _Merged | None:
    """Return `axes` as one, with digits of what remains where they are outermost."""
    if any(_is_padded(layout, shape, axis) for axis in axes[1:]):
        return None
    digits: dict[int, Dim] = {}
    for k, axis in enumerate(axes):
        inner = prod(shape[a] for a in axes[k + 1 :])
        for i in layout.digits(axis):
            dim = layout.dims[i]
            extent = dim.extent
            if extent is None and k > 0:
                extent = shape[axis] // dim.stride
            digits[i] = Dim(0, extent, dim.stride * inner, 1, dim.extensions)
    before, after = layout.halo[axes[0]]
    inner = prod(shape[a] for a in axes[1:])
    return _Merged(digits, (before * inner, after * inner))


def _outer_to_inner(axes: Sequence[int], new_shape: Shape) -> list[_SplitAxis]:
    extents = [new_shape[axis] for axis in axes]
    return [
        _SplitAxis(axis, extent, prod(extents[k + 1 :]))
        for k, (axis, extent) in enumerate(zip(axes, extents, strict=True))
    ]


def _split(merged: _Merged, axes: Sequence[_SplitAxis]) -> dict[int, list[Dim]] | None:
    """Return the dims over `axes` that each digit of the merged axis becomes."""
    if any(pad % axes[0].step for pad in merged.halo):
        return None
    parts: dict[int, list[Dim]] = {}
    for i, digit in merged.digits.items():
        parts[i] = []
        for axis in axes:
            pieces = _pieces(digit, axis, axis is axes[0])
            if pieces is None:
                return None
            parts[i] += pieces
        parts[i] = _with_extensions(parts[i], digit)
    return parts


def _with_extensions(pieces: list[Dim], digit: Dim) -> list[Dim]:
    """Return `pieces` with the extensions of `digit`, if it stays whole."""
    extensions = digit.extensions if len(pieces) == 1 else ()
    return [
        replace(piece, extensions=() if piece.extent == 1 else extensions)
        for piece in pieces
    ]


def _pieces(digit: Dim, axis: _SplitAxis, is_outermost: bool) -> list[Dim] | None:
    """Return the part of `digit` in `axis`, if it has one; None if that is cut."""
    end = None if is_outermost else axis.step * axis.extent
    digit_end = None if digit.extent is None else digit.stride * digit.extent
    low = max(digit.stride, axis.step)
    if (end is not None and low >= end) or (digit_end is not None and low >= digit_end):
        return []
    ends = [e for e in (end, digit_end) if e is not None]
    high = min(ends, default=None)
    if low % digit.stride or low % axis.step:
        return None
    if any(high is not None and e % high for e in ends):
        return None
    if high == end:
        return [replace(digit, axis=axis.axis, extent=None, stride=low // axis.step)]
    assert high is not None
    if high % low:
        return None
    return [Dim(axis.axis, high // low, low // axis.step)]
