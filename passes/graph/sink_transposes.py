"""Move transposes towards results, where inverses cancel."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from glow.dialects.graph.movement import TransposeOp
from glow.passes.graph._reordered_regions import Region
from glow.passes.graph.fold_movement import move_transposes
from glow.passes.graph.reordered_ops import Reorderer
from glow.passes.graph.transposes import transpose_of
from glow.passes.patterns import Replacement


def sink_through_region(
    op: TransposeOp, new: Replacement, reorderer: Reorderer
) -> None:
    """
    relu(add(transpose(a), b)) -> transpose(relu(add(a, inverse transpose(b))))

    for whatever set of ops below a transpose makes the transposes of all together
    cheaper: those that vanish, those that others still need, those of operands that
    come from elsewhere.
    """
    if transpose_of(op.result) is not None:
        chosen = Region.below(op, reorderer).furthest()
        if chosen:
            reorderer.reorder(chosen, new.rewriter)


class SinkTransposesPass(ModulePass):
    """
    Move transposes towards results, past every op that can say how it computes the
    same in another order of axes, and merge them with those that they meet.

    `GraphOp.reordered` gives the reordered form of an op, so there is no list of ops
    here. Constants are transposed at compile time. Where it costs less in total, a
    transpose with several readers stays for some of them, or one is added on another
    operand. The cost is the bytes that a transpose reads and writes, and 4096 bytes for
    a call. Terminates: each rewrite lowers the cost of all transposes, or keeps it and
    replaces transposes by ones with fewer other ops below them.

    Level: graph -> graph. Needs: `fold-constants` before; `fold-batch-norm` after it
    finds more.
    """

    name = "sink-transposes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        move_transposes(op, sink_through_region)
