"""Patterns for binary cross-entropy that is written out."""

from collections.abc import Iterator

from xdsl.ir import SSAValue

from glow.dialects.graph.activation import SigmoidOp
from glow.dialects.graph.binary import AddOp, MulOp, SubOp
from glow.dialects.graph.loss import BinaryCrossEntropyWithLogitsLossOp
from glow.dialects.graph.presence import with_presence
from glow.dialects.graph.reduction import ReduceMeanOp, ReduceSumOp
from glow.dialects.graph.unary import LogOp, NegOp
from glow.passes.graph.operands import factors_of, in_both_orders, number_behind
from glow.passes.patterns import Replacement, Results
from glow.support.locations import fuse
from glow.support.types import has_layout, shape_of


def recognize_binary_cross_entropy(op: NegOp, new: Replacement) -> Results:
    """
    -(t log(s) p + (1 - t) log(1 - s)) -> bce(x, t, pos_weight p) {none}

    where s = sigmoid(x), in any order of terms and factors, also without p. Where s
    rounds to 0 or 1 this is infinite or NaN, and the op is what is meant.
    """
    if not isinstance(op.input.owner, AddOp):
        return None
    for one, other in in_both_orders(op.input.owner):
        for log, rest in factors_of(other):
            x = _inside_sigmoid(_complement(_inside_log(log)))
            target = _complement(rest)
            if (
                x is None
                or target is None
                or not x.type == target.type == op.result.type
            ):
                continue
            for own_log, own_target, weight in _weighted(one):
                is_same = own_target is target and x is _inside_sigmoid(
                    _inside_log(own_log)
                )
                if is_same and (weight is None or not has_layout(weight)):
                    slots = (x, target, None, weight)
                    op_ = BinaryCrossEntropyWithLogitsLossOp
                    return new.emit(op_, *slots, reduction="none")
    return None


def _weighted(
    value: SSAValue,
) -> Iterator[tuple[SSAValue, SSAValue, SSAValue | None]]:
    """Yield the ways to read `value` as a product of two, or of two and a weight."""
    for one, other in factors_of(value):
        yield one, other, None
        for first, second in factors_of(one):
            yield first, second, other
            yield first, other, second
            yield other, first, second


def _complement(value: SSAValue | None) -> SSAValue | None:
    """Return y where `value` is 1 - y, or None."""
    op = value and value.owner
    return op.rhs if isinstance(op, SubOp) and number_behind(op.lhs) == 1 else None


def _inside_log(value: SSAValue) -> SSAValue | None:
    return value.owner.input if isinstance(value.owner, LogOp) else None


def _inside_sigmoid(value: SSAValue | None) -> SSAValue | None:
    op = value and value.owner
    return op.input if isinstance(op, SigmoidOp) else None


def absorb_weight(op: MulOp, new: Replacement) -> Results:
    """bce(x) {none} * w -> bce(x, weight w) {none}, where nothing else reads it"""
    for value, weight in in_both_orders(op):
        loss = _open_loss(value)
        if loss is None or loss.weight is not None or has_layout(weight):
            continue
        if op.result.type == value.type:
            weighted = with_presence(loss, {"weight": weight})
            weighted.location = fuse(loss.location, op.location)
            return new.insert(weighted)
    return None


def absorb_reduction(op: ReduceSumOp | ReduceMeanOp, new: Replacement) -> Results:
    """sum(bce(x, ...) {none}) -> bce(x, ...) {sum}, and so the mean, over all axes"""
    loss = _open_loss(op.input)
    if loss is None or shape_of(op.result):
        return None
    how = "sum" if isinstance(op, ReduceSumOp) else "mean"
    new.location = fuse(loss.location, op.location)
    return new.emit(type(loss), *loss.slots(), reduction=how)


def _open_loss(value: SSAValue) -> BinaryCrossEntropyWithLogitsLossOp | None:
    """Return the op of unreduced losses that `value` is and that one op reads."""
    op = value.owner
    if not isinstance(op, BinaryCrossEntropyWithLogitsLossOp) or has_layout(value):
        return None
    is_open = op.reduction == "none" and value.has_one_use()
    return op if is_open else None
