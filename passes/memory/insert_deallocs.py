"""End the life of each allocation after its last use."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from glow.analysis.buffers import uses_of
from glow.analysis.directions import functions_of
from glow.dialects.memory.storage import DeallocOp


class InsertDeallocsPass(ModulePass):
    """
    Put a `memory.dealloc` after the last op that uses an allocation or a view of it.

    Level: memory -> memory. Needs: nothing. An allocation that has one is left alone.
    """

    name = "insert-deallocs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions_of(op):
            _insert(function)


def _insert(function: FuncOp) -> None:
    uses = uses_of(function.body.block)
    for value, lifetime in uses.lifetimes.items():
        if any(isinstance(use.operation, DeallocOp) for use in value.uses):
            continue
        last = uses.ops[lifetime.last]
        dealloc = DeallocOp(value)
        dealloc.location = last.location
        function.body.block.insert_op_after(dealloc, last)
