"""Losses of classifications: how far scores are from the classes that are meant."""

import numpy as np
from xdsl.ir import SSAValue
from xdsl.irdl import result_def
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import Array, GraphOp
from glow.dialects.graph.indexing import check_indices
from glow.dialects.graph.normalization import LogSoftmaxOp
from glow.dialects.graph.optional import Neutral, Neutrals
from glow.dialects.graph.slots import TENSOR
from glow.support.types import (
    FLOAT,
    INDEX,
    Tensor,
    element_of,
    same_element,
    shape_of,
    tensor,
    tensor_type,
)

REDUCTIONS = ("none", "sum", "mean")


def check_reduction(reduction: str) -> None:
    """Raise unless a loss can be reduced so."""
    if reduction not in REDUCTIONS:
        names = ", ".join(REDUCTIONS)
        raise VerifyException(f'expected a reduction out of {names}, got "{reduction}"')


def _infer(
    scores: SSAValue, target: SSAValue, weights: SSAValue | None, reduction: str
) -> Tensor:
    FLOAT.check(scores)
    INDEX.check(target)
    shape = shape_of(scores)
    if len(shape) < 2:
        raise VerifyException(
            f"expected scores of rank 2 or more, got {tensor_type(scores)}"
        )
    wanted = (shape[0], *shape[2:])
    if shape_of(target) != wanted:
        raise VerifyException(
            f"expected a target of shape {list(wanted)}, got {tensor_type(target)}"
        )
    if weights is not None and shape_of(weights) != shape[1:2]:
        raise VerifyException(
            f"expected weights of shape [{shape[1]}] per class, "
            f"got {tensor_type(weights)}"
        )
    check_reduction(reduction)
    result = wanted if reduction == "none" else ()
    return tensor(same_element(scores, weights), result)


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
        index = np.where(index < 0, index + log_prob.shape[1], index)
        picked = np.take_along_axis(log_prob, index[:, np.newaxis], 1)[:, 0]
        weight = np.ones((), log_prob.dtype) if weights is None else weights[index]
    weight = np.where(ignored, log_prob.dtype.type(0), weight)
    losses = np.where(ignored, log_prob.dtype.type(0), -picked * weight)
    match reduction:
        case "none":
            return losses
        case "sum":
            return np.asarray(losses.sum())
        case _:
            return np.asarray(losses.sum() / weight.sum())


class LossOp(GraphOp):
    """The base class of losses: classes along axis 1, and a reduction of elements."""

    @staticmethod
    def neutrals() -> Neutrals:
        return {"weights": Neutral(1, lambda op: shape_of(op.scores)[1:2])}


class NegativeLogLikelihoodLossOp(LossOp):
    """
    The negative of the score of each target's class, weighted by class.

    Absent weights are 1. Targets that are `ignore_index` have loss and weight 0. The
    losses are summed, or their `mean` is taken by weight. A negative target that is
    not ignored counts from the last class.

    Shapes: scores [N, C, ...], which are logarithms of probabilities, target [N, ...]
        of integers, weights [C]; result as target, or without axes if reduced.
    Errors: other shapes, another reduction than none, sum, mean; when run, a target
        outside [-C, C - 1].
    Source: ONNX NegativeLogLikelihoodLoss-22.

    ```mlir
    %y = graph.negative_log_likelihood_loss %x, %t weights %w {reduction = "sum"}
        : (tensor<3x5xf32>, tensor<3xi64>, tensor<5xf32>) -> tensor<f32>
    ```
    """

    @staticmethod
    def infer(
        scores: SSAValue,
        target: SSAValue,
        weights: SSAValue | None = None,
        *,
        reduction: str,
    ) -> Tensor:
        return _infer(scores, target, weights, reduction)

    @staticmethod
    def compute(
        scores: Array,
        target: Array,
        weights: Array | None = None,
        *,
        reduction: str = "mean",
        ignore_index: int | None = None,
    ) -> Array:
        return _loss(scores, target, weights, reduction, ignore_index)


class CrossEntropyLossOp(LossOp):
    """
    The negative log likelihood loss of the logarithm of softmax along the classes.

    With `with_log_prob`, that logarithm is a result too. The rest is as in
    `graph.negative_log_likelihood_loss`.

    Shapes: scores [N, C, ...], target [N, ...] of integers, weights [C]; result as
        target, or without axes if reduced; log_prob as scores.
    Errors: other shapes, another reduction than none, sum, mean; when run, a target
        outside [-C, C - 1].
    Source: ONNX SoftmaxCrossEntropyLoss-13.

    ```mlir
    %y, %p = graph.cross_entropy_loss %x, %t {with_log_prob}
        : (tensor<3x5xf32>, tensor<3xi64>) -> (tensor<f32>, tensor<3x5xf32>)
    ```
    """

    result = result_def(TENSOR)

    @staticmethod
    def infer(
        scores: SSAValue,
        target: SSAValue,
        weights: SSAValue | None = None,
        *,
        reduction: str,
    ) -> tuple[Tensor, ...]:
        loss = _infer(scores, target, weights, reduction)
        return loss, tensor(element_of(scores), shape_of(scores))

    @staticmethod
    def compute(
        scores: Array,
        target: Array,
        weights: Array | None = None,
        *,
        reduction: str = "mean",
        ignore_index: int | None = None,
        with_log_prob: bool = False,
    ) -> tuple[Array, ...]:
        log_prob = LogSoftmaxOp.compute(scores, axis=1)
        loss = _loss(log_prob, target, weights, reduction, ignore_index)
        return (loss, log_prob) if with_log_prob else (loss,)
