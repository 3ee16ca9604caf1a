"""Operators that read and write at places that arrays name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from glow.dialects.graph.indexing import GatherElementsOp
from glow.dialects.graph.scattering import ScatterElementsOp, ScatterNdOp
from glow.formats.pytorch.promotion import cast
from glow.formats.pytorch.registry import aten, emit
from glow.support.errors import UnsupportedModelError
from glow.tracing import namespace as xp
from glow.tracing import nn


@aten("index.Tensor", "_unsafe_index.Tensor")
def index(x: Any, indices: Sequence[Any]) -> Any:
    for each in indices:
        if each is not None and each.dtype.kind == "b":
            raise UnsupportedModelError(
                "expected a result whose shape is known, got one that a mask decides"
            )
    return x[tuple(slice(None) if each is None else each for each in indices)]


@aten("index_select")
def index_select(x: Any, dim: int, indices: Any) -> Any:
    return xp.take(x, indices, axis=dim)


@aten("gather")
def gather(x: Any, dim: int, indices: Any, *, sparse_grad: bool = False) -> Any:
    if not x.ndim:
        return x
    inside = [
        slice(None) if axis == dim % x.ndim else slice(extent)
        for axis, extent in enumerate(indices.shape)
    ]
    return emit(GatherElementsOp, x[tuple(inside)], indices, axis=dim % x.ndim)


@aten("embedding")
def embedding(
    table: Any,
    indices: Any,
    padding_idx: int = -1,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Any:
    return nn.embedding(table, indices)


def _scattered(x: Any, dim: int, indices: Any, source: Any, how: str) -> Any:
    source = cast(source, x.dtype)
    if not source.ndim:
        source = xp.broadcast_to(source, indices.shape)
    if not x.ndim:
        x, indices = xp.reshape(x, (1,)), xp.reshape(indices, (1,))
        return xp.reshape(_scattered(x, 0, indices, xp.reshape(source, (1,)), how), ())
    source = source[tuple(slice(extent) for extent in indices.shape)]
    axis = dim % x.ndim
    return emit(ScatterElementsOp, x, indices, source, axis=axis, reduction=how)


@aten("scatter.src", "scatter.value")
def scatter(x: Any, dim: int, indices: Any, source: Any) -> Any:
    return _scattered(x, dim, indices, source, "none")


@aten("scatter_add")
def scatter_add(x: Any, dim: int, indices: Any, source: Any) -> Any:
    return _scattered(x, dim, indices, source, "add")


_REDUCTIONS = {"sum": "add", "prod": "mul", "amax": "max", "amin": "min"}


@aten("scatter_reduce.two")
def scatter_reduce(
    x: Any,
    dim: int,
    indices: Any,
    source: Any,
    reduce: str,
    *,
    include_self: bool = True,
) -> Any:
    if reduce not in _REDUCTIONS or not include_self:
        raise UnsupportedModelError(
            f"expected a reduction of {', '.join(_REDUCTIONS)} that includes what is "
            f"there, got {reduce} with include_self={include_self}"
        )
    return _scattered(x, dim, indices, source, _REDUCTIONS[reduce])


@aten("index_add")
def index_add(x: Any, dim: int, indices: Any, source: Any, *, alpha: Any = 1) -> Any:
    places: list[Any] = [None] * (dim % x.ndim) + [indices]
    return index_put(x, places, source if alpha == 1 else source * alpha, True)


@aten("index_put", "_unsafe_index_put")
def index_put(
    x: Any, indices: Sequence[Any], values: Any, accumulate: bool = False
) -> Any:
    """Return x with values at places, or where a mask is true."""
    values = cast(values, x.dtype)
    first = next(each for each in indices if each is not None)
    if first.dtype.kind == "b":
        return _put_where(x, indices, values, accumulate)
    axes = [axis for axis, each in enumerate(indices) if each is not None]
    others = [axis for axis in range(x.ndim) if axis not in axes]
    given = [each for each in indices if each is not None]
    shape = np.broadcast_shapes(*(each.shape for each in given))
    columns = [
        cast(xp.expand_dims(xp.broadcast_to(each, shape), axis=-1), np.int64)
        for each in given
    ]
    together = axes == list(range(axes[0], axes[-1] + 1))
    if together and axes[0]:  # then axes of the indices stand where they index
        before = others[: axes[0]]
        target = [x.shape[a] for a in before] + [*shape]
        target += [x.shape[a] for a in others[axes[0] :]]
        values = xp.broadcast_to(values, tuple(target))
        order = range(len(before), len(before) + len(shape))
        rest = range(len(before) + len(shape), values.ndim)
        values = xp.transpose(values, (*order, *range(len(before)), *rest))
    front = xp.transpose(x, (*axes, *others))
    values = xp.broadcast_to(values, (*shape, *front.shape[len(axes) :]))
    how = "add" if accumulate else "none"
    places = xp.concat(columns, axis=-1)
    made = emit(ScatterNdOp, front, places, values, reduction=how)
    back = np.argsort([*axes, *others]).tolist()
    return xp.transpose(made, tuple(back))


def _put_where(x: Any, indices: Sequence[Any], values: Any, accumulate: bool) -> Any:
    if len(indices) > 1 or values.size > 1:
        raise UnsupportedModelError(
            "expected one mask and one value to put where it is true, got "
            f"{len(indices)} indices and values of shape {list(values.shape)}"
        )
    mask = indices[0]
    mask = xp.reshape(mask, (*mask.shape, *(1,) * (x.ndim - mask.ndim)))
    value = xp.reshape(values, ())
    return xp.where(mask, x + value if accumulate else value, x)
