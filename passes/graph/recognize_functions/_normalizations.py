"""Patterns for layer and root-mean-square normalizations that are written out."""

from xdsl.ir import SSAValue

from glow.dialects.graph.binary import AddOp, DivOp, MulOp, PowOp, SubOp
from glow.dialects.graph.layer_norm import LayerNormOp, RmsNormOp
from glow.dialects.graph.presence import with_presence
from glow.dialects.graph.reduction import ReduceMeanOp
from glow.dialects.graph.unary import ReciprocalOp, SqrtOp
from glow.passes.graph.operands import in_both_orders, number_behind
from glow.passes.graph.recognize_functions._products import product_of, sum_with_number
from glow.passes.patterns import Replacement, Results
from glow.support.locations import fuse
from glow.support.shapes import broadcasts_to
from glow.support.types import has_layout, normalize_axis, shape_of


def recognize_rms_norm(op: MulOp | DivOp, new: Replacement) -> Results:
    """
    x / sqrt(mean(x^2) + epsilon) -> rms_norm(x)

    with the mean over the last axes; also where x is multiplied by the reciprocal.
    """
    for x, factor in in_both_orders(op):
        inside = _under_root(factor, inverse=isinstance(op, MulOp))
        mean = inside and _mean_square(inside, x)
        if mean and x.type == op.result.type:
            return new.emit(RmsNormOp, x, axis=mean[0], epsilon=mean[1])
    return None


def _under_root(value: SSAValue, *, inverse: bool) -> SSAValue | None:
    """Return y where `value` is sqrt(y), or 1 / sqrt(y) if `inverse`."""
    match value.owner:
        case PowOp() as power:
            exponent = -0.5 if inverse else 0.5
            return power.lhs if number_behind(power.rhs) == exponent else None
        case SqrtOp() as root if not inverse:
            return root.input
        case ReciprocalOp() as reciprocal if inverse:
            return _under_root(reciprocal.input, inverse=False)
        case DivOp() as quotient if inverse and number_behind(quotient.lhs) == 1:
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
    square = product_of(mean.input, _same_as(x, mean.input))
    if square.number != 1 or square.values.total() != 2 or len(square.values) != 1:
        return None
    (base,) = square.values
    return (axis, total[1]) if _is_same(base, x) else None


def _same_as(x: SSAValue, square: SSAValue) -> SSAValue:
    """Return the operand of `square` that computes the same as x, or x."""
    op = square.owner
    return op.lhs if isinstance(op, MulOp | PowOp) and _is_same(op.lhs, x) else x


def _is_same(one: SSAValue, other: SSAValue) -> bool:
    """Return whether two values are one, or differences of the same operands."""
    if one is other:
        return True
    a, b = one.owner, other.owner
    if not isinstance(a, SubOp) or not isinstance(b, SubOp) or a.lhs is not b.lhs:
        return False
    if a.rhs is b.rhs:
        return True
    mean, twin = a.rhs.owner, b.rhs.owner
    if not isinstance(mean, ReduceMeanOp) or not isinstance(twin, ReduceMeanOp):
        return False
    return mean.input is twin.input and mean.parameters() == twin.parameters()


def _first_axis(mean: ReduceMeanOp) -> int | None:
    """Return the first axis of a mean over all last axes; None for other means."""
    rank = len(shape_of(mean.input))
    axes = sorted(normalize_axis(axis, rank) for axis in mean.axes)
    is_tail = bool(axes) and axes == list(range(axes[0], rank))
    return axes[0] if is_tail and mean.keepdims else None


def recognize_layer_norm(op: RmsNormOp, new: Replacement) -> Results:
    """rms_norm(x - mean(x)) -> layer_norm(x), where both have the same axes"""
    centered = op.input.owner
    mean = centered.rhs.owner if isinstance(centered, SubOp) else None
    if not isinstance(centered, SubOp) or not isinstance(mean, ReduceMeanOp):
        return None
    x, axis = centered.lhs, normalize_axis(op.axis, len(shape_of(op.input)))
    if mean.input is not x or x.type != op.result.type or _first_axis(mean) != axis:
        return None
    return new.emit(LayerNormOp, x, op.scale, axis=axis, epsilon=op.epsilon)


def absorb_scale_or_bias(op: MulOp | AddOp, new: Replacement) -> Results:
    """
    norm(x) * s -> norm(x, scale s), and norm(x, ...) + b -> norm(x, ..., bias b)

    where nothing else reads it and s and b vary along its normalized axes alone.
    """
    slot = "scale" if isinstance(op, MulOp) else "bias"
    for value, operand in in_both_orders(op):
        norm = value.owner
        if not isinstance(norm, LayerNormOp | RmsNormOp):
            continue
        if not _is_open(norm, slot) or not _fits(norm, operand):
            continue
        if op.result.type == value.type and value.has_one_use():
            fuller = with_presence(norm, {slot: operand})
            fuller.location = fuse(norm.location, op.location)
            return new.insert(fuller)
    return None


def _is_open(norm: LayerNormOp | RmsNormOp, slot: str) -> bool:
    """Return whether the norm may still get an operand in `slot`."""
    if len(norm.results) != 1:
        return False
    if isinstance(norm, RmsNormOp):
        return slot == "scale" and norm.scale is None
    return norm.bias is None and (slot == "bias" or norm.scale is None)


def _fits(norm: LayerNormOp | RmsNormOp, operand: SSAValue) -> bool:
    shape = shape_of(norm.input)
    axis = normalize_axis(norm.axis, len(shape))
    return broadcasts_to(operand, shape[axis:]) and not has_layout(operand)
