"""Drop the constants that no function reads, and functions that nothing calls."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from glow.analysis.calls import reached_from
from glow.analysis.directions import functions_of
from glow.dialects.graph.storage import ConstantOp, LoadOp
from glow.support.walking import ops_in


class RemoveDeadConstantsPass(ModulePass):
    """
    Remove private functions that no op calls, loads whose value is not used, then
    constants that are not loaded.

    Level: graph -> graph. Needs: nothing.
    """

    name = "remove-dead-constants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in _uncalled(op):
            Rewriter.erase_op(function)
        used: set[str] = set()
        for load in [inner for inner in ops_in(op.body) if isinstance(inner, LoadOp)]:
            if load.result.first_use is None:
                Rewriter.erase_op(load)
            else:
                used.add(load.symbol.string_value())
        for constant in list(op.body.block.ops):
            if isinstance(constant, ConstantOp) and constant.sym_name.data not in used:
                Rewriter.erase_op(constant)


def _uncalled(module: ModuleOp) -> list[FuncOp]:
    """Return the private functions that no other function calls, even indirectly."""
    functions = functions_of(module)
    entries = [f for f in functions if f.sym_visibility is None]
    reached = {f for entry in entries for f in reached_from(entry, module)}
    return [f for f in functions if entries and f not in reached]
