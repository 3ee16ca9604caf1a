"""Ops that write at positions given by an integer tensor."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, Literal

import numpy as np
from xdsl.dialects.builtin import AnyTensorType, i64
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.backward import Backward
from glow.dialects.graph.base import AxisOp, GraphOp
from glow.dialects.graph.indexing import (
    GatherNdOp,
    at_positions,
    check_positions,
    check_tuples,
    places_of,
)
from glow.dialects.graph.optional import Neutral, Neutrals
from glow.dialects.graph.reordering import Order, Reordering, identity
from glow.support.arrays import Array
from glow.support.shapes import check_shape, same_element
from glow.support.types import INDEX, NUMBER, normalize_axis, shape_of, tensor

_COMBINE: dict[str, Callable[..., Any]] = {
    "add": np.add.at,
    "mul": np.multiply.at,
    "max": np.maximum.at,
    "min": np.minimum.at,
}
ScatterReduction = Literal["none", "add", "mul", "max", "min"]


def _check(
    data: SSAValue, updates: SSAValue, shape: tuple[int, ...], reduction: str
) -> AnyTensorType:
    """Return the type of the result, if there is one update per place."""
    if reduction != "none":
        NUMBER.check(data)
    check_shape("updates", updates, shape)
    return tensor(same_element(data, updates), shape_of(data))


def _written(data: Array, places: Any, updates: Array, reduction: str) -> Array:
    """Return a copy of `data` with `updates` at `places`, one after the other."""
    result = data.copy()
    if reduction == "none":
        result[places] = updates
    else:
        _COMBINE[reduction](result, places, updates)
    return result


ReadPlaces = Callable[[Any], Any]
"""Returns what is at the places that a scatter writes to."""
WritePlaces = Callable[[Any, Any, str], Any]
"""Returns a tensor with updates at these places, combined by a reduction."""


def _gradients(
    b: Backward, read: ReadPlaces, write: WritePlaces
) -> tuple[Any, None, Any]:
    """Return the gradients of data and updates, shared equally where several win."""
    g, data, updates = b.g, b.data, b.updates
    match b.reduction:
        case "none":
            return write(g, b.zeros(updates), "none"), None, _of_last(b, read, write)
        case "add":
            return g, None, read(g)
        case "mul":
            return _of_factors(b, read, write)
        case _:
            wins = data == b.result
            best = (updates == read(b.result)).astype(g.element)
            share = g / write(wins.astype(g.element), best, "add")
            return b.xp.where(wins, share, 0), None, read(share) * best


def _of_last(b: Backward, read: ReadPlaces, write: WritePlaces) -> Any:
    """Return the gradient of updates; the last update of a place wins."""
    shape: tuple[int, ...] = b.updates.shape
    numbers: Array = np.arange(prod(shape), dtype=np.int64).reshape(shape)
    none = b.xp.broadcast_to(b.writer.tensor(np.int64(-1)), b.data.shape)
    is_last = read(write(none, numbers, "none")) == numbers
    return b.xp.where(is_last, read(b.g), 0)


def _of_factors(
    b: Backward, read: ReadPlaces, write: WritePlaces
) -> tuple[Any, None, Any]:
    """Multiply by the product of all other factors, without a division by zero."""
    g, data, updates = b.g, b.data, b.updates
    ones = b.xp.broadcast_to(b.writer.like(1, g), data.shape)
    is_zero = updates == 0
    factors = b.xp.where(is_zero, 1, updates)
    products = read(write(ones, factors, "mul"))
    zeros = read(write(b.zeros(data), is_zero.astype(g.element), "add"))
    alone = b.xp.where(is_zero & (zeros == 1), products, 0)
    others = b.xp.where(zeros == 0, products / factors, alone)
    return g * write(ones, updates, "mul"), None, read(g * data) * others


class ScatterElementsOp(AxisOp):
    """
    `data` with each of `updates` at its own position, which is moved along `axis`.

    A negative index counts from the end. An update replaces what is there (none) or is
    combined with it; several of one place come one after the other.

    Shapes: data [before..., D, after...], indices of as many axes, of i32 or i64, and
    along all but `axis` at most as long; updates as indices, result as data; data of
    any type, or with a reduction of numbers.
    Errors: indices of another type or rank, or longer; updates of another shape; an
    axis that data lacks; an unknown reduction; when run, an index outside [-D, D - 1].
    Source: ONNX ScatterElements-18; of NaN and a number the max and min are NaN.

    ```mlir
    %y = graph.scatter_elements %x, %i, %u {axis = 1 : i64, reduction = "add"}
        : (tensor<2x8xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<2x8xf32>
    ```
    """

    @staticmethod
    def infer(
        data: SSAValue,
        indices: SSAValue,
        updates: SSAValue,
        *,
        axis: int,
        reduction: str,
    ) -> AnyTensorType:
        check_positions(data, indices, axis)
        return _check(data, updates, shape_of(indices), reduction)

    @staticmethod
    def compute(
        data: Array,
        indices: Array,
        updates: Array,
        *,
        axis: int = 0,
        reduction: ScatterReduction = "none",
    ) -> Array:
        places = at_positions(indices, data.shape, axis)
        return _written(data, places, updates, reduction)

    @staticmethod
    def gradient(b: Backward) -> Any:
        def write(data: Any, updates: Any, reduction: str) -> Any:
            slots, given = (data, b.indices, updates), {"axis": b.axis}
            return b.emit(ScatterElementsOp, *slots, reduction=reduction, **given)

        def read(data: Any) -> Any:
            return b.xp.take_along_axis(data, b.indices, b.axis)

        return _gradients(b, read, write)


class ScatterNdOp(GraphOp):
    """
    `data` with `updates` at the slices that tuples of indices name.

    A negative index counts from the end. An update replaces what is there (none) or is
    combined with it; several of one slice come one after the other, in row-major order.

    Shapes: data [D1, ..., Dk, slice...], indices [I..., k] of i32 or i64, updates
    [I..., slice...], result as data; data of any type, or with a reduction of numbers.
    Errors: indices of another type, a k below 1 or above the rank of data; updates of
    another shape; an unknown reduction; when run, an index outside [-Di, Di - 1].
    Source: ONNX ScatterND-18; of NaN and a number the max and min are NaN.

    ```mlir
    %y = graph.scatter_nd %x, %i, %u {reduction = "max"}
        : (tensor<8x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<8x4xf32>
    ```
    """

    @staticmethod
    def infer(
        data: SSAValue, indices: SSAValue, updates: SSAValue, *, reduction: str
    ) -> AnyTensorType:
        count = check_tuples(data, indices)
        wanted = (*shape_of(indices)[:-1], *shape_of(data)[count:])
        return _check(data, updates, wanted, reduction)

    @staticmethod
    def compute(
        data: Array,
        indices: Array,
        updates: Array,
        *,
        reduction: ScatterReduction = "none",
    ) -> Array:
        return _written(data, places_of(indices, data.shape), updates, reduction)

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        rank, count = len(shape_of(self.data)), shape_of(self.indices)[-1]
        if operand == 0:
            return identity(rank)
        picked: list[None] = [None] * count
        if operand == 1:
            return (*picked, *(None for _ in range(count, rank)))
        shift = len(shape_of(self.indices)) - 1 - count
        return (*picked, *(axis + shift for axis in range(count, rank)))

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        """The axes of a slice may be moved, tuples stay as they are."""
        count = shape_of(self.indices)[-1]
        fixed = len(shape_of(self.indices)) - 1
        if operand == 1:
            return None
        first = fixed if operand else count
        if order[:first] != identity(first):
            return None
        after = [axis - first for axis in order[first:]]
        data = (*range(count), *(axis + count for axis in after))
        updates = (*range(fixed), *(axis + fixed for axis in after))
        operands = (data, identity(fixed + 1), updates)
        return Reordering(operands, (data,), self.parameters())

    @staticmethod
    def gradient(b: Backward) -> Any:
        def write(data: Any, updates: Any, reduction: str) -> Any:
            return b.emit(ScatterNdOp, data, b.indices, updates, reduction=reduction)

        def read(data: Any) -> Any:
            return b.emit(GatherNdOp, data, b.indices)

        return _gradients(b, read, write)


class TensorScatterOp(GraphOp, moves=True):
    """
    `data` with `updates` from one place on along `axis`: a cache that grows.

    The start is given per batch by `write_indices`, 0 if absent. Writing beyond the end
    is refused (linear) or wraps around to the start (circular).

    Shapes: data [N, before..., D, after...], updates [N, before..., U, after...] with U
    at most D, write_indices [N] of i32 or i64; result as data, of any type.
    Errors: updates of another shape or type, write_indices of another shape or type, an
    axis that data lacks or that is the first, an unknown mode; when run in linear mode,
    a write index outside [0, D - U].
    Source: ONNX TensorScatter-24.

    ```mlir
    %y = graph.tensor_scatter %x, %u at %i {axis = 1 : i64}
        : (tensor<2x8x4xf32>, tensor<2x1x4xf32>, tensor<2xi64>) -> tensor<2x8x4xf32>
    ```
    """

    assembly_format = (
        "$data `,` $updates (`at` $write_indices^)? attr-dict"
        " `:` functional-type(operands, results)"
    )

    @staticmethod
    def neutrals() -> Neutrals:
        starts = Neutral(0, lambda op: shape_of(op.data)[:1], element=i64)
        return {"write_indices": starts}

    @staticmethod
    def infer(
        data: SSAValue,
        updates: SSAValue,
        write_indices: SSAValue | None = None,
        *,
        axis: int,
    ) -> AnyTensorType:
        shape = shape_of(data)
        at = normalize_axis(axis, len(shape))
        if at == 0:
            raise VerifyException("expected an axis other than the batch axis, got 0")
        given = shape_of(updates)
        count = given[at] if len(given) == len(shape) else 0
        if count > shape[at]:
            raise VerifyException(
                f"expected updates of at most {shape[at]} places along axis {at}, "
                f"got {count}"
            )
        check_shape("updates", updates, (*shape[:at], count, *shape[at + 1 :]))
        if write_indices is not None:
            INDEX.check(write_indices)
            check_shape("write_indices", write_indices, shape[:1])
        return tensor(same_element(data, updates), shape)

    @staticmethod
    def compute(
        data: Array,
        updates: Array,
        write_indices: Array | None = None,
        *,
        axis: int = -2,
        mode: Literal["linear", "circular"] = "linear",
    ) -> Array:
        axis = normalize_axis(axis, data.ndim)
        room, count = data.shape[axis], updates.shape[axis]
        starts = np.zeros(len(data), np.int64)
        if write_indices is not None:
            starts = write_indices.astype(np.int64)
        outside = starts[(starts < 0) | (starts > room - count)]
        if mode == "linear" and outside.size:
            raise IndexError(
                f"expected a write index in [0, {room - count}], got {outside[0]}"
            )
        result = data.copy()
        for batch, start in enumerate(starts):
            offsets = np.arange(count, dtype=np.int64)
            places = np.remainder(start + offsets, max(room, 1))
            lines = np.moveaxis(result[batch], axis - 1, 0)
            lines[places] = np.moveaxis(updates[batch], axis - 1, 0)
        return result

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        rank = len(shape_of(self.data))
        return identity(rank) if operand < 2 else (0, *(None for _ in range(1, rank)))

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        """The batch stays in front."""
        rank = len(shape_of(self.data))
        whole = order if operand < 2 else identity(rank)
        if whole[0] != 0:
            return None
        moved = {"axis": whole.index(normalize_axis(self.axis, rank))}
        places = ((0,),) * (len(self.operands) - 2)
        return Reordering((whole, whole, *places), (whole,), self.parameters() | moved)

    @staticmethod
    def gradient(b: Backward) -> Any:
        given = {"axis": b.axis, "mode": b.mode}
        zeros, starts = b.zeros(b.updates), b.write_indices
        kept = b.emit(TensorScatterOp, b.g, zeros, starts, **given)
        at = normalize_axis(b.axis, b.g.ndim)
        room, count = b.data.shape[at], b.updates.shape[at]
        if starts is None:
            return kept, b.g[(*(slice(None),) * at, slice(0, count))]
        lines = (1,) * (b.g.ndim - 1)
        places = np.arange(count, dtype=starts.dtype)
        places = places.reshape(*(1,) * at, count, *(1,) * (b.g.ndim - 1 - at))
        places = starts.reshape(-1, *lines) + places
        places = b.xp.broadcast_to(places % room, b.updates.shape)
        return kept, b.xp.take_along_axis(b.g, places, at)
