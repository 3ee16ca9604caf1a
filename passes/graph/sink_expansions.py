"""Move expansions after elementwise ops and splits."""

from xdsl.ir import SSAValue

from glow.dialects.graph.declaration import BinaryOp, UnaryOp
from glow.dialects.graph.joining import SplitOp
from glow.dialects.graph.movement import ExpandOp, ReshapeOp
from glow.dialects.graph.select import CastOp, WhereOp
from glow.dialects.graph.tensors import Tensor
from glow.passes.patterns import Replacement, Results, RewritePass
from glow.support.op_construction import build_op
from glow.support.shapes import broadcast
from glow.support.types import (
    element_of,
    has_layout,
    normalize_axis,
    shape_of,
    tensor,
)


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
    smaller = build_op(
        type(op), operands=operands, result_types=[small], properties=op.properties
    )
    (result,) = new.insert(smaller)
    if small == op.result.type:
        return result
    return new.emit(ExpandOp, result, shape=shape_of(op.result))


def sink_below_split(op: SplitOp, new: Replacement) -> Results:
    """
    split(expand(x)) -> expand(split(x)), or expand(x) for each part where x broadcasts

    The same where the expansion is reshaped, and the axis of the split is kept.
    """
    whole = op.input
    if isinstance(whole.owner, ReshapeOp):
        whole = whole.owner.input
    expand = whole.owner
    if not isinstance(expand, ExpandOp) or any(
        map(has_layout, (op.input, *op.outputs))
    ):
        return None
    shape, given = shape_of(op.input), new.tensor(expand.input)
    axis = normalize_axis(op.axis, len(shape))
    after = len(shape) - axis - 1
    at = len(shape_of(whole)) - after - 1
    if at < 0 or shape_of(whole)[at:] != shape[axis:]:
        return None  # the reshape joins the axis with another, or moves elements over
    own = at - len(shape_of(whole)) + given.ndim
    is_cut = own >= 0 and given.shape[own] > 1
    if is_cut:
        parts = new.emit_all(SplitOp, given, axis=own, sizes=op.sizes)
    else:
        parts = [given] * len(op.sizes)
    results: list[Tensor] = []
    for part, result in zip(parts, op.outputs, strict=True):
        extents = list(shape_of(whole))
        extents[at] = shape_of(result)[axis]
        expanded = new.emit(ExpandOp, part, shape=tuple(extents))
        results.append(expanded.reshape(*shape_of(result)))
    return results


def _unexpanded(value: SSAValue) -> SSAValue:
    op = value.owner
    return op.input if isinstance(op, ExpandOp) and not has_layout(op.input) else value


class SinkExpansionsPass(RewritePass):
    """
    Move expansions after elementwise ops, or drop them where those broadcast.

    A mask per key then stays one, instead of one for each pair of query and key. They
    also move after splits, so that recognizers find each part expanded by itself.

    Level: graph -> graph. Needs: nothing.
    """

    name = "sink-expansions"
    patterns = (sink_expansion, sink_below_split)
