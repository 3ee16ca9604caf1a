"""Ops that read at positions given by an integer tensor, or encode these."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import AnyTensorType
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.backward import Backward
from glow.dialects.graph.base import AxisOp, GraphOp
from glow.dialects.graph.reordering import Order, Reordering, identity
from glow.support.arrays import Array
from glow.support.shapes import check_shape
from glow.support.types import (
    ANY,
    INDEX,
    element_of,
    normalize_axis,
    shape_of,
    tensor,
    tensor_type,
)


def check_indices(indices: Array, extent: int) -> None:
    """Raise unless every one of `indices` names one of `extent` positions."""
    outside = indices[(indices < -extent) | (indices >= extent)]
    if outside.size:
        raise IndexError(
            f"expected an index in [{-extent}, {extent - 1}], got {outside[0]}"
        )


def check_positions(data: SSAValue, indices: SSAValue, axis: int) -> None:
    """Raise if `indices` has more positions than `data` along another axis."""
    INDEX.check(indices)
    shape, extents = shape_of(data), shape_of(indices)
    at = normalize_axis(axis, len(shape))
    if len(extents) != len(shape):
        raise VerifyException(
            f"expected indices of rank {len(shape)}, got {tensor_type(indices)}"
        )
    for i, (extent, most) in enumerate(zip(extents, shape, strict=True)):
        if extent > most and i != at:
            raise VerifyException(
                f"expected indices with at most {most} positions along axis {i}, "
                f"got {extent}"
            )


def check_tuples(data: SSAValue, indices: SSAValue, batch_dims: int = 0) -> int:
    """Return how many axes of `data` each tuple in `indices` indexes."""
    INDEX.check(indices)
    shape, extents = shape_of(data), shape_of(indices)
    if not 0 <= batch_dims < min(len(shape), len(extents)):
        raise VerifyException(
            f"expected batch_dims from 0 to below the ranks {len(shape)} of the data "
            f"and {len(extents)} of the indices, got {batch_dims}"
        )
    if shape[:batch_dims] != extents[:batch_dims]:
        raise VerifyException(
            f"expected {batch_dims} equal batch axes, got {tensor_type(data)}, "
            f"{tensor_type(indices)}"
        )
    most = len(shape) - batch_dims
    if not 1 <= extents[-1] <= most:
        raise VerifyException(
            f"expected tuples of 1 to {most} indices, got {extents[-1]}"
        )
    return extents[-1]


def places_of(indices: Array, shape: tuple[int, ...]) -> tuple[Array, ...]:
    """Return the NumPy index for the tuples in `indices` of an array of `shape`."""
    places = tuple(np.moveaxis(indices, -1, 0))
    for place, extent in zip(places, shape, strict=False):
        check_indices(place, extent)
    return places


def at_positions(indices: Array, shape: tuple[int, ...], axis: int) -> tuple[Any, ...]:
    """Return the NumPy index with `indices` along `axis`, own positions elsewhere."""
    check_indices(indices, shape[axis])
    places: list[Any] = list(np.ix_(*(range(extent) for extent in indices.shape)))
    places[axis] = indices
    return tuple(places)


class GatherOp(GraphOp, moves=True):
    """
    The slices of `data` along `axis` that `indices` name; negative ones from the end.

    Shapes: data [before..., D, after...], indices [I...] of i32 or i64, result
    [before..., I..., after...]; data of any type.
    Errors: indices of another type, an axis that data lacks; when run, an index outside
    [-D, D - 1].
    Source: ONNX Gather-13.

    ```mlir
    %y = graph.gather %x, %i {axis = 1 : i64}
        : (tensor<2x8xf32>, tensor<3xi64>) -> tensor<2x3xf32>
    ```
    """

    @staticmethod
    def infer(data: SSAValue, indices: SSAValue, *, axis: int) -> AnyTensorType:
        INDEX.check(indices)
        shape = shape_of(data)
        at = normalize_axis(axis, len(shape))
        return tensor(
            element_of(data), (*shape[:at], *shape_of(indices), *shape[at + 1 :])
        )

    @staticmethod
    def compute(data: Array, indices: Array, *, axis: int = 0) -> Array:
        check_indices(indices, data.shape[axis])
        return np.take(data, indices, axis=axis)

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        data = range(len(shape_of(self.data)))
        at = normalize_axis(self.axis, len(data))
        count = len(shape_of(self.indices))
        if operand == 0:
            return (*data[:at], *(None,) * count, *data[at + 1 :])
        others: list[None] = [None] * len(data)
        return (*others[:at], *range(count), *others[at + 1 :])

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        """The axes of the indices stay together, where the axis of the data is."""
        rank, count = len(shape_of(self.data)), len(shape_of(self.indices))
        data = order if operand == 0 else identity(rank)
        indices = order if operand == 1 else identity(count)
        at, result = normalize_axis(self.axis, rank), list[int]()
        for axis in data:
            if axis == at:
                result += (axis + i for i in indices)
            else:
                result.append(axis if axis < at else axis + count - 1)
        moved = {"axis": data.index(at)}
        return Reordering((data, indices), (tuple(result),), moved)

    @staticmethod
    def gradient(b: Backward) -> Any:
        return b.xp.index_add(b.zeros(b.data), b.indices, b.g, b.axis)


class GatherElementsOp(AxisOp, moves=True):
    """
    For each index, the element of `data` at its place, but at the index along `axis`.

    A negative index counts from the end. The indices may have fewer positions than the
    data along another axis: the first ones are meant.

    Shapes: data [before..., D, after...], indices of as many axes, of i32 or i64, and
    along all but `axis` at most as long; result as indices; data of any type.
    Errors: indices of another type or rank, or longer; an axis that data lacks; when
    run, an index outside [-D, D - 1].
    Source: ONNX GatherElements-13.

    ```mlir
    %y = graph.gather_elements %x, %i {axis = 1 : i64}
        : (tensor<2x8xf32>, tensor<2x3xi64>) -> tensor<2x3xf32>
    ```
    """

    @staticmethod
    def infer(data: SSAValue, indices: SSAValue, *, axis: int) -> AnyTensorType:
        check_positions(data, indices, axis)
        return tensor(element_of(data), shape_of(indices))

    @staticmethod
    def compute(data: Array, indices: Array, *, axis: int = 0) -> Array:
        return data[at_positions(indices, data.shape, axis)]

    @staticmethod
    def gradient(b: Backward) -> Any:
        return b.xp.scatter_add(b.zeros(b.data), b.indices, b.g, b.axis)


class GatherNdOp(GraphOp, moves=True):
    """
    The slices of `data` that tuples of indices name; negative ones from the end.

    Shapes: data [batch..., D1, ..., Dk, slice...], indices [batch..., I..., k] of i32
    or i64, with `batch_dims` batch axes; result [batch..., I..., slice...]; data of any
    type.
    Errors: indices of another type, batch axes that differ, a k below 1 or above the
    axes that data has left; when run, an index outside [-Di, Di - 1].
    Source: ONNX GatherND-13.

    ```mlir
    %y = graph.gather_nd %x, %i {batch_dims = 1 : i64}
        : (tensor<2x8x4xf32>, tensor<2x3x1xi64>) -> tensor<2x3x4xf32>
    ```
    """

    @staticmethod
    def infer(data: SSAValue, indices: SSAValue, *, batch_dims: int) -> AnyTensorType:
        count = check_tuples(data, indices, batch_dims)
        after = shape_of(data)[batch_dims + count :]
        return tensor(element_of(data), (*shape_of(indices)[:-1], *after))

    @staticmethod
    def compute(data: Array, indices: Array, *, batch_dims: int = 0) -> Array:
        places = places_of(indices, data.shape[batch_dims:])
        extents = (*data.shape[:batch_dims], *[1] * (indices.ndim - 1 - batch_dims))
        return data[(*np.indices(extents, sparse=True)[:batch_dims], *places)]

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        batch, count = self.batch_dims, shape_of(self.indices)[-1]
        outer = len(shape_of(self.indices)) - 1
        after = range(batch + count, len(shape_of(self.data)))
        if operand == 1:
            return (*range(outer), *(None for _ in after))
        return (*range(batch), *(None for _ in range(batch, outer)), *after)

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        """Batch axes come first, then the indexed axes."""
        batch, count = self.batch_dims, shape_of(self.indices)[-1]
        rank, outer = len(shape_of(self.data)), len(shape_of(self.indices)) - 1
        first, named = order[:batch], range(batch, batch + count)
        data = (*first, *range(batch, rank)) if operand else order
        indices = order if operand else (*first, *range(batch, outer + 1))
        stays = data[batch : batch + count] == tuple(named) and indices[-1] == outer
        if not stays or sorted(first) != list(range(batch)):
            return None
        shift = outer - batch - count
        after = tuple(axis + shift for axis in data[batch + count :])
        result = (*indices[:-1], *after)
        return Reordering((data, indices), (result,), self.parameters())

    @staticmethod
    def gradient(b: Backward) -> Any:
        batch, indices = b.batch_dims, b.indices
        for axis in reversed(range(batch)):  # say the batch in each tuple
            extent = indices.shape[axis]
            line = np.arange(extent, dtype=indices.dtype)
            line = line.reshape(extent, *(1,) * (indices.ndim - 1 - axis))
            own = b.xp.broadcast_to(b.writer.tensor(line), (*indices.shape[:-1], 1))
            indices = b.xp.concat([own, indices], axis=-1)
        return b.xp.add_at(b.zeros(b.data), indices, b.g)


class OneHotOp(GraphOp, elements=INDEX):
    """
    For each index a line of `depth` values: on where the index is, off elsewhere.

    A negative index counts from the end; one that is out of range is nowhere.

    Shapes: indices [before..., after...] of i32 or i64, values [2] of any type: off,
    then on; result [before..., depth, after...], where `axis` says.
    Errors: indices of another type, values of another shape, a depth below 1, an axis
    that the result lacks.
    Source: ONNX OneHot-11.

    ```mlir
    %y = graph.one_hot %i, %v {depth = 5 : i64}
        : (tensor<2x3xi64>, tensor<2xf32>) -> tensor<2x3x5xf32>
    ```
    """

    @staticmethod
    def infer(
        indices: SSAValue, values: SSAValue, *, depth: int, axis: int
    ) -> AnyTensorType:
        ANY.check(values)
        check_shape("values", values, (2,))
        if depth < 1:
            raise VerifyException(f"expected a depth of at least 1, got {depth}")
        shape = shape_of(indices)
        at = normalize_axis(axis, len(shape) + 1)
        return tensor(element_of(values), (*shape[:at], depth, *shape[at:]))

    @staticmethod
    def compute(indices: Array, values: Array, *, depth: int, axis: int = -1) -> Array:
        places = indices.astype(np.int64)
        places = np.where(places < 0, places + depth, places)
        hit: Array = np.equal(places[..., None], np.arange(depth))
        hit = np.moveaxis(hit, -1, axis)
        return np.where(hit, values[1:], values[:1])

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        rank = len(shape_of(self.indices))
        if operand == 1:
            return (None,) * (rank + 1)
        return (*range(self._axis), None, *range(self._axis, rank))

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        """The lines stay where they are among the axes."""
        at, rank = self._axis, len(shape_of(self.indices))
        indices = order if operand == 0 else identity(rank)
        result = [axis if axis < at else axis + 1 for axis in indices]
        result.insert(at, at)
        moved = self.parameters() | {"axis": at}
        return Reordering((indices, (0,)), (tuple(result),), moved)

    @property
    def _axis(self) -> int:
        """The axis of the lines, counted from the front."""
        return normalize_axis(self.axis, len(shape_of(self.indices)) + 1)

    @staticmethod
    def gradient(b: Backward) -> Any:
        one = np.array([0, 1], b.g.dtype)
        hot = b.emit(OneHotOp, b.indices, one, depth=b.depth, axis=b.axis)
        parts = (b.xp.sum(b.g * (1 - hot)), b.xp.sum(b.g * hot))
        return None, b.xp.stack(parts)
