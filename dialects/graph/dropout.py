"""Dropout at inference."""

import numpy as np
from xdsl.dialects.builtin import f32, i1
from xdsl.ir import SSAValue
from xdsl.irdl import result_def
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import Array, GraphOp
from glow.dialects.graph.optional import Neutral, Neutrals
from glow.dialects.graph.parameters import TENSOR
from glow.dialects.graph.reordering import Order, Reordering, broadcast_map
from glow.support.types import FLOAT, Tensor, shape_of, tensor, tensor_type


class DropoutOp(GraphOp):
    """
    The input: nothing is dropped outside of training, whatever the ratio.

    With `with_mask`, the mask of kept elements is a second result: true everywhere.

    Shapes: input any, ratio without axes, result and mask as input, the mask of i1.
    Errors: a ratio that is no scalar or no float.
    Source: ONNX Dropout-22 with training_mode = false.

    ```mlir
    %y, %m = graph.dropout %x ratio %r {with_mask}
        : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>, tensor<2x3xi1>)
    ```
    """

    result = result_def(TENSOR)

    @staticmethod
    def neutrals() -> Neutrals:
        """The ratio is ONNX's default; outside of training any would do."""
        return {"ratio": Neutral(0.5, lambda op: (), element=f32)}

    @staticmethod
    def infer(input: SSAValue, ratio: SSAValue | None = None) -> tuple[Tensor, ...]:
        if ratio is not None:
            FLOAT.check(ratio)
            if shape_of(ratio) != ():
                raise VerifyException(
                    f"expected a scalar ratio, got {tensor_type(ratio)}"
                )
        shape = shape_of(input)
        result = tensor(tensor_type(input).element_type, shape)
        return result, tensor(i1, shape)

    @staticmethod
    def compute(
        input: Array, ratio: Array | None = None, *, with_mask: bool = False
    ) -> tuple[Array, ...]:
        return (input, np.ones(input.shape, np.bool_)) if with_mask else (input,)

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        return broadcast_map(self.operands[operand], self.results[result])

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        if operand != 0:
            return None
        return self.broadcast_reordering(0, order)
