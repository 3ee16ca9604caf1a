"""Indices of all kinds whose result has a known size, and functions that search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from glow.dialects.graph import array_api as ops
from glow.dialects.graph.indexing import GatherElementsOp, GatherNdOp, GatherOp
from glow.dialects.graph.tensors import Tensor, emit
from glow.support.types import normalize_axis
from glow.tracing.operands import (
    as_tracer,
    dtype_of,
    is_operand,
    known_array,
    promoted,
    tensor_of,
)
from glow.tracing.registry import FUNCTIONS, array_function
from glow.tracing.tracers import Tracer
from glow.tracing.user_code import error_here


@array_function("__getitem__")
def part_of(x: Any, key: Any) -> Any:
    """Return `x[key]`: basic indexing, integer arrays, and masks that are known."""
    _check_masks(x.shape, key)
    keys = _expanded(x.ndim, _plain(key))
    if not any(isinstance(each, np.ndarray | Tracer) for each in keys):
        return Tracer(tensor_of(x)[tuple(keys)])
    places = [at for at, each in enumerate(keys) if _is_place(each)]
    basic = [slice(None) if at in places else each for at, each in enumerate(keys)]
    made = tensor_of(x)[tuple(basic)]
    arrays = [keys[at] for at in places]
    together = places[-1] - places[0] == len(places) - 1
    return Tracer(_gathered(made, places, arrays, together))


def _check_masks(shape: tuple[int, ...], key: Any) -> None:
    """Raise IndexError for a mask that is known and does not fit its axes."""
    keys = list(cast(Sequence[Any], key)) if isinstance(key, tuple) else [key]
    masks: dict[int, Any] = {}
    taken = [int(each is not None and each is not ...) for each in keys]
    for at, each in enumerate(keys):
        if _is_list(each) or isinstance(each, np.ndarray):
            array = np.asarray(cast(Any, each))
            if array.dtype.kind == "b":
                masks[at], taken[at] = array, array.ndim
    for at, mask in masks.items():
        has_rest = any(each is ... for each in keys[:at])
        axis = len(shape) - sum(taken[at:]) if has_rest else sum(taken[:at])
        if mask.shape != (expected := shape[axis : axis + mask.ndim]):
            raise IndexError(
                f"expected a mask of shape {list(expected)}, got {list(mask.shape)}"
            )


def _is_place(key: Any) -> bool:
    return isinstance(key, np.ndarray | Tracer | int | np.integer)


def _plain(key: Any) -> list[Any]:
    """Return the indices with arrays for lists, and integer arrays for masks."""
    keys: list[Any] = []
    for each in cast(Sequence[Any], key) if isinstance(key, tuple) else (key,):
        if isinstance(each, bool | np.bool_):
            raise TypeError("expected indices or masks, got a bool")
        if isinstance(each, slice):
            whole = cast(Any, each)
            keys.append(slice(*map(_bound, (whole.start, whole.stop, whole.step))))
        elif each is None or each is ... or isinstance(each, int | np.integer):
            keys.append(each)
        elif isinstance(each, float) or not (is_operand(each) or _is_list(each)):
            raise TypeError(f"expected integers, slices or arrays, got {each!r}")
        else:
            keys += _indices(each)
    return keys


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple)


def _bound(value: Any) -> int | None:
    return None if value is None else int(value.__index__())


def _indices(given: Any) -> list[Any]:
    array = known_array(given)
    if array is None:
        x = as_tracer(given)
        if x.dtype.kind == "b":
            raise error_here(
                "expected a mask that is known, got a traced one, so the size of the "
                "result is known only at run time; use np.where(mask, x, other)"
            )
        return [_checked(x)]
    if array.dtype.kind == "b":
        return list(np.nonzero(array))
    return [_checked(array if array.size else array.astype(np.int64))]


def _checked(indices: Any) -> Any:
    if indices.dtype.kind not in "iu":
        raise TypeError(f"expected integers as indices, got {indices.dtype}")
    return indices


def _expanded(rank: int, keys: list[Any]) -> list[Any]:
    """Return one key per axis, and None for new ones."""
    if sum(each is ... for each in keys) > 1:
        raise IndexError("expected at most one ..., got several")
    taken = sum(each is not None and each is not ... for each in keys)
    if taken > rank:
        raise IndexError(f"expected at most {rank} indices, got {taken}")
    at = next((at for at, each in enumerate(keys) if each is ...), len(keys))
    return [*keys[:at], *(slice(None),) * (rank - taken), *keys[at + 1 :]]


def _gathered(
    x: Tensor, axes: Sequence[int], arrays: Sequence[Any], together: bool
) -> Tensor:
    """Return the elements of `x` at `arrays`, indices along `axes` that broadcast."""
    for axis, each in zip(axes, arrays, strict=True):
        _check_range(each, x.shape[axis])
    indices = [_as_indices(each) for each in arrays]
    if len(axes) == 1:
        return emit(GatherOp, x, indices[0], axis=axes[0])
    shape = np.broadcast_shapes(*(each.shape for each in indices))
    columns = [
        ops.expand_dims(ops.broadcast_to(each, shape), len(shape)) for each in indices
    ]
    others = [axis for axis in range(x.ndim) if axis not in axes]
    front = x.transpose(*axes, *others)
    result = emit(GatherNdOp, front, ops.concat(columns, len(shape)))
    if not together or axes[0] == 0:
        return result
    before = range(len(shape), len(shape) + axes[0])
    after = range(len(shape) + axes[0], result.ndim)
    return result.transpose(*before, *range(len(shape)), *after)


def _check_range(indices: Any, extent: int) -> None:
    known = known_array(indices)
    if known is not None and known.size:
        worst = known.max() if known.max() >= extent else known.min()
        if not -extent <= worst < extent:
            raise IndexError(
                f"expected an index in [{-extent}, {extent - 1}], got {worst}"
            )


def _as_indices(given: Any) -> Tensor:
    return tensor_of(given, np.int32 if dtype_of(given) == np.int32 else np.int64)


@array_function()
def take(
    a: Any,
    indices: Any,
    /,
    axis: int | None = None,
    out: None = None,
    mode: str = "raise",
) -> Any:
    x = tensor_of(a)
    x = x.reshape(x.size) if axis is None else x
    at = normalize_axis(axis or 0, x.ndim)
    if mode not in ("raise", "clip", "wrap"):
        raise ValueError(f'expected mode "raise", "clip" or "wrap", got {mode!r}')
    if mode == "clip":
        indices = FUNCTIONS["clip"](indices, 0, x.shape[at] - 1)
    if mode == "wrap":
        indices = FUNCTIONS["remainder"](indices, x.shape[at])
    array = known_array(indices)
    if array is not None:
        indices = array if array.size else array.astype(np.int64)
    _checked(indices)
    return Tracer(_gathered(x, [at], [indices], together=True))


@array_function()
def take_along_axis(arr: Any, indices: Any, /, axis: int | None = -1) -> Any:
    x, places = tensor_of(arr), _as_indices(_checked(as_tracer(indices)))
    if axis is None:
        x, axis = x.reshape(x.size), 0
    at = normalize_axis(axis, x.ndim)
    if places.ndim != x.ndim:
        raise ValueError(f"expected indices with {x.ndim} axes, got {places.ndim}")
    shape = np.broadcast_shapes(
        *((*each.shape[:at], 1, *each.shape[at + 1 :]) for each in (x, places))
    )
    x = ops.broadcast_to(x, (*shape[:at], x.shape[at], *shape[at + 1 :]))
    places = ops.broadcast_to(places, (*shape[:at], places.shape[at], *shape[at + 1 :]))
    return Tracer(emit(GatherElementsOp, x, places, axis=at))


@array_function()
def where(condition: Any, x: Any = None, y: Any = None, /) -> Any:
    """Return x where a condition is true, else y."""
    if x is None or y is None:
        raise _unknown_size("where with one argument")
    one, other = promoted(x, y)
    return Tracer(ops.where(tensor_of(condition, bool), one, other))


@array_function()
def clip(
    a: Any, /, a_min: Any = None, a_max: Any = None, out: None = None, **named: Any
) -> Any:
    low = named.pop("min", a_min)
    high = named.pop("max", a_max)
    if named:
        raise TypeError(f"expected no {', '.join(named)}")
    result = as_tracer(a)
    if low is not None:
        result = FUNCTIONS["maximum"](result, low)
    return result if high is None else FUNCTIONS["minimum"](result, high)


@array_function()
def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Any:
    result = default
    for condition, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        result = where(condition, choice, result)
    return result


@array_function()
def searchsorted(
    a: Any, v: Any, /, side: str = "left", sorter: Any = None, *, out: None = None
) -> Any:
    """Return how many elements of sorted `a` come before each of `v`."""
    if side not in ("left", "right"):
        raise ValueError(f'expected side "left" or "right", got {side!r}')
    ordered = as_tracer(a) if sorter is None else take(a, sorter)
    wanted = as_tracer(v)[..., None]
    name = "less" if side == "left" else "less_equal"
    return FUNCTIONS["sum"](FUNCTIONS[name](ordered, wanted), axis=-1)


@array_function()
def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    known = known_array(bins)
    if known is not None and known.size > 1 and known[0] > known[-1]:
        raise ValueError("expected bins that grow, got some that shrink")
    return searchsorted(bins, x, "left" if right else "right")


@array_function()
def isin(
    element: Any,
    test_elements: Any,
    /,
    assume_unique: bool = False,
    invert: bool = False,
    **named: Any,
) -> Any:
    wanted = FUNCTIONS["ravel"](as_tracer(test_elements))
    found = FUNCTIONS["any"](as_tracer(element)[..., None] == wanted, axis=-1)
    return ~found if invert else found


def _unknown_size(what: str) -> Exception:
    return error_here(
        f"{what}: expected a result whose size is known, got one that depends on the "
        "elements of a traced array; use np.where(mask, x, other), or compute it after "
        "the run"
    )


def _refusal(name: str) -> Callable[..., Any]:
    def refuse(*arguments: Any, **named: Any) -> Any:
        raise _unknown_size(name)

    refuse.__doc__ = "Refused: the elements decide how many there are in the result."
    return refuse


UNKNOWN_SIZES = (
    *("argwhere", "bincount", "compress", "extract", "flatnonzero", "intersect1d"),
    *("nonzero", "setdiff1d", "union1d", "unique", "unique_all", "unique_counts"),
    *("unique_inverse", "unique_values", "trim_zeros", "setxor1d"),
)
"""Functions whose results have a size that is known only at run time."""

for _name in UNKNOWN_SIZES:
    array_function(_name)(_refusal(_name))
