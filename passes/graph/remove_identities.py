"""Remove ops whose result is one of their operands, bit for bit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
)

from glow.dialects.graph.base import Array
from glow.dialects.graph.binary import AddOp, DivOp, MulOp, PowOp, SubOp
from glow.dialects.graph.dropout import DropoutOp
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
from glow.dialects.graph.select import BitcastOp, CastOp, WhereOp
from glow.dialects.graph.slicing import PadOp, SliceOp
from glow.dialects.graph.storage import LiteralOp
from glow.dialects.graph.unary import NegOp
from glow.passes.constants import Constants
from glow.support.dtypes import is_floating
from glow.support.rewriting import op_type_rewrite_pattern, rewrite
from glow.support.types import has_layout, shape_of


def _is_everywhere(array: Array, value: float) -> bool:
    """Return whether `array` is `value` everywhere; 0.0 and -0.0 are two values."""
    same = (array == value) & (np.signbit(array) == np.signbit(value))
    return bool(same.all())


@dataclass
class RemoveNeutralOperand(RewritePattern):
    """
    x + -0.0, x - 0.0, x * 1, x / 1, x ^ 1, x and true, x or false -> x

    expanded where the other operand has more elements; with integers x + 0 as well. Not
    x + 0.0, which makes 0.0 of -0.0.
    """

    constants: Constants

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: AddOp | SubOp | MulOp | DivOp | PowOp | AndOp | OrOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        pairs = [(op.lhs, op.rhs)]
        if isinstance(op, AddOp | MulOp | AndOp | OrOp):
            pairs.append((op.rhs, op.lhs))
        for kept, dropped in pairs:
            is_expanded = not any(map(has_layout, (kept, dropped, op.result)))
            if kept.type != op.result.type and not is_expanded:
                continue
            if self.is_neutral(op, dropped):
                if kept.type == op.result.type:
                    rewriter.replace(op, (), (kept,))
                else:
                    rewriter.replace(op, ExpandOp(kept, shape=shape_of(op.result)))
                return

    def is_neutral(self, op: Operation, value: SSAValue) -> bool:
        array = self.constants.array_of(value)
        if array is None:
            return False
        match op:
            case AddOp():
                return _is_everywhere(array, -0.0 if is_floating(array.dtype) else 0)
            case SubOp() | OrOp():
                return _is_everywhere(array, 0)
            case _:
                return _is_everywhere(array, 1)


@dataclass
class RemoveKnownChoice(RewritePattern):
    """where(true, x, y) -> x, where(false, x, y) -> y, expanded if need be"""

    constants: Constants

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: WhereOp, rewriter: PatternRewriter, /) -> None:
        condition = self.constants.array_of(op.condition)
        if condition is None or not condition.size:
            return
        if condition.any() != condition.all():
            return
        kept = op.lhs if condition.all() else op.rhs
        if kept.type == op.result.type:
            rewriter.replace(op, (), (kept,))
        elif not any(map(has_layout, (kept, op.result))):
            rewriter.replace(op, ExpandOp(kept, shape=shape_of(op.result)))


class RemoveUnmovingOp(RewritePattern):
    """A reshape, transpose, slice, ... that leaves every element in its place -> x"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if len(op.results) != 1 or not op.operands:
            return
        if op.operands[0].type == op.results[0].type and _moves_nothing(op):
            rewriter.replace(op, (), (op.operands[0],))


def _moves_nothing(op: Operation) -> bool:
    """Return whether `op` is its operand, given that their types are equal."""
    match op:
        case ReshapeOp() | ExpandOp() | TileOp() | CastOp() | BitcastOp():
            return True
        case SpaceToDepthOp() | DepthToSpaceOp() | SplitOp():
            return True
        case ConcatOp():
            return len(op.operands) == 1
        case TransposeOp():
            shape = shape_of(op.input)
            moved = [a for a in op.permutation if shape[a] != 1]
            return moved == sorted(moved)
        case SliceOp():
            steps = zip(op.sizes, op.steps, strict=True)
            return all(step == 1 or size <= 1 for size, step in steps)
        case PadOp():
            return not any(op.pads)
        case _:
            return False


class RemoveReductionOfOne(RewritePattern):
    """reduce_sum(x), and the like, -> x where that has as many elements."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: ReduceSumOp | ReduceMeanOp | ReduceMaxOp | ReduceMinOp | ReduceProdOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        if op.input.type == op.result.type:
            rewriter.replace(op, (), (op.input,))


class RemoveDoubleInverse(RewritePattern):
    """-(-x), not(not(x)) -> x"""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: NegOp | NotOp | BitwiseNotOp, rewriter: PatternRewriter, /
    ) -> None:
        inner = op.input.owner
        if not isinstance(inner, type(op)) or inner.input.type != op.result.type:
            return
        rewriter.replace(op, (), (inner.input,))


class RemoveDropout(RewritePattern):
    """dropout(x) -> x, true everywhere"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DropoutOp, rewriter: PatternRewriter, /) -> None:
        if op.result.type != op.input.type or any(map(has_layout, op.results[1:])):
            return
        if op.mask is None:
            rewriter.replace(op, (), (op.input,))
            return
        everywhere = np.broadcast_to(np.True_, shape_of(op.mask))
        literal = LiteralOp(everywhere)
        rewriter.replace(op, [literal], (op.input, literal.result))


@dataclass(frozen=True)
class RemoveIdentitiesPass(ModulePass):
    """
    Remove ops that return an operand: bit for bit, NaN and the sign of zero included.

    What returns it in more places becomes an expansion.

    A result of another type than the operand, its layout included, is no identity.

    Level: graph -> graph. Needs: nothing.
    """

    name = "remove-identities"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(
            op,
            RemoveNeutralOperand(Constants(op)),
            RemoveKnownChoice(Constants(op)),
            RemoveUnmovingOp(),
            RemoveReductionOfOne(),
            RemoveDoubleInverse(),
            RemoveDropout(),
        )
