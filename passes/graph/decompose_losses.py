"""Write losses as gathers, products and sums."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
)

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.activation import SoftplusOp
from glow.dialects.graph.binary_loss import BinaryCrossEntropyWithLogitsLossOp
from glow.dialects.graph.loss import (
    CrossEntropyLossOp,
    LossOp,
    NegativeLogLikelihoodLossOp,
)
from glow.dialects.graph.normalization import LogSoftmaxOp
from glow.dialects.graph.tensors import Tensor, Writer, emit
from glow.passes.replacement import Replacement
from glow.support.rewriting import op_type_rewrite_pattern, rewrite
from glow.support.types import has_layout


class DecomposeCrossEntropy(RewritePattern):
    """cross_entropy_loss(x, ...) -> nll_loss(p, ...), p where p = log_softmax(x)"""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: CrossEntropyLossOp, rewriter: PatternRewriter, /
    ) -> None:
        if any(map(has_layout, op.results)):
            return
        parameters = op.parameters()
        del parameters["with_log_prob"]
        new = Replacement(op, rewriter)
        log_prob = new.emit(LogSoftmaxOp, op.scores, axis=1)
        slots = (log_prob, op.target, op.weights)
        loss = new.emit(NegativeLogLikelihoodLossOp, *slots, **parameters)
        new.finish(*(loss, log_prob)[: len(op.results)])


class DecomposeNegativeLogLikelihood(RewritePattern):
    """
    nll_loss(p, t, w) -> sum(-p[t] * w[t]) / sum(w[t]), by its reduction

    where what is ignored picks class 0, with loss and weight 0.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: NegativeLogLikelihoodLossOp, rewriter: PatternRewriter, /
    ) -> None:
        if has_layout(op.result):
            return
        new = Replacement(op, rewriter)
        new.finish(_reduced(op.reduction, *_losses(new, op)))


class DecomposeBinaryCrossEntropy(RewritePattern):
    """bce(x, t, w, p) -> w * (p * t * softplus(-x) + (1 - t) * softplus(x)), reduced"""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: BinaryCrossEntropyWithLogitsLossOp, rewriter: PatternRewriter, /
    ) -> None:
        if has_layout(op.result):
            return
        new = Replacement(op, rewriter)
        x, target = new.tensor(op.logits), new.tensor(op.target)
        losses = target * emit(SoftplusOp, -x)
        if op.pos_weight is not None:
            losses = losses * op.pos_weight
        losses = losses + (1 - target) * emit(SoftplusOp, x)
        if op.weight is not None:
            losses = losses * op.weight
        new.finish(_reduced(op.reduction, losses))


def _losses(new: Writer, op: LossOp) -> tuple[Tensor, Tensor | None]:
    """Return the loss of each target, and its weight if that may be another than 1."""
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
    return losses, weight


def _reduced(reduction: str, losses: Tensor, weight: Tensor | None = None) -> Tensor:
    match reduction:
        case "none":
            return losses
        case "sum":
            return xp.sum(losses)
        case _:
            return xp.sum(losses) / (losses.size if weight is None else xp.sum(weight))


@dataclass(frozen=True)
class DecomposeLossesPass(ModulePass):
    """
    Replace each loss by ops that take the scores of its targets, weigh and sum them.

    Level: graph -> graph. Needs: nothing.
    """

    name = "decompose-losses"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(
            op,
            DecomposeCrossEntropy(),
            DecomposeNegativeLogLikelihood(),
            DecomposeBinaryCrossEntropy(),
        )
