"""Activations: elementwise functions of one tensor that networks are named after."""

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import AnyAttr, irdl_op_definition, operand_def, result_def

from glow.dialects.graph.base import Array, GraphOp
from glow.support.types import Tensor, element_of, shape_of, tensor


@irdl_op_definition
class ReluOp(GraphOp):
    """
    max(x, 0), elementwise; NaN stays NaN.

    Shapes: input any, result as input.
    Source: ONNX Relu-14.

    ```mlir
    %y = graph.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.relu"

    input = operand_def(TensorType.constr(AnyAttr()))
    result = result_def(TensorType.constr(AnyAttr()))

    assembly_format = "$input attr-dict `:` functional-type(operands, results)"

    @staticmethod
    def infer(input: SSAValue) -> Tensor:
        return tensor(element_of(input), shape_of(input))

    @staticmethod
    def compute(input: Array) -> Array:
        return np.maximum(input, 0)

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        return tuple(range(len(shape_of(self.input))))
