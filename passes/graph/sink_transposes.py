"""Move transposes towards results, where inverses cancel."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.movement import TransposeOp
from glow.dialects.graph.reordering import Reordering
from glow.passes.graph._reordered_regions import Region
from glow.passes.graph.fold_movement import move_transposes
from glow.passes.graph.reordered_ops import Reorderer, is_read_once, is_reorderable
from glow.passes.graph.transposes import (
    cost_of,
    inverse,
    transpose_bytes,
    transpose_of,
)
from glow.passes.patterns import Replacement


def sink_below(op: GraphOp, new: Replacement, reorderer: Reorderer) -> None:
    """
    op(transpose(a), transpose(b), constant) -> transpose(op(a, b, moved constant))

    where nothing else reads the transposes and they cost no less than those after.
    """
    inners = enumerate(map(transpose_of, op.operands))
    index, inner = next(((i, t) for i, t in inners if t is not None), (0, None))
    if inner is None or not is_reorderable(op):
        return
    reordering = op.reordered(index, inverse(inner.permutation))
    if reordering is not None and _pays(op, reordering, reorderer):
        reorderer.reorder({op: reordering}, new.rewriter)


def _pays(op: GraphOp, reordering: Reordering, reorderer: Reorderer) -> bool:
    """Return whether `op` alone reads the transposes, and none is added."""
    gone: set[TransposeOp] = set()
    for value, places in zip(op.operands, reordering.operands, strict=True):
        inner = transpose_of(value)
        if inner is not None and inverse(inner.permutation) == places:
            gone.add(inner)
        elif not reorderer.is_free(value, places):
            return False
    made = zip(op.results, reordering.results, strict=True)
    after = sum(transpose_bytes(v, order) for v, order in made if v.uses)
    alone = all(is_read_once(inner.result) for inner in gone)
    return alone and after <= sum(map(cost_of, gone))


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
        move_transposes(op, sink_below, sink_through_region)
