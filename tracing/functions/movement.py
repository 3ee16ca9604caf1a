"""Functions that move, join and repeat elements."""

from __future__ import annotations

from math import prod
from operator import index
from typing import Any

import numpy as np

from glow.dialects.graph import array_api as ops
from glow.dialects.graph.slicing import PadOp, TriluOp
from glow.dialects.graph.tensors import emit
from glow.support.types import normalize_axes, normalize_axis
from glow.tracing.operands import (
    as_tracer,
    known_array,
    tensor_of,
)
from glow.tracing.registry import FUNCTIONS, array_function
from glow.tracing.tracers import Tracer


def extents_of(shape: Any) -> tuple[int, ...]:
    """Return a shape, which may be one number, as integers of Python."""
    if np.ndim(shape) == 0:
        return (index(shape),)
    return tuple(index(each) for each in shape)


@array_function()
def reshape(
    a: Any, /, shape: Any = None, order: str = "C", *, copy: bool | None = None
) -> Any:
    if order not in ("C", "A"):
        raise ValueError(f'expected order "C", got {order!r}')
    x, extents = tensor_of(a), extents_of(shape)
    known = prod(extent for extent in extents if extent != -1)
    fits = known == x.size if -1 not in extents else known and not x.size % known
    if extents.count(-1) > 1 or not fits:
        raise ValueError(f"expected a shape of {x.size} elements, got {list(extents)}")
    return Tracer(x.reshape(*extents))


@array_function()
def ravel(a: Any, order: str = "C") -> Any:
    return reshape(a, (-1,), order) if np.size(a) else reshape(a, (0,), order)


@array_function("transpose", "permute_dims")
def transpose(a: Any, axes: Any = None) -> Any:
    x = tensor_of(a)
    order = range(x.ndim)[::-1] if axes is None else extents_of(axes)
    return Tracer(x.transpose(*(normalize_axis(axis, x.ndim) for axis in order)))


@array_function("matrix_transpose", "linalg.matrix_transpose")
def matrix_transpose(x: Any, /) -> Any:
    if np.ndim(x) < 2:
        raise ValueError(f"expected at least 2 axes, got {np.ndim(x)}")
    return Tracer(ops.matrix_transpose(tensor_of(x)))


@array_function()
def swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    x = tensor_of(a)
    order = list(range(x.ndim))
    one, other = normalize_axis(axis1, x.ndim), normalize_axis(axis2, x.ndim)
    order[one], order[other] = order[other], order[one]
    return Tracer(x.transpose(*order))


@array_function()
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    x = tensor_of(a)
    froms = [normalize_axis(axis, x.ndim) for axis in extents_of(source)]
    tos = [normalize_axis(axis, x.ndim) for axis in extents_of(destination)]
    if len(set(froms)) != len(tos) or len(set(tos)) != len(froms):
        raise ValueError(f"expected as many distinct axes, got {froms} and {tos}")
    order = [axis for axis in range(x.ndim) if axis not in froms]
    for to, axis in sorted(zip(tos, froms, strict=True)):
        order.insert(to, axis)
    return Tracer(x.transpose(*order))


@array_function()
def squeeze(a: Any, /, axis: Any = None) -> Any:
    x = tensor_of(a)
    ones = [at for at, extent in enumerate(x.shape) if extent == 1]
    axes = ones if axis is None else normalize_axes(extents_of(axis), x.ndim)
    if wrong := [at for at in axes if at not in ones]:
        raise ValueError(f"expected axes of extent 1, got {wrong} of {list(x.shape)}")
    return Tracer(ops.squeeze(x, axes))


@array_function()
def expand_dims(a: Any, /, axis: Any = 0) -> Any:
    x = tensor_of(a)
    axes = extents_of(axis)
    added = set(normalize_axes(axes, x.ndim + len(axes)))
    own = iter(x.shape)
    extents = [1 if at in added else next(own) for at in range(x.ndim + len(axes))]
    return Tracer(x.reshape(*extents))


def _at_least(rank: int, where: str) -> Any:
    def function(*arrays: Any) -> Any:
        made = [_with_rank(as_tracer(each), rank, where) for each in arrays]
        return made[0] if len(made) == 1 else tuple(made)

    return function


def _with_rank(x: Any, rank: int, where: str) -> Any:
    if rank == 3 and x.ndim < 3:
        index = {0: (None, None, None), 1: (None, ..., None), 2: (..., None)}[x.ndim]
        return x[index]
    return x.reshape((1,) * (rank - x.ndim) + x.shape) if x.ndim < rank else x


for _rank in (1, 2, 3):
    array_function(f"atleast_{_rank}d")(_at_least(_rank, "front"))


@array_function()
def flip(m: Any, /, axis: Any = None) -> Any:
    x = as_tracer(m)
    axes = range(x.ndim) if axis is None else normalize_axes(extents_of(axis), x.ndim)
    return x[tuple(slice(None, None, -1 if at in axes else 1) for at in range(x.ndim))]


