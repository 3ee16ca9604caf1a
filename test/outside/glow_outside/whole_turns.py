"""A pass of this package, and where the default pipeline runs it."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from glow.dialects.graph.binary import MulOp
from glow.dialects.graph.movement import ReshapeOp
from glow.pipeline import AddedStep, Step
from glow.support.rewriting import op_type_rewrite_pattern, rewrite
from glow.support.types import has_layout, normalize_axis, shape_of
from glow_outside.scaled_shift import ScaledShiftOp


class DropWholeTurns(RewritePattern):
    """scaled_shift(x, s) by all positions of the axis -> x * s"""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: ScaledShiftOp, rewriter: PatternRewriter, /
    ) -> None:
        shape, parameters = shape_of(op.input), op.parameters()
        axis = normalize_axis(parameters["axis"], len(shape))
        if has_layout(op.result) or parameters["places"] % (shape[axis] or 1):
            return
        along = [1] * len(shape)
        along[axis] = shape[axis]
        scale = ReshapeOp(op.scale, shape=along)
        product = MulOp(op.input, scale.results[0])
        rewriter.replace(op, (scale, product), product.results)


@dataclass(frozen=True)
class DropWholeTurnsPass(ModulePass):
    """
    Replace each scaled shift by whole turns by a multiplication.

    Level: graph -> graph. Needs: nothing.
    """

    name = "drop-whole-turns"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, DropWholeTurns())


STEP = AddedStep(
    Step("drop-whole-turns", "A multiplication is fused.", optional=True),
    after="recognize-functions",
)
