"""Move transposes towards inputs and constants."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
)

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.movement import TransposeOp
from glow.dialects.graph.reordering import Reordering
from glow.passes.constants import Constants
from glow.passes.graph._reordered_regions import Region
from glow.passes.graph.fold_movement import move_transposes
from glow.passes.graph.reordered_ops import Reorderer, is_read_once, is_reorderable
from glow.passes.graph.transposes import cost_of, order_of, transpose_of
from glow.support.rewriting import op_type_rewrite_pattern


@dataclass
class HoistAbove(RewritePattern):
    """
    transpose(op(a, constant)) -> op(transpose(a), moved constant)

    where nothing else reads the op, and the transposes before it cost no more.
    """

    reorderer: Reorderer

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransposeOp, rewriter: PatternRewriter, /) -> None:
        wanted: SSAValue = op.input
        if transpose_of(op.result) is None or not isinstance(wanted, OpResult):
            return
        inner = wanted.op
        others = any(v.uses for v in inner.results if v is not wanted)
        if not is_reorderable(inner) or others or not is_read_once(wanted):
            return
        reordering = inner.reordered_for(wanted.index, order_of(op))
        if reordering is not None and self.price(inner, reordering) <= cost_of(op):
            self.reorderer.reorder({inner: reordering}, rewriter)

    def price(self, op: GraphOp, reordering: Reordering) -> int:
        """Return what the transposes of the operands cost, each once."""
        pairs = set(zip(op.operands, reordering.operands, strict=True))
        return sum(self.reorderer.price(value, places) for value, places in pairs)


@dataclass
class HoistThroughRegion(RewritePattern):
    """
    transpose(relu(add(a, b))) -> relu(add(transpose(a), transpose(b)))

    for whatever set of ops above a transpose makes the transposes of all together
    cheaper.
    """

    reorderer: Reorderer

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransposeOp, rewriter: PatternRewriter, /) -> None:
        if transpose_of(op.result) is None:
            return
        chosen = Region.above(op, self.reorderer).cheapest()
        if chosen:
            self.reorderer.reorder(chosen, rewriter)


@dataclass(frozen=True)
class HoistTransposesPass(ModulePass):
    """
    Move transposes towards inputs and constants, past every op that can say how it
    computes the same in another order of axes.

    The opposite of `sink-transposes`, with its costs: it removes transposes of what
    an op made larger, and collects others at inputs. Not in the default pipeline.
    Terminates: each rewrite lowers the cost of all transposes, or keeps it and replaces
    a transpose by ones with fewer ops above them.

    Level: graph -> graph. Needs: `fold-constants` before.
    """

    name = "hoist-transposes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not any(isinstance(inner, TransposeOp) for inner in op.walk()):
            return
        constants = Constants(op)
        reorderer = Reorderer(constants)
        move_transposes(
            op, constants, HoistAbove(reorderer), HoistThroughRegion(reorderer)
        )
