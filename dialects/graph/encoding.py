"""Ops that encode indices."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import Array, GraphOp
from glow.dialects.graph.reordering import Order, Reordering, identity
from glow.support.types import (
    ANY,
    INDEX,
    Tensor,
    check_shape,
    element_of,
    normalize_axis,
    shape_of,
    tensor,
)


class OneHotOp(GraphOp):
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
    def infer(indices: SSAValue, values: SSAValue, *, depth: int, axis: int) -> Tensor:
        INDEX.check(indices)
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
