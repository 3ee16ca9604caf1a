"""Functions that join arrays, and take them apart."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from glow.dialects.graph import array_api as ops
from glow.support.types import normalize_axis
from glow.tracing.functions.movement import expand_dims, extents_of, moveaxis
from glow.tracing.operands import as_tracer, promoted
from glow.tracing.registry import FUNCTIONS, array_function
from glow.tracing.tracers import Tracer


@array_function("concatenate", "concat")
def concat(
    arrays: Sequence[Any],
    /,
    axis: int | None = 0,
    out: None = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Any:
    if isinstance(arrays, Tracer):
        arrays = list(arrays)
    parts = promoted(*arrays, dtype=dtype)
    if not parts:
        raise ValueError("expected at least one array, got none")
    if axis is None:
        return Tracer(ops.concat([part.reshape(part.size) for part in parts], 0))
    return Tracer(ops.concat(parts, axis))


@array_function()
def stack(arrays: Sequence[Any], axis: int = 0, out: None = None, **named: Any) -> Any:
    shapes = {np.shape(each) for each in arrays}
    if len(shapes) != 1:
        raise ValueError(f"expected arrays of one shape, got {sorted(shapes)}")
    at = normalize_axis(axis, len(shapes.pop()) + 1)
    return concat([expand_dims(each, at) for each in arrays], at, **named)


@array_function("vstack", "row_stack")
def vstack(arrays: Sequence[Any], **named: Any) -> Any:
    return concat([FUNCTIONS["atleast_2d"](each) for each in arrays], 0, **named)


@array_function()
def hstack(arrays: Sequence[Any], **named: Any) -> Any:
    parts = [FUNCTIONS["atleast_1d"](each) for each in arrays]
    return concat(parts, 0 if parts[0].ndim == 1 else 1, **named)


@array_function()
def dstack(arrays: Sequence[Any]) -> Any:
    return concat([FUNCTIONS["atleast_3d"](each) for each in arrays], 2)


@array_function()
def column_stack(arrays: Sequence[Any]) -> Any:
    parts = [x[:, None] if np.ndim(x) == 1 else x for x in map(as_tracer, arrays)]
    return concat(parts, 1)


@array_function()
def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    return concat([arr, values], axis)


def _parts(a: Any, sections: Any, axis: int, exact: bool) -> list[Any]:
    x = as_tracer(a)
    at = normalize_axis(axis, x.ndim)
    extent = x.shape[at]
    if isinstance(sections, int):
        if exact and extent % sections:
            raise ValueError(f"expected parts that divide {extent}, got {sections}")
        base, more = divmod(extent, sections)
        sizes = [base + (i < more) for i in range(sections)]
        bounds = [0, *np.cumsum(sizes).tolist()]
    else:
        bounds = [0, *extents_of(sections), extent]
    head = (slice(None),) * at
    return [x[(*head, slice(first, last))] for first, last in pairwise(bounds)]


@array_function()
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    return _parts(ary, indices_or_sections, axis, exact=True)


@array_function()
def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    return _parts(ary, indices_or_sections, axis, exact=False)


@array_function()
def unstack(x: Any, /, *, axis: int = 0) -> Any:
    moved = moveaxis(x, axis, 0)
    return tuple(moved[index] for index in range(moved.shape[0]))