@array_function()
def fliplr(m: Any) -> Any:
    return flip(m, axis=1)


@array_function()
def flipud(m: Any) -> Any:
    return flip(m, axis=0)


@array_function()
def roll(a: Any, /, shift: Any, axis: Any = None) -> Any:
    x = as_tracer(a)
    if axis is None:
        return reshape(roll(ravel(x), shift, 0), x.shape)
    axes = extents_of(axis)
    shifts = extents_of(shift)
    shifts = shifts * len(axes) if len(shifts) == 1 else shifts
    for along, by in zip(axes, shifts, strict=True):
        at = normalize_axis(along, x.ndim)
        if not x.shape[at] or not by % x.shape[at]:
            continue
        head, cut = (slice(None),) * at, x.shape[at] - by % x.shape[at]
        x = FUNCTIONS["concat"](
            [x[(*head, slice(cut, None))], x[(*head, slice(0, cut))]], at
        )
    return x


@array_function()
def rot90(m: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Any:
    x = as_tracer(m)
    if k % 4 == 0:
        return x
    if k % 4 == 2:
        return flip(x, axes)
    turned = swapaxes(flip(x, axes[1]) if k % 4 == 1 else x, *axes)
    return turned if k % 4 == 1 else flip(turned, axes[1])


@array_function()
def tile(A: Any, /, reps: Any) -> Any:
    x, counts = tensor_of(A), extents_of(reps)
    x = x.reshape(*(1,) * (len(counts) - x.ndim), *x.shape)
    return Tracer(ops.tile(x, (1,) * (x.ndim - len(counts)) + counts))


@array_function()
def repeat(a: Any, repeats: Any, /, axis: int | None = None) -> Any:
    x = as_tracer(a) if axis is not None else ravel(a)
    at = normalize_axis(axis or 0, x.ndim)
    counts = known_array(repeats)
    if counts is None:
        raise TypeError("expected counts that are known, got a traced array")
    places = np.repeat(np.arange(x.shape[at]), counts)
    return FUNCTIONS["take"](x, places, axis=at)


@array_function()
def broadcast_to(array: Any, /, shape: Any, subok: bool = False) -> Any:
    return Tracer(ops.broadcast_to(tensor_of(array), extents_of(shape)))


@array_function()
def broadcast_arrays(*args: Any, subok: bool = False) -> Any:
    shape = np.broadcast_shapes(*(np.shape(each) for each in args))
    return tuple(broadcast_to(each, shape) for each in args)


@array_function()
def pad(array: Any, pad_width: Any, mode: str = "constant", **named: Any) -> Any:
    """Pad as NumPy does, in the modes that the compiler has."""
    x = tensor_of(array)
    if mode not in ("constant", "reflect", "edge", "wrap"):
        raise ValueError(
            f'expected mode "constant", "reflect", "edge" or "wrap", got {mode!r}'
        )
    number = named.pop("constant_values", 0)
    if named or np.ndim(number):
        raise TypeError("expected one number as constant_values and no other options")
    sides = np.broadcast_to(pad_width, (x.ndim, 2))
    pads = tuple(int(each) for each in sides.T.reshape(-1))
    if min(pads, default=0) < 0:
        raise ValueError(f"expected widths of at least 0, got {min(pads)}")
    value = tensor_of(number, x.dtype) if mode == "constant" else None
    return Tracer(emit(PadOp, x, value, pads=pads, mode=mode))


def _triangle(x: Any, k: int, upper: bool) -> Any:
    made = tensor_of(x)
    return Tracer(emit(TriluOp, made, made.writer.tensor(np.array(k)), upper=upper))


@array_function()
def tril(m: Any, /, k: int = 0) -> Any:
    return _triangle(m, k, upper=False)


@array_function()
def triu(m: Any, /, k: int = 0) -> Any:
    return _triangle(m, k, upper=True)


@array_function()
def meshgrid(*xi: Any, indexing: str = "xy", **named: Any) -> Any:
    if indexing not in ("xy", "ij"):
        raise ValueError(f'expected indexing "xy" or "ij", got {indexing!r}')
    lines = [ravel(each) for each in xi]
    rank = len(lines)
    places = list(range(rank))
    if indexing == "xy" and rank > 1:
        places[:2] = 1, 0
    shape = [0] * rank
    for line, place in zip(lines, places, strict=True):
        shape[place] = line.shape[0]
    grids: list[Any] = []
    for line, place in zip(lines, places, strict=True):
        extents = [1] * rank
        extents[place] = line.shape[0]
        grids.append(broadcast_to(reshape(line, extents), shape))
    return tuple(grids)


@array_function()
def astype(
    x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None, **named: Any
) -> Any:
    if np.dtype(dtype).kind == "c":
        raise TypeError(f"expected a type of real numbers, got {np.dtype(dtype)}")
    return Tracer(tensor_of(x, dtype))
