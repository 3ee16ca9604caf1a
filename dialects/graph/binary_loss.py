"""The loss of decisions that are made on their own, each between two classes."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.activation import SoftplusOp
from glow.dialects.graph.base import Array, GraphOp
from glow.dialects.graph.loss import check_reduction
from glow.dialects.graph.optional import Neutral, Neutrals
from glow.dialects.graph.reordering import Order, Reordering, broadcast_map
from glow.support.types import (
    FLOAT,
    Tensor,
    check_broadcasts,
    same_element,
    shape_of,
    tensor,
    tensor_type,
)


class BinaryCrossEntropyWithLogitsLossOp(GraphOp):
    """
    -weight (pos_weight t log(s) + (1 - t) log(1 - s)), where s = sigmoid(x).

    Absent weights are 1: `weight` is that of a decision, `pos_weight` that of its
    first class alone. The losses are summed, or their `mean` is taken over all of
    them, whatever they weigh. Nothing overflows that need not; an infinite logit whose
    class has probability 0 is NaN.

    Shapes: logits x any, target t as logits, of probabilities; weight and pos_weight
        broadcast to them; result as logits, or without axes if reduced.
    Errors: other shapes or elements than floats of one type, another reduction than
        none, sum, mean.
    Source: PyTorch's binary_cross_entropy_with_logits; ONNX has no such operator.

    ```mlir
    %y = graph.binary_cross_entropy_with_logits_loss %x, %t
        pos_weight %p : tensor<5xf32> {reduction = "sum"}
        : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<f32>
    ```
    """

    @staticmethod
    def neutrals() -> Neutrals:
        return {
            "weight": Neutral(1, lambda op: shape_of(op.logits)),
            "pos_weight": Neutral(1, lambda op: shape_of(op.logits)[-1:]),
        }

    @staticmethod
    def infer(
        logits: SSAValue,
        target: SSAValue,
        weight: SSAValue | None = None,
        pos_weight: SSAValue | None = None,
        *,
        reduction: str,
    ) -> Tensor:
        FLOAT.check(logits)
        shape = shape_of(logits)
        if shape_of(target) != shape:
            raise VerifyException(
                f"expected a target of shape {list(shape)}, got {tensor_type(target)}"
            )
        check_broadcasts("weight", weight, logits)
        check_broadcasts("pos_weight", pos_weight, logits)
        check_reduction(reduction)
        element = same_element(logits, target, weight, pos_weight)
        return tensor(element, shape if reduction == "none" else ())

    @staticmethod
    def compute(
        logits: Array,
        target: Array,
        weight: Array | None = None,
        pos_weight: Array | None = None,
        *,
        reduction: str = "mean",
    ) -> Array:
        one = logits.dtype.type(1)
        first = target * SoftplusOp.compute(-logits)
        if pos_weight is not None:
            first = pos_weight * first
        losses = first + (one - target) * SoftplusOp.compute(logits)
        if weight is not None:
            losses = weight * losses
        match reduction:
            case "none":
                return losses
            case "sum":
                return np.asarray(losses.sum())
            case _:
                return np.asarray(losses.mean())

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...] | None:
        if self.reduction != "none":
            return None
        return broadcast_map(self.operands[operand], self.result)

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        if self.reduction != "none":
            return None
        return self.broadcast_reordering(operand, order)
