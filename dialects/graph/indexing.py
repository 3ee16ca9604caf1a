"""Ops that read where an integer tensor says."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    irdl_op_definition,
    operand_def,
    result_def,
)

from glow.dialects.graph.base import Array, GraphOp, int_property
from glow.dialects.graph.reordering import Order, Reordering, identity
from glow.support.types import (
    ANY,
    INTEGER,
    Tensor,
    element_of,
    normalize_axis,
    shape_of,
    tensor,
)


@irdl_op_definition
class GatherOp(GraphOp):
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

    name = "graph.gather"

    data = operand_def(TensorType.constr(AnyAttr()))
    indices = operand_def(TensorType.constr(AnyAttr()))
    result = result_def(TensorType.constr(AnyAttr()))

    axis = int_property(0)

    assembly_format = (
        "$data `,` $indices attr-dict `:` functional-type(operands, results)"
    )

    @staticmethod
    def infer(data: SSAValue, indices: SSAValue, *, axis: int = 0) -> Tensor:
        ANY.check(data)
        INTEGER.check(indices)
        shape = shape_of(data)
        at = normalize_axis(axis, len(shape))
        return tensor(
            element_of(data), (*shape[:at], *shape_of(indices), *shape[at + 1 :])
        )

    @staticmethod
    def compute(data: Array, indices: Array, *, axis: int = 0) -> Array:
        extent = data.shape[axis]
        outside = indices[(indices < -extent) | (indices >= extent)]
        if outside.size:
            raise IndexError(
                f"expected an index in [{-extent}, {extent - 1}], got {outside[0]}"
            )
        return np.take(data, indices, axis=axis)

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        at, data = self._axis, range(len(shape_of(self.data)))
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
        found: list[int] = []
        for axis in data:
            if axis == self._axis:
                found += (axis + i for i in indices)
            else:
                found.append(axis if axis < self._axis else axis + count - 1)
        axis = data.index(self._axis)
        return Reordering((data, indices), (tuple(found),), {"axis": axis})

    @property
    def _axis(self) -> int:
        """The axis of the data, counted from the front."""
        return normalize_axis(self.axis.value.data, len(shape_of(self.data)))
