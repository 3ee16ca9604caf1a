"""Put ops that one kernel will compute into one `graph.fused`."""

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from glow.analysis.directions import functions_of
from glow.dialects.graph.fused import FusedOp, YieldOp
from glow.passes.layout.grouping import groups_of
from glow.support.locations import fuse


class GroupOpsPass(ModulePass):
    """
    Group convolutions and products with the elementwise ops that follow, and
    elementwise ops with each other.

    A group has one result, the value of its last op; its other values have no readers
    outside, so nothing is computed twice. All values have the result's shape and
    layout; operands may broadcast.

    Level: layout -> layout. Needs: assigned layouts; runs last, as other rewrites
    expect single ops.
    """

    name = "group-ops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions_of(op):
            for block in function.body.blocks:
                for group in groups_of(block):
                    _fuse(group)


def _fuse(group: Sequence[Operation]) -> None:
    """Move `group` into one op that stands where its last op stood."""
    last = group[-1]
    block = last.parent
    assert block is not None
    inside = set(group)
    inputs = list(
        dict.fromkeys(
            operand
            for op in group
            for operand in op.operands
            if operand.owner not in inside
        )
    )
    body = Block(arg_types=[value.type for value in inputs])
    fused = FusedOp(inputs, [value.type for value in last.results], Region(body))
    fused.location = fuse(*(op.location for op in group))
    Rewriter.insert_op(fused, InsertPoint.before(last))
    for old, new in zip(last.results, fused.outputs, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    _move(group, body, dict(zip(inputs, body.args, strict=True)))


def _move(
    group: Sequence[Operation], body: Block, arguments: dict[SSAValue, SSAValue]
) -> None:
    for value, argument in arguments.items():
        argument.name_hint = value.name_hint
    for op in group:
        op.detach()
        op.operands = [arguments.get(operand, operand) for operand in op.operands]
        body.add_op(op)
    end = YieldOp(*group[-1].results)
    end.location = group[-1].location
    body.add_op(end)
