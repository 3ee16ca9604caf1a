"""Mark the op after which each output is final."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from glow.analysis.calls import entries_of
from glow.analysis.directions import accesses_to_symbols
from glow.dialects.memory.storage import PlaceholderOp, ReadyOp
from glow.support.walking import ops_of


class MarkOutputsPass(ModulePass):
    """
    Put a `memory.ready` after the last write to each output and state.

    One that no op writes, since it already holds its value, is ready at once. Scratch
    placeholders are not outputs.

    Level: memory -> memory. Needs: nothing that moves or adds writes may follow.
    """

    name = "mark-outputs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        outputs = [p for p in op.ops if isinstance(p, PlaceholderOp) and p.is_output]
        for function in entries_of(op):
            _mark(function, [p.sym_name.data for p in outputs])


def _mark(function: FuncOp, outputs: list[str]) -> None:
    block = function.body.block
    for old in ops_of(block.ops, ReadyOp):
        Rewriter.erase_op(old)
    accesses = accesses_to_symbols(function)
    for name in outputs:
        known = accesses.get(name)
        ready = ReadyOp(name)
        if known is None or known.writes is None:
            first = block.first_op
            assert first is not None, "a function ends by returning"
            ready.location = function.location
            block.insert_op_before(ready, first)
        else:
            ready.location = known.writes.location
            block.insert_op_after(ready, _end_of(known.writes))


def _end_of(op: Operation) -> Operation:
    """Return the last mark after `op`, so that marks keep the order of outputs."""
    while isinstance(op.next_op, ReadyOp):
        op = op.next_op
    return op
