"""Patterns for layer and root-mean-square normalizations that are written out."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
)

from glow.dialects.graph.binary import AddOp, DivOp, MulOp, PowOp, SubOp
from glow.dialects.graph.layer_norm import LayerNormOp, RmsNormOp
from glow.dialects.graph.presence import with_presence
from glow.dialects.graph.reduction import ReduceMeanOp
from glow.dialects.graph.unary import ReciprocalOp, SqrtOp
from glow.passes.graph.recognize_functions._products import (
    factors_of,
    number_of,
    sum_with_number,
)
from glow.support.locations import fuse
from glow.support.rewriting import op_type_rewrite_pattern
from glow.support.types import broadcasts_to, has_layout, normalize_axis, shape_of


class RecognizeRmsNorm(RewritePattern):
    """
    x / sqrt(mean(x^2) + epsilon) -> rms_norm(x)

    with the mean over the last axes; also where x is multiplied by the reciprocal.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: MulOp | DivOp, rewriter: PatternRewriter, /
    ) -> None:
        if has_layout(op.result):
            return
        pairs = [(op.lhs, op.rhs)]
        if isinstance(op, MulOp):
            pairs.append((op.rhs, op.lhs))
        for x, factor in pairs:
            inside = _under_root(factor, inverse=isinstance(op, MulOp))
            mean = inside and _mean_square(inside, x)
            if mean and x.type == op.result.type:
                axis, epsilon = mean
                rewriter.replace(op, RmsNormOp(x, axis=axis, epsilon=epsilon))
                return


def _under_root(value: SSAValue, *, inverse: bool) -> SSAValue | None:
    """Return y where `value` is sqrt(y), or 1 / sqrt(y) if `inverse`."""
    match value.owner:
        case PowOp() as power:
            exponent = -0.5 if inverse else 0.5
            return power.lhs if number_of(power.rhs) == exponent else None
        case SqrtOp() as root if not inverse:
            return root.input
        case ReciprocalOp() as reciprocal if inverse:
            return _under_root(reciprocal.input, inverse=False)
        case DivOp() as quotient if inverse and number_of(quotient.lhs) == 1:
            return _under_root(quotient.rhs, inverse=False)
        case _:
            return None


def _mean_square(value: SSAValue, x: SSAValue) -> tuple[int, float] | None:
    """Return first axis and epsilon where `value` is mean(x^2) + epsilon."""
    total = sum_with_number(value)
    if total is None or total[1] < 0 or not isinstance(total[0].owner, ReduceMeanOp):
        return None
    mean = total[0].owner
    axis = _first_axis(mean)
    if axis is None or shape_of(mean.input) != shape_of(x):
        return None
    square = factors_of(mean.input, _same_as(x, mean.input))
    if square.number != 1 or square.values.total() != 2 or len(square.values) != 1:
        return None
    (base,) = square.values
    return (axis, total[1]) if _is_same(base, x) else None


def _same_as(x: SSAValue, square: SSAValue) -> SSAValue:
    """Return what `square` is made of and what computes the same as x, or x."""
    op = square.owner
    if isinstance(op, MulOp | PowOp) and _is_same(op.lhs, x):
        return op.lhs
    return x


def _is_same(one: SSAValue, other: SSAValue) -> bool:
    """Return whether two values are one, or differences of the same."""
    if one is other:
        return True
    a, b = one.owner, other.owner
    if not isinstance(a, SubOp) or not isinstance(b, SubOp):
        return False
    return a.lhs is b.lhs and (a.rhs is b.rhs or _is_same_mean(a.rhs, b.rhs))


def _is_same_mean(one: SSAValue, other: SSAValue) -> bool:
    a, b = one.owner, other.owner
    return (
        isinstance(a, ReduceMeanOp)
        and isinstance(b, ReduceMeanOp)
        and a.input is b.input
        and a.parameters() == b.parameters()
    )


def _first_axis(mean: ReduceMeanOp) -> int | None:
    """Return the axis that a mean is taken from on; None if there are axes behind."""
    rank = len(shape_of(mean.input))
    axes = sorted(normalize_axis(axis, rank) for axis in mean.parameters()["axes"])
    is_tail = bool(axes) and axes == list(range(axes[0], rank))
    return axes[0] if is_tail and mean.keepdims else None


class RecognizeLayerNorm(RewritePattern):
    """rms_norm(x - mean(x)) -> layer_norm(x), where both have the same axes"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: RmsNormOp, rewriter: PatternRewriter, /) -> None:
        centered = op.input.owner
        if has_layout(op.result) or not isinstance(centered, SubOp):
            return
        mean, rank = centered.rhs.owner, len(shape_of(op.input))
        if not isinstance(mean, ReduceMeanOp) or mean.input is not centered.lhs:
            return
        axis = normalize_axis(op.axis, rank)
        if mean.input.type != op.result.type or _first_axis(mean) != axis:
            return
        epsilon = op.epsilon
        norm = LayerNormOp(mean.input, op.scale, axis=axis, epsilon=epsilon)
        norm.location = op.location
        rewriter.replace(op, norm)


@dataclass
class AbsorbScaleAndBias(RewritePattern):
    """
    norm(x) * s -> norm(x, scale s), and norm(x, ...) + b -> norm(x, ..., bias b)

    where nothing else reads it and s and b vary along its normalized axes alone.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: MulOp | AddOp, rewriter: PatternRewriter, /
    ) -> None:
        for value, operand in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            norm = value.owner
            slot = "scale" if isinstance(op, MulOp) else "bias"
            if not isinstance(norm, LayerNormOp | RmsNormOp):
                continue
            if not _is_open(norm, slot) or not _fits(norm, operand):
                continue
            if op.result.type != norm.result.type or not norm.result.has_one_use():
                continue
            new = with_presence(norm, {slot: operand})
            new.location = fuse(norm.location, op.location)
            rewriter.replace(op, new, (new.results[0],))
            return


def _is_open(norm: LayerNormOp | RmsNormOp, slot: str) -> bool:
    """Return whether the norm may still get an operand in `slot`."""
    if len(norm.results) != 1 or has_layout(norm.result):
        return False
    if isinstance(norm, RmsNormOp):
        return slot == "scale" and norm.scale is None
    return norm.bias is None and (slot == "bias" or norm.scale is None)


def _fits(norm: LayerNormOp | RmsNormOp, operand: SSAValue) -> bool:
    shape = shape_of(norm.input)
    axis = normalize_axis(norm.axis, len(shape))
    return broadcasts_to(operand, shape[axis:]) and not has_layout(operand)
