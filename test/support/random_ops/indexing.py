"""Random calls of ops that read or write where integers say."""

from __future__ import annotations

import numpy as np

from glow.dialects.graph import indexing, scattering
from random_ops.call import ALL, INDICES, NUMBERS, Array, Call, Source


def _places(s: Source, shape: tuple[int, ...], extent: int) -> Array:
    """Return indices of `extent` positions; none where there are none."""
    shape = shape if extent else (0,) * len(shape)
    found = s.rng.integers(-extent, max(extent, 1), shape)
    return np.asarray(found, s.choose(INDICES))


def _tuples(
    s: Source, batch: tuple[int, ...], extents: tuple[int, ...]
) -> tuple[Array, int]:
    """Return tuples for some of the first `extents`, and of how many indices."""
    count = s.integer(1, len(extents))
    shape = (*batch, *s.shape(0, 2))
    if 0 in extents[:count]:
        shape = (*batch, 0)
    parts = [s.rng.integers(-n, max(n, 1), shape) for n in extents[:count]]
    return np.stack(parts, -1).astype(s.choose(INDICES)), count


def _cut(s: Source, shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    """Return extents that are not longer, but along `axis`."""
    found = [s.integer(0, n) if s.flip(0.3) else n for n in shape]
    found[axis] = s.integer(0, 9)
    return tuple(found)


def _gather_elements(s: Source) -> Call:
    x = s.array(s.shape(1, 4), s.choose(ALL))
    axis = s.integer(0, x.ndim - 1)
    indices = _places(s, _cut(s, x.shape, axis), x.shape[axis])
    parameters = {"axis": axis - x.ndim * s.flip()}
    return Call(indexing.GatherElementsOp, (x, indices), parameters)


def _gather_nd(s: Source) -> Call:
    x = s.array(s.shape(1, 4), s.choose(ALL))
    batch = s.integer(0, min(2, x.ndim - 1))
    indices, _ = _tuples(s, x.shape[:batch], x.shape[batch:])
    return Call(indexing.GatherNdOp, (x, indices), {"batch_dims": batch})


def _reduction(s: Source) -> str:
    return s.choose(scattering.ScatterNdOp.declared()["reduction"].words)


def _scatter_elements(s: Source) -> Call:
    reduction = _reduction(s)
    x = s.finite(s.shape(1, 4), s.choose(ALL if reduction == "none" else NUMBERS))
    axis = s.integer(0, x.ndim - 1)
    indices = _places(s, _cut(s, x.shape, axis), x.shape[axis])
    updates = s.finite(indices.shape, x.dtype)
    parameters = {"axis": axis - x.ndim * s.flip(), "reduction": reduction}
    return Call(scattering.ScatterElementsOp, (x, indices, updates), parameters)


def _scatter_nd(s: Source) -> Call:
    reduction = _reduction(s)
    x = s.finite(s.shape(1, 4), s.choose(ALL if reduction == "none" else NUMBERS))
    indices, count = _tuples(s, (), x.shape)
    updates = s.finite((*indices.shape[:-1], *x.shape[count:]), x.dtype)
    slots = (x, indices, updates)
    return Call(scattering.ScatterNdOp, slots, {"reduction": reduction})


def _tensor_scatter(s: Source) -> Call:
    x = s.array(s.shape(2, 4), s.choose(ALL))
    axis, mode = (
        s.integer(1, x.ndim - 1),
        s.choose(scattering.TensorScatterOp.declared()["mode"].words),
    )
    shape = list(x.shape)
    shape[axis] = s.integer(0, shape[axis])
    updates = s.array(shape, x.dtype)
    room = x.shape[axis] - shape[axis]
    low, high = (0, room) if mode == "linear" else (-99, 99)
    starts = np.asarray(s.rng.integers(low, high + 1, x.shape[0]), s.choose(INDICES))
    slots = (x, updates, starts if s.flip(0.8) else None)
    parameters = {"axis": axis - x.ndim * s.flip(), "mode": mode}
    return Call(scattering.TensorScatterOp, slots, parameters)


def _one_hot(s: Source) -> Call:
    depth, dtype = s.integer(1, 40), s.choose(INDICES)
    shape = s.shape(0, 2)
    near = s.rng.integers(-depth - 2, depth + 2, shape)
    indices = np.asarray(near, dtype) if s.flip(0.8) else s.array(shape, dtype, 1)
    axis = s.integer(-len(shape) - 1, len(shape))
    values = s.array((2,), s.choose(ALL))
    parameters = {"depth": depth, "axis": axis}
    return Call(indexing.OneHotOp, (indices, values), parameters)


GENERATORS = {
    "graph.gather_elements": _gather_elements,
    "graph.gather_nd": _gather_nd,
    "graph.one_hot": _one_hot,
    "graph.scatter_elements": _scatter_elements,
    "graph.scatter_nd": _scatter_nd,
    "graph.tensor_scatter": _tensor_scatter,
}
