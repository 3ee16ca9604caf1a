"""Losses: how far scores or logits are from the target classes."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from xdsl.dialects.builtin import AnyTensorType
from xdsl.ir import SSAValue
from xdsl.irdl import result_def

from glow.dialects.graph.activation import SoftplusOp
from glow.dialects.graph.along_axis import LogSoftmaxOp
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.declaration import DeclaredOp
from glow.dialects.graph.indexing import check_indices
from glow.dialects.graph.optional import Neutral, Neutrals
from glow.dialects.graph.parameters import TENSOR
from glow.dialects.graph.reordering import Order, Reordering, broadcast_map
from glow.support.arrays import Array
from glow.support.shapes import check_broadcasts, check_rank, check_shape, same_element
from glow.support.types import FLOAT, INDEX, element_of, shape_of, tensor

LossReduction = Literal["none", "sum", "mean"]


class LossOp(DeclaredOp):
    """The base class of losses of classes, which are along axis 1."""

    SHAPES: ClassVar[str] = (
        "scores [N, C, ...], target [N, ...] of integers, weights [C]; result as\n"
        "target, or without axes if reduced.\n"
        "Errors: other shapes, another reduction than none, sum, mean; when run, a\n"
        "target outside [-C, C - 1]."
    )
    EXAMPLE: ClassVar[str] = (
        '%y = {name} %x, %t weights %w {{reduction = "sum"}}\n'
        "    : (tensor<3x5x{element}>, tensor<3xi64>, tensor<5x{element}>)"
        " -> tensor<{result}>"
    )

    @staticmethod
    def neutrals() -> Neutrals:
        return {"weights": Neutral(1, lambda op: shape_of(op.scores)[1:2])}

    @staticmethod
    def infer(
        scores: SSAValue,
        target: SSAValue,
        weights: SSAValue | None = None,
        *,
        reduction: LossReduction,
    ) -> tuple[AnyTensorType, AnyTensorType]:
        """Return the types of the loss and, for an op that has it, of log_prob."""
        INDEX.check(target)
        batch, classes, *places = check_rank("scores", scores, 2)
        check_shape("a target", target, (batch, *places))
        check_shape("weights", weights, (classes,), " per class")
        shape = (batch, *places) if reduction == "none" else ()
        loss = tensor(same_element(scores, weights), shape)
        return loss, tensor(element_of(scores), shape_of(scores))


def _loss(
    log_prob: Array,
    target: Array,
    weights: Array | None,
    reduction: str,
    ignore_index: int | None,
) -> Array:
    ignored = np.zeros(target.shape, np.bool_)
    if ignore_index is not None:
        ignored = target == ignore_index
    index = np.where(ignored, 0, target)
    check_indices(target[~ignored], log_prob.shape[1])
    if ignored.all():  # no class may exist to pick
        picked = weight = np.zeros(target.shape, log_prob.dtype)
    else:
        picked = np.take_along_axis(log_prob, index[:, np.newaxis], 1)[:, 0]
        weight = np.ones((), log_prob.dtype) if weights is None else weights[index]
    weight = np.where(ignored, log_prob.dtype.type(0), weight)
    losses = np.where(ignored, log_prob.dtype.type(0), -picked * weight)
    return _reduced(losses, reduction, weight.sum())


def _reduced(losses: Array, reduction: str, weight: Array) -> Array:
    if reduction == "none":
        return losses
    total = np.asarray(losses.sum())
    return total if reduction == "sum" else np.asarray(total / weight)


class NegativeLogLikelihoodLossOp(LossOp, onnx="NegativeLogLikelihoodLoss-22"):
    """
    The negative of the score of each target's class, weighted by class.

    Scores are logarithms of probabilities, absent weights 1. Targets that are
    `ignore_index` have loss and weight 0. The losses are summed, or their `mean` is
    taken by weight. A negative target that is not ignored counts from the last class.
    """

    @staticmethod
    def compute(
        scores: Array,
        target: Array,
        weights: Array | None = None,
        *,
        reduction: LossReduction = "mean",
        ignore_index: int | None = None,
    ) -> Array:
        return _loss(scores, target, weights, reduction, ignore_index)


class CrossEntropyLossOp(LossOp, onnx="SoftmaxCrossEntropyLoss-13"):
    """
    The negative log likelihood loss of the logarithm of softmax along the classes.

    With `with_log_prob`, that logarithm is a result too. The rest is as in
    `graph.negative_log_likelihood_loss`.
    """

    result = result_def(TENSOR)

    @staticmethod
    def compute(
        scores: Array,
        target: Array,
        weights: Array | None = None,
        *,
        reduction: LossReduction = "mean",
        ignore_index: int | None = None,
        with_log_prob: bool = False,
    ) -> tuple[Array, ...]:
        log_prob = LogSoftmaxOp.compute(scores, axis=1)
        loss = _loss(log_prob, target, weights, reduction, ignore_index)
        return (loss, log_prob) if with_log_prob else (loss,)


class BinaryCrossEntropyWithLogitsLossOp(GraphOp, elements=FLOAT):
    """
    -weight (pos_weight t log(s) + (1 - t) log(1 - s)), where s = sigmoid(x).

    Absent weights are 1: `weight` is that of a loss, `pos_weight` that of its first
    term alone. The losses are summed, or their `mean` divides the sum by their number,
    not by weights. Intermediate results do not overflow; an infinite logit whose class
    has probability 0 is NaN.

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
        reduction: LossReduction,
    ) -> AnyTensorType:
        check_shape("a target", target, shape_of(logits))
        check_broadcasts("weight", weight, shape_of(logits))
        check_broadcasts("pos_weight", pos_weight, shape_of(logits))
        element = same_element(logits, target, weight, pos_weight)
        return tensor(element, shape_of(logits) if reduction == "none" else ())

    @staticmethod
    def compute(
        logits: Array,
        target: Array,
        weight: Array | None = None,
        pos_weight: Array | None = None,
        *,
        reduction: LossReduction = "mean",
    ) -> Array:
        first = target * SoftplusOp.compute(-logits)
        if pos_weight is not None:
            first = pos_weight * first
        losses = first + (logits.dtype.type(1) - target) * SoftplusOp.compute(logits)
        losses = losses if weight is None else weight * losses
        return _reduced(losses, reduction, losses.dtype.type(losses.size))

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...] | None:
        if self.reduction != "none":
            return None
        return broadcast_map(self.operands[operand], self.result)

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        is_whole = self.reduction == "none"
        return self.broadcast_reordering(operand, order) if is_whole else None
