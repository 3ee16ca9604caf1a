"""Begin the life of each allocation at its first use."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from glow.analysis.directions import functions_of
from glow.dialects.memory.storage import AllocOp, ViewOp
from glow.support.walking import block_ops


class SinkAllocsPass(ModulePass):
    """
    Move each allocation and view down to its first use.

    Level: memory -> memory. Needs: nothing; before insert-deallocs. Unused ones are
    removed.
    """

    name = "sink-allocs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions_of(op):
            _sink(function.body.block)


def _sink(block: Block) -> None:
    waiting: set[Operation] = set()

    def place(op: Operation, before: Operation) -> None:
        if op not in waiting:
            return
        waiting.discard(op)
        for operand in op.operands:
            if isinstance(operand.owner, Operation):
                place(operand.owner, before)
        block.insert_op_before(op, before)

    for op in block_ops(block):
        if isinstance(op, AllocOp | ViewOp):
            op.detach()
            waiting.add(op)
            continue
        for operand in op.operands:
            if isinstance(operand.owner, Operation):
                place(operand.owner, op)
    for op in waiting:
        op.drop_all_references()
