"""Move transposes towards inputs and constants."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import OpResult, SSAValue
from xdsl.passes import ModulePass

from glow.dialects.graph.movement import TransposeOp
from glow.passes.graph._reordered_regions import Region
from glow.passes.graph.fold_movement import move_transposes
from glow.passes.graph.reordered_ops import Reorderer, is_read_once, is_reorderable
from glow.passes.graph.transposes import cost_of, transpose_of
from glow.passes.patterns import Replacement


def hoist_above(op: TransposeOp, new: Replacement, reorderer: Reorderer) -> None:
    """
    transpose(op(a, constant)) -> op(transpose(a), moved constant)

    where nothing else reads the op, and the transposes before it cost no more.
    """
    wanted: SSAValue = op.input
    if transpose_of(op.result) is None or not isinstance(wanted, OpResult):
        return
    inner = wanted.op
    others = any(v.uses for v in inner.results if v is not wanted)
    if not is_reorderable(inner) or others or not is_read_once(wanted):
        return
    reordering = inner.reordered_for(wanted.index, op.permutation)
    if reordering is None:
        return
    pairs = set(zip(inner.operands, reordering.operands, strict=True))
    if sum(reorderer.price(*pair) for pair in pairs) <= cost_of(op):
        reorderer.reorder({inner: reordering}, new.rewriter)


def hoist_through_region(
    op: TransposeOp, new: Replacement, reorderer: Reorderer
) -> None:
    """
    transpose(relu(add(a, b))) -> relu(add(transpose(a), transpose(b)))

    for whatever set of ops above a transpose makes the transposes of all together
    cheaper.
    """
    if transpose_of(op.result) is not None:
        chosen = Region.above(op, reorderer).cheapest()
        if chosen:
            reorderer.reorder(chosen, new.rewriter)


class HoistTransposesPass(ModulePass):
    """
    Move transposes towards inputs and constants, past every op that can say how it
    computes the same in another order of axes.

    The opposite of `sink-transposes`, with the same costs: it removes transposes of
    values that an op enlarged, and collects others at inputs. Not in the default
    pipeline. Terminates: each rewrite lowers the cost of all transposes, or keeps it
    and replaces a transpose by ones with fewer ops above them.

    Level: graph -> graph. Needs: `fold-constants` before.
    """

    name = "hoist-transposes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        move_transposes(op, hoist_above, hoist_through_region)
