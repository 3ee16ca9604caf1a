"""Operators that move elements: views, parts, joins, repetitions, padding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from glow.dialects.graph.movement import DepthToSpaceOp
from glow.formats.pytorch.promotion import cast, result_type
from glow.formats.pytorch.registry import aten, emit
from glow.support.arrays import Array
from glow.support.errors import UnsupportedModelError
from glow.tracing import namespace as xp


@aten("view", "reshape", "_unsafe_view", "_reshape_copy", "view_copy")
def view(x: Any, shape: Sequence[int]) -> Any:
    return xp.reshape(x, tuple(shape))


@aten("view.dtype")
def view_as_type(x: Any, dtype: Any) -> Any:
    if np.dtype(dtype) == x.dtype:
        return x
    raise UnsupportedModelError(f"a view of {x.dtype} as {np.dtype(dtype)}")


@aten("flatten.using_ints")
def flatten(x: Any, start: int = 0, end: int = -1) -> Any:
    start, end = start % max(x.ndim, 1), end % max(x.ndim, 1)
    return xp.reshape(x, (*x.shape[:start], -1, *x.shape[end + 1 :]))


@aten("expand", "expand_copy")
def expand(x: Any, shape: Sequence[int], *, implicit: bool = False) -> Any:
    own = (1,) * (len(shape) - x.ndim) + x.shape
    extents = [old if new == -1 else new for old, new in zip(own, shape, strict=True)]
    return xp.broadcast_to(x, tuple(extents))


@aten("permute", "permute_copy")
def permute(x: Any, dims: Sequence[int]) -> Any:
    return xp.transpose(x, tuple(dims)) if x.ndim else x


@aten("transpose.int", "transpose_copy.int")
def transpose(x: Any, one: int, other: int) -> Any:
    return xp.swapaxes(x, one, other) if x.ndim else x


@aten("as_strided", "as_strided_copy")
def as_strided(
    x: Any,
    size: Sequence[int],
    stride: Sequence[int],
    storage_offset: int | None = None,
    *,
    memory: Sequence[int] | None,
) -> Any:
    """
    Return the elements of the memory of `x` that strides reach from an offset on.

    `memory` is the strides of `x` itself, None unless it fills its memory.
    """
    order = None if memory is None else order_in_memory(x.shape, memory)
    if order is None:
        raise UnsupportedModelError("as_strided of a tensor that has gaps in memory")
    flat = xp.reshape(xp.transpose(x, order) if x.ndim else x, (-1,))
    start = storage_offset or 0
    wanted = order_in_memory(size, stride)
    if wanted is not None and not start and math.prod(size) == x.size:
        made = xp.reshape(flat, tuple(size[axis] for axis in wanted))
        return xp.transpose(made, tuple(np.argsort(wanted).tolist())) if size else made
    places = np.full(tuple(size), start, np.int64)
    for axis, step in enumerate(stride):
        own = [-1 if other == axis else 1 for other in range(len(size))]
        places += (np.arange(size[axis]) * step).reshape(own)
    return xp.reshape(xp.take(flat, places.reshape(-1)), tuple(size))


def order_in_memory(
    shape: Sequence[int], strides: Sequence[int]
) -> tuple[int, ...] | None:
    """Return the axes from the slowest to the fastest; None where there are gaps."""
    moving = [axis for axis, extent in enumerate(shape) if extent > 1]
    moving.sort(key=lambda axis: -strides[axis])
    step = 1
    for axis in reversed(moving):
        if strides[axis] != step:
            return None
        step *= shape[axis]
    return (*(axis for axis, extent in enumerate(shape) if extent <= 1), *moving)


@aten("t")
def matrix_transpose(x: Any) -> Any:
    return xp.transpose(x)


@aten("squeeze")
def squeeze(x: Any) -> Any:
    return xp.squeeze(x)


@aten("squeeze.dim", "squeeze.dims", "squeeze_copy.dims")
def squeeze_dims(x: Any, dims: int | Sequence[int]) -> Any:
    given = [dims] if isinstance(dims, int) else dims
    axes = tuple({each % x.ndim for each in given if x.ndim})
    return xp.squeeze(x, axis=tuple(axis for axis in axes if x.shape[axis] == 1))


@aten("unsqueeze", "unsqueeze_copy")
def unsqueeze(x: Any, dim: int) -> Any:
    return xp.expand_dims(x, axis=dim)


@aten("cat", "concat")
def cat(tensors: Sequence[Any], dim: int = 0) -> Any:
    dtype = result_type(*tensors)
    parts = [cast(x, dtype) for x in tensors if x.shape != (0,)]  # as torch skips
    return xp.concat(parts, axis=dim) if parts else tensors[0]


@aten("stack")
def stack(tensors: Sequence[Any], dim: int = 0) -> Any:
    return cat([xp.expand_dims(x, axis=dim) for x in tensors], dim)


@aten("split_with_sizes", "split_with_sizes_copy")
def split_with_sizes(x: Any, sizes: Sequence[int], dim: int = 0) -> tuple[Any, ...]:
    return tuple(xp.split(x, np.cumsum(sizes)[:-1].tolist(), axis=dim))


@aten("split.Tensor", "split_copy.Tensor")
def split(x: Any, size: int, dim: int = 0) -> tuple[Any, ...]:
    extent = x.shape[dim]
    sizes = [min(size, extent - start) for start in range(0, extent, size or 1)]
    return split_with_sizes(x, sizes or [0], dim)


@aten("chunk")
def chunk(x: Any, chunks: int, dim: int = 0) -> tuple[Any, ...]:
    return split(x, -(-x.shape[dim] // chunks), dim)


@aten("unbind.int")
def unbind(x: Any, dim: int = 0) -> tuple[Any, ...]:
    return tuple(select(x, dim, index) for index in range(x.shape[dim]))


def _at(x: Any, dim: int, key: Any) -> tuple[Any, ...]:
    return (*(slice(None),) * (dim % x.ndim), key)


@aten("slice.Tensor", "slice_copy.Tensor")
def slice_(
    x: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1
) -> Any:
    return x[_at(x, dim, slice(start, end, step))]


@aten("select.int", "select_copy.int")
def select(x: Any, dim: int, index: int) -> Any:
    return x[_at(x, dim, index)]


@aten("narrow")
def narrow(x: Any, dim: int, start: int, length: int) -> Any:
    return slice_(x, dim, start, start + length)


@aten("slice_scatter")
def slice_scatter(
    x: Any,
    source: Any,
    dim: int = 0,
    start: Any = None,
    end: Any = None,
    step: int = 1,
) -> Any:
    """Return x with another array in place of a part."""
    extent = x.shape[dim]
    places = range(*slice(start, end, step).indices(extent))
    source = xp.broadcast_to(
        cast(source, x.dtype), _resized(x.shape, dim % x.ndim, len(places))
    )
    if not places:
        return x
    if step == 1:
        parts = [slice_(x, dim, 0, places.start), source, slice_(x, dim, places.stop)]
        return xp.concat([p for p in parts if p.shape[dim]], axis=dim)
    order: list[int] = []
    taken = {place: number for number, place in enumerate(places)}
    for place in range(extent):
        order.append(extent + taken[place] if place in taken else place)
    both = xp.concat([x, source], axis=dim)
    return xp.take(both, np.array(order), axis=dim)


def _resized(shape: Sequence[int], axis: int, extent: int) -> tuple[int, ...]:
    return (*shape[:axis], extent, *shape[axis + 1 :])


@aten("select_scatter")
def select_scatter(x: Any, source: Any, dim: int, index: int) -> Any:
    index %= x.shape[dim]
    return slice_scatter(
        x, xp.expand_dims(source, axis=dim % x.ndim), dim, index, index + 1
    )


@aten("flip")
def flip(x: Any, dims: Sequence[int]) -> Any:
    return xp.flip(x, axis=tuple(dims)) if x.ndim else x


@aten("roll")
def roll(x: Any, shifts: Sequence[int], dims: Sequence[int] = ()) -> Any:
    if not dims:
        return xp.roll(x, shifts[0] if isinstance(shifts, list | tuple) else shifts)
    return xp.roll(x, tuple(shifts), axis=tuple(dims))


@aten("repeat")
def repeat(x: Any, repeats: Sequence[int]) -> Any:
    return xp.tile(x, tuple(repeats))


@aten("repeat_interleave.self_int")
def repeat_interleave(
    x: Any, repeats: int, dim: int | None = None, **named: Any
) -> Any:
    return xp.repeat(x, repeats, axis=dim)


def _pad_widths(x: Any, pad: Sequence[int]) -> list[tuple[int, int]]:
    """Return the widths for each axis; torch names them from the last one on."""
    pairs = [(pad[at], pad[at + 1]) for at in range(0, len(pad), 2)]
    return [(0, 0)] * (x.ndim - len(pairs)) + pairs[::-1]


@aten("constant_pad_nd")
def constant_pad(x: Any, pad: Sequence[int], value: float = 0) -> Any:
    widths = _pad_widths(x, pad)
    for axis, (before, after) in enumerate(widths):  # less than nothing is a part
        x = slice_(x, axis, max(-before, 0), x.shape[axis] - max(-after, 0))
    widths = [(max(before, 0), max(after, 0)) for before, after in widths]
    return xp.pad(x, widths, constant_values=value) if any(map(any, widths)) else x


@aten("reflection_pad1d", "reflection_pad2d", "reflection_pad3d")
def reflection_pad(x: Any, pad: Sequence[int]) -> Any:
    return xp.pad(x, _pad_widths(x, pad), mode="reflect")


@aten("replication_pad1d", "replication_pad2d", "replication_pad3d")
def replication_pad(x: Any, pad: Sequence[int]) -> Any:
    return xp.pad(x, _pad_widths(x, pad), mode="edge")


@aten("tril")
def tril(x: Any, diagonal: int = 0) -> Any:
    return xp.tril(x, k=diagonal)


@aten("triu")
def triu(x: Any, diagonal: int = 0) -> Any:
    return xp.triu(x, k=diagonal)


@aten("diagonal", "diagonal_copy")
def diagonal(x: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    return xp.diagonal(x, offset, dim1, dim2)


@aten("pixel_shuffle")
def pixel_shuffle(x: Any, factor: int) -> Any:
    return emit(DepthToSpaceOp, x, block_size=factor, mode="CRD")


@aten("unfold", "unfold_copy")
def unfold(x: Any, dim: int, size: int, step: int) -> Any:
    """Return windows along an axis, whose elements are a new last axis."""
    axis = dim % x.ndim
    count = (x.shape[axis] - size) // step + 1
    first: Array = np.arange(count, dtype=np.int64).reshape(-1, 1)
    places = first * step + np.arange(size)
    return xp.moveaxis(xp.take(x, places, axis=axis), axis + 1, -1)
