"""An op that only this package knows."""

import numpy as np
from xdsl.dialects.builtin import AnyTensorType, TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import AnyAttr, irdl_op_definition, operand_def, result_def
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import GraphOp
from glow.support.arrays import Array
from glow.support.shapes import same_element
from glow.support.types import element_of, normalize_axis, shape_of, tensor


@irdl_op_definition
class ScaledShiftOp(GraphOp):
    """
    Rotate a tensor along one axis, and scale each position of that axis.

    Shapes: input any, scale [N] for an axis of N positions, result as input.
    Errors: a scale of another shape or element type, no such axis.

    ```mlir
    %y = outside.scaled_shift %x by %s {axis = 1 : i64, places = 2 : i64}
        : (tensor<1x3x4x5xf32>, tensor<3xf32>) -> tensor<1x3x4x5xf32>
    ```
    """

    name = "outside.scaled_shift"

    input = operand_def(TensorType.constr(AnyAttr()))
    scale = operand_def(TensorType.constr(AnyAttr()))
    result = result_def(TensorType.constr(AnyAttr()))

    assembly_format = (
        "$input `by` $scale attr-dict `:` functional-type(operands, results)"
    )

    @staticmethod
    def infer(
        input: SSAValue, scale: SSAValue, *, axis: int, places: int = 1
    ) -> AnyTensorType:
        shape = shape_of(input)
        extent = shape[normalize_axis(axis, len(shape))]
        same_element(input, scale)
        if shape_of(scale) != (extent,):
            raise VerifyException(
                f"expected a scale of shape [{extent}], got {scale.type}"
            )
        return tensor(element_of(input), shape)

    @staticmethod
    def compute(input: Array, scale: Array, *, axis: int, places: int = 1) -> Array:
        turned = np.moveaxis(np.roll(input, places, axis), axis, -1) * scale
        return np.moveaxis(turned, -1, axis)

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        """Say that the result runs along its input, and one axis along the scale."""
        rank = len(shape_of(self.input))
        if operand == 0:
            return tuple(range(rank))
        own = normalize_axis(self.axis, rank)
        return tuple(0 if axis == own else None for axis in range(rank))
