"""Remove ops whose result is one of their operands, bit for bit."""

import numpy as np
from xdsl.ir import Operation, SSAValue

from glow.dialects.graph.binary import AddOp, DivOp, MulOp, PowOp, SubOp
from glow.dialects.graph.joining import ConcatOp, SplitOp
from glow.dialects.graph.logic import AndOp, BitwiseNotOp, NotOp, OrOp
from glow.dialects.graph.movement import (
    DepthToSpaceOp,
    ExpandOp,
    ReshapeOp,
    SpaceToDepthOp,
    TileOp,
    TransposeOp,
)
from glow.dialects.graph.reduction import (
    ReduceMaxOp,
    ReduceMeanOp,
    ReduceMinOp,
    ReduceProdOp,
    ReduceSumOp,
)
from glow.dialects.graph.select import BitcastOp, CastOp, DropoutOp, WhereOp
from glow.dialects.graph.slicing import PadOp, SliceOp
from glow.dialects.graph.unary import NegOp
from glow.passes.graph.operands import in_both_orders
from glow.passes.graph.transposes import is_ordered
from glow.passes.patterns import Replacement, Results, RewritePass
from glow.support.arrays import Array, without_repeats
from glow.support.dtypes import is_floating
from glow.support.types import has_layout, shape_of

RemovableOp = (
    ReshapeOp
    | ExpandOp
    | TileOp
    | CastOp
    | BitcastOp
    | SpaceToDepthOp
    | DepthToSpaceOp
    | SplitOp
    | ConcatOp
    | TransposeOp
    | SliceOp
    | PadOp
)


def remove_neutral_operand(
    op: AddOp | SubOp | MulOp | DivOp | PowOp | AndOp | OrOp, new: Replacement
) -> Results:
    """
    x + -0.0, x - 0.0, x * 1, x / 1, x ^ 1, x and true, x or false -> x

    expanded where the other operand has more elements; with integers x + 0 as well. Not
    x + 0.0, which makes 0.0 of -0.0.
    """
    for kept, dropped in in_both_orders(op):
        array = new.constants.array_of(dropped)
        if array is None or not _is_neutral(op, array):
            continue
        whole = _expanded(kept, op.result, new)
        if whole is not None:
            return whole
    return None


def _is_neutral(op: Operation, array: Array) -> bool:
    match op:
        case AddOp():
            neutral = -0.0 if is_floating(array.dtype) else 0
        case SubOp() | OrOp():
            neutral = 0
        case _:
            neutral = 1
    array = without_repeats(array)
    # 0.0 and -0.0 are two values.
    same = (array == neutral) & (np.signbit(array) == np.signbit(neutral))
    return bool(same.all())


def _expanded(value: SSAValue, like: SSAValue, new: Replacement) -> Results:
    """Return `value` with the shape of `like`; None where layouts forbid that."""
    if value.type == like.type:
        return value
    if has_layout(value) or has_layout(like):
        return None
    return new.emit(ExpandOp, value, shape=shape_of(like))


def remove_known_choice(op: WhereOp, new: Replacement) -> Results:
    """where(true, x, y) -> x, where(false, x, y) -> y, expanded if need be"""
    condition = new.constants.array_of(op.condition)
    if condition is None or not condition.size or condition.any() != condition.all():
        return None
    return _expanded(op.lhs if condition.all() else op.rhs, op.result, new)


def remove_unmoving_op(op: RemovableOp, new: Replacement) -> Results:
    """A reshape, transpose, slice, ... that leaves every element in its place -> x"""
    if len(op.results) != 1:
        return None
    is_same = op.operands[0].type == op.results[0].type
    return op.operands[0] if is_same and _moves_nothing(op) else None


def _moves_nothing(op: RemovableOp) -> bool:
    """Return whether `op` is its operand, given that their types are equal."""
    match op:
        case ConcatOp():
            return len(op.operands) == 1
        case TransposeOp():
            return is_ordered(op.permutation, shape_of(op.input))
        case SliceOp():
            steps = zip(op.sizes, op.steps, strict=True)
            return all(step == 1 or size <= 1 for size, step in steps)
        case PadOp():
            return not any(op.pads)
        case _:
            return True


def remove_reduction_of_one(
    op: ReduceSumOp | ReduceMeanOp | ReduceMaxOp | ReduceMinOp | ReduceProdOp,
    new: Replacement,
) -> Results:
    """reduce_sum(x), and the like, -> x where that has as many elements."""
    return op.input if op.input.type == op.result.type else None


def remove_double_inverse(
    op: NegOp | NotOp | BitwiseNotOp, new: Replacement
) -> Results:
    """-(-x), not(not(x)) -> x"""
    inner = op.input.owner
    if not isinstance(inner, type(op)) or inner.input.type != op.result.type:
        return None
    return inner.input


def remove_dropout(op: DropoutOp, new: Replacement) -> Results:
    """dropout(x) -> x, true everywhere"""
    if op.result.type != op.input.type or any(map(has_layout, op.results[1:])):
        return None
    if op.mask is None:
        return op.input
    everywhere = np.broadcast_to(np.True_, shape_of(op.mask))
    return op.input, new.constant(everywhere)


class RemoveIdentitiesPass(RewritePass):
    """
    Remove ops that return an operand: bit for bit, NaN and the sign of zero included.

    An op that only repeats its operand becomes an expansion.

    An op whose result has another type than the operand, layout included, is kept.

    Level: graph -> graph. Needs: nothing.
    """

    name = "remove-identities"
    patterns = (
        remove_neutral_operand,
        remove_known_choice,
        remove_unmoving_op,
        remove_reduction_of_one,
        remove_double_inverse,
        remove_dropout,
    )
    on_layouts = True
