"""Move expansions after elementwise ops."""

from xdsl.ir import SSAValue

from glow.dialects.graph.declaration import BinaryOp, UnaryOp
from glow.dialects.graph.movement import ExpandOp
from glow.dialects.graph.select import CastOp, WhereOp
from glow.passes.patterns import Replacement, Results, RewritePass
from glow.support.shapes import broadcast
from glow.support.types import element_of, has_layout, shape_of, tensor


def sink_expansion(
    op: UnaryOp | BinaryOp | WhereOp | CastOp, new: Replacement
) -> Results:
    """
    f(expand(x), y) -> f(x, y), or expand(f(x, y)) where that is smaller

    for functions f of elements.
    """
    if any(map(has_layout, op.operands)):
        return None
    operands = [_unexpanded(operand) for operand in op.operands]
    if operands == list(op.operands):
        return None
    small = tensor(element_of(op.result), broadcast(*operands))
    smaller = type(op).create(
        operands=operands, result_types=[small], properties=op.properties
    )
    (result,) = new.insert(smaller)
    if small == op.result.type:
        return result
    return new.emit(ExpandOp, result, shape=shape_of(op.result))


def _unexpanded(value: SSAValue) -> SSAValue:
    op = value.owner
    return op.input if isinstance(op, ExpandOp) and not has_layout(op.input) else value


class SinkExpansionsPass(RewritePass):
    """
    Move expansions after elementwise ops, or drop them where those broadcast.

    A mask per key then stays one, instead of one for each pair of query and key.

    Level: graph -> graph. Needs: nothing.
    """

    name = "sink-expansions"
    patterns = (sink_expansion,)
