"""Drop the constants that no function reads."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from glow.dialects.graph.storage import ConstantOp, LoadOp
from glow.support.walking import ops_in


class RemoveDeadConstantsPass(ModulePass):
    """
    Remove loads whose value is not used, then constants that are not loaded.

    Level: graph -> graph. Needs: nothing.
    """

    name = "remove-dead-constants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        used: set[str] = set()
        for load in [inner for inner in ops_in(op.body) if isinstance(inner, LoadOp)]:
            if load.result.first_use is None:
                Rewriter.erase_op(load)
            else:
                used.add(load.symbol.string_value())
        for constant in list(op.body.block.ops):
            if isinstance(constant, ConstantOp) and constant.sym_name.data not in used:
                Rewriter.erase_op(constant)
