"""Write losses as gathers, products and sums."""

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.activation import SoftplusOp
from glow.dialects.graph.along_axis import LogSoftmaxOp
from glow.dialects.graph.loss import (
    BinaryCrossEntropyWithLogitsLossOp,
    CrossEntropyLossOp,
    NegativeLogLikelihoodLossOp,
)
from glow.dialects.graph.tensors import Tensor, emit
from glow.passes.patterns import Replacement, Results, RewritePass


def decompose_cross_entropy(op: CrossEntropyLossOp, new: Replacement) -> Results:
    """cross_entropy_loss(x, ...) -> nll_loss(p, ...), p where p = log_softmax(x)"""
    parameters = op.parameters()
    del parameters["with_log_prob"]
    log_prob = new.emit(LogSoftmaxOp, op.scores, axis=1)
    slots = (log_prob, op.target, op.weights)
    loss = new.emit(NegativeLogLikelihoodLossOp, *slots, **parameters)
    return (loss, log_prob)[: len(op.results)]


def decompose_negative_log_likelihood(
    op: NegativeLogLikelihoodLossOp, new: Replacement
) -> Results:
    """
    nll_loss(p, t, w) -> sum(-p[t] * w[t]) / sum(w[t]), by its reduction

    where an ignored target picks class 0, with loss and weight 0.
    """
    index, ignored, weight = new.tensor(op.target), None, None
    if op.ignore_index is not None:
        ignored = index == op.ignore_index
        index = xp.where(ignored, 0, index)
    column = xp.expand_dims(index, 1)
    picked = xp.take_along_axis(new.tensor(op.scores), column, axis=1)
    losses = -xp.squeeze(picked, 1)
    if op.weights is not None:
        weight = xp.take(new.tensor(op.weights), index)
        losses = losses * weight
    if ignored is not None:
        zero = new.like(0, losses)
        weight = xp.where(ignored, zero, 1 if weight is None else weight)
        losses = xp.where(ignored, zero, losses)
    return _reduced(op.reduction, losses, weight)


def decompose_binary_cross_entropy(
    op: BinaryCrossEntropyWithLogitsLossOp, new: Replacement
) -> Results:
    """bce(x, t, w, p) -> w * (p * t * softplus(-x) + (1 - t) * softplus(x)), reduced"""
    x, target = new.tensor(op.logits), new.tensor(op.target)
    losses = target * emit(SoftplusOp, -x)
    if op.pos_weight is not None:
        losses = losses * op.pos_weight
    losses = losses + (1 - target) * emit(SoftplusOp, x)
    if op.weight is not None:
        losses = losses * op.weight
    return _reduced(op.reduction, losses)


def _reduced(reduction: str, losses: Tensor, weight: Tensor | None = None) -> Tensor:
    match reduction:
        case "none":
            return losses
        case "sum":
            return xp.sum(losses)
        case _:
            return xp.sum(losses) / (losses.size if weight is None else xp.sum(weight))


class DecomposeLossesPass(RewritePass):
    """
    Replace each loss by ops that take the scores of its targets, weigh and sum them.

    Level: graph -> graph. Needs: nothing.
    """

    name = "decompose-losses"
    patterns = (
        decompose_cross_entropy,
        decompose_negative_log_likelihood,
        decompose_binary_cross_entropy,
    )
