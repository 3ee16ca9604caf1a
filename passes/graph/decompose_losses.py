"""Write losses as what picks, weighs and sums."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from glow.dialects.graph.activation import SoftplusOp
from glow.dialects.graph.binary import AddOp, DivOp, MulOp, SubOp
from glow.dialects.graph.binary_loss import BinaryCrossEntropyWithLogitsLossOp
from glow.dialects.graph.comparison import EqualOp
from glow.dialects.graph.indexing import GatherElementsOp, GatherOp
from glow.dialects.graph.loss import (
    CrossEntropyLossOp,
    LossOp,
    NegativeLogLikelihoodLossOp,
)
from glow.dialects.graph.movement import ReshapeOp
from glow.dialects.graph.normalization import LogSoftmaxOp
from glow.dialects.graph.reduction import ReduceSumOp
from glow.dialects.graph.select import WhereOp
from glow.dialects.graph.unary import NegOp
from glow.passes.graph._writer import Writer
from glow.support.rewriting import rewrite
from glow.support.types import has_layout, shape_of


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
        log_prob = LogSoftmaxOp(op.scores, axis=1)
        given = (log_prob.result, op.target, op.weights)
        loss = NegativeLogLikelihoodLossOp(*given, **parameters)
        results = (loss.result, log_prob.result)[: len(op.results)]
        rewriter.replace(op, [log_prob, loss], results)


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
        writer = Writer()
        losses, weight = _losses(writer, op)
        result = _reduced(writer, op.reduction, losses, weight)
        rewriter.replace(op, writer.ops, (result,))


class DecomposeBinaryCrossEntropy(RewritePattern):
    """bce(x, t, w, p) -> w * (p * t * softplus(-x) + (1 - t) * softplus(x)), reduced"""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: BinaryCrossEntropyWithLogitsLossOp, rewriter: PatternRewriter, /
    ) -> None:
        if has_layout(op.result):
            return
        writer = Writer()
        negative = writer.apply(SoftplusOp, writer.apply(NegOp, op.logits))
        first = writer.apply(MulOp, op.target, negative)
        if op.pos_weight is not None:
            first = writer.apply(MulOp, first, op.pos_weight)
        rest = writer.apply(SubOp, writer.like(op.target, 1), op.target)
        second = writer.apply(MulOp, rest, writer.apply(SoftplusOp, op.logits))
        losses = writer.apply(AddOp, first, second)
        if op.weight is not None:
            losses = writer.apply(MulOp, losses, op.weight)
        result = _reduced(writer, op.reduction, losses)
        rewriter.replace(op, writer.ops, (result,))


def _losses(writer: Writer, op: LossOp) -> tuple[SSAValue, SSAValue | None]:
    """Return the loss of each target, and its weight if that may be another than 1."""
    index, ignored, shape = op.target, None, shape_of(op.target)
    if op.ignore_index is not None:
        ignored_index = writer.like(index, op.ignore_index)
        ignored = writer.add(EqualOp(index, ignored_index))
        index = writer.add(WhereOp(ignored, writer.like(index, 0), index))
    column = writer.add(ReshapeOp(index, shape=(shape[0], 1, *shape[1:])))
    picked = writer.add(GatherElementsOp(op.scores, column, axis=1))
    losses = writer.add(NegOp(writer.add(ReshapeOp(picked, shape=shape))))
    weight = None
    if op.weights is not None:
        weight = writer.add(GatherOp(op.weights, index, axis=0))
        losses = writer.add(MulOp(losses, weight))
    if ignored is not None:
        zero = writer.like(losses, 0)
        one = writer.like(losses, 1) if weight is None else weight
        weight = writer.add(WhereOp(ignored, zero, one))
        losses = writer.add(WhereOp(ignored, zero, losses))
    return losses, weight


def _total(writer: Writer, value: SSAValue) -> SSAValue:
    axes = range(len(shape_of(value)))
    return writer.add(ReduceSumOp(value, axes=axes, keepdims=False))


def _reduced(
    writer: Writer, reduction: str, losses: SSAValue, weight: SSAValue | None = None
) -> SSAValue:
    match reduction:
        case "none":
            return losses
        case "sum":
            return _total(writer, losses)
        case _:
            count = float(np.prod(shape_of(losses), dtype=np.int64))
            by = (
                writer.like(losses, count) if weight is None else _total(writer, weight)
            )
            return writer.add(DivOp(_total(writer, losses), by))


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
