"""Patterns for binary cross-entropy that is written out."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
)

from glow.dialects.graph.activation import SigmoidOp
from glow.dialects.graph.binary import AddOp, MulOp, SubOp
from glow.dialects.graph.binary_loss import BinaryCrossEntropyWithLogitsLossOp
from glow.dialects.graph.presence import with_presence
from glow.dialects.graph.reduction import ReduceMeanOp, ReduceSumOp
from glow.dialects.graph.unary import LogOp, NegOp
from glow.passes.graph.recognize_functions._products import number_of
from glow.support.locations import fuse
from glow.support.rewriting import op_type_rewrite_pattern
from glow.support.types import has_layout, shape_of


class RecognizeBinaryCrossEntropy(RewritePattern):
    """
    -(t log(s) p + (1 - t) log(1 - s)) -> bce(x, t, pos_weight p) {none}

    where s = sigmoid(x), in any order of terms and factors, also without p. Where s
    rounds to 0 or 1 this is infinite or NaN, and the op is what is meant.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: NegOp, rewriter: PatternRewriter, /) -> None:
        total = op.input.owner
        if has_layout(op.result) or not isinstance(total, AddOp):
            return
        for one, other in ((total.lhs, total.rhs), (total.rhs, total.lhs)):
            for log, rest in _factors(other):
                x, target = _inside_log(log, _complement), _complement(rest)
                if x is None or target is None or x.type != target.type:
                    continue
                is_log, weight = _first_class(one, x, target)
                if is_log and x.type == op.result.type:
                    slots = (x, target, None, weight)
                    new = BinaryCrossEntropyWithLogitsLossOp(*slots, reduction="none")
                    rewriter.replace(op, new)
                    return


def _factors(value: SSAValue) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Yield the factors of a product of two, in both orders."""
    op = value.owner
    if isinstance(op, MulOp):
        yield op.lhs, op.rhs
        yield op.rhs, op.lhs


def _complement(value: SSAValue) -> SSAValue | None:
    """Return y where `value` is 1 - y, or None."""
    op = value.owner
    return op.rhs if isinstance(op, SubOp) and number_of(op.lhs) == 1 else None


def _inside_log(
    value: SSAValue, probability: Callable[[SSAValue], SSAValue | None]
) -> SSAValue | None:
    """Return x where `value` is log(p), and `probability` of p is sigmoid(x)."""
    op = value.owner
    argument = probability(op.input) if isinstance(op, LogOp) else None
    sigmoid = argument.owner if argument is not None else None
    return sigmoid.input if isinstance(sigmoid, SigmoidOp) else None


def _first_class(
    value: SSAValue, x: SSAValue, target: SSAValue
) -> tuple[bool, SSAValue | None]:
    """Return whether `value` is t log(sigmoid(x)), and what else it is times."""
    log = next((v for v in _leaves(value) if _inside_log(v, lambda p: p) is x), None)
    if log is None:
        return False, None
    for one, other in _factors(value):
        if one is log and other is target:
            return True, None
        for first, second in _factors(one):
            rest = {first, second, other} - {log, target}
            if {log, target} <= {first, second, other} and len(rest) == 1:
                (weight,) = rest
                return not has_layout(weight), weight
    return False, None


def _leaves(value: SSAValue) -> Iterator[SSAValue]:
    """Yield the factors of a product of two or three."""
    for one, _ in _factors(value):
        yield one
        for inner, _ in _factors(one):
            yield inner


class AbsorbWeight(RewritePattern):
    """bce(x) {none} * w -> bce(x, weight w) {none}, where nothing else reads it"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MulOp, rewriter: PatternRewriter, /) -> None:
        for value, weight in _factors(op.result):
            loss = _open_loss(value)
            if loss is None or loss.weight is not None or has_layout(weight):
                continue
            if op.result.type == value.type:
                new = with_presence(loss, {"weight": weight})
                new.location = fuse(loss.location, op.location)
                rewriter.replace(op, new, (new.results[0],))
                return


class AbsorbReduction(RewritePattern):
    """sum(bce(x, ...) {none}) -> bce(x, ...) {sum}, and so the mean, over all axes"""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: ReduceSumOp | ReduceMeanOp, rewriter: PatternRewriter, /
    ) -> None:
        loss = _open_loss(op.input)
        if loss is None or shape_of(op.result):
            return
        how = "sum" if isinstance(op, ReduceSumOp) else "mean"
        new = BinaryCrossEntropyWithLogitsLossOp(*loss.slots(), reduction=how)
        new.location = fuse(loss.location, op.location)
        rewriter.replace(op, new)


def _open_loss(value: SSAValue) -> BinaryCrossEntropyWithLogitsLossOp | None:
    """Return the op of unreduced losses that `value` is and that one op reads."""
    op = value.owner
    if not isinstance(op, BinaryCrossEntropyWithLogitsLossOp) or has_layout(value):
        return None
    is_open = op.reduction == "none" and value.has_one_use()
    return op if is_open else None
