"""Move expansions behind elementwise ops."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
)

from glow.dialects.graph.elementwise import BinaryOp, UnaryOp
from glow.dialects.graph.movement import ExpandOp
from glow.dialects.graph.select import CastOp, WhereOp
from glow.support.rewriting import op_type_rewrite_pattern, rewrite
from glow.support.types import broadcast, element_of, has_layout, shape_of, tensor


class SinkExpansion(RewritePattern):
    """
    f(expand(x), y) -> f(x, y), or expand(f(x, y)) where that is smaller

    for functions f of elements.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: UnaryOp | BinaryOp | WhereOp | CastOp, rewriter: PatternRewriter, /
    ) -> None:
        if any(map(has_layout, (*op.operands, *op.results))):
            return
        operands = [_unexpanded(operand) for operand in op.operands]
        if operands == list(op.operands):
            return
        small = tensor(element_of(op.result), broadcast(*operands))
        smaller = type(op).create(
            operands=operands, result_types=[small], properties=op.properties
        )
        if small == op.result.type:
            rewriter.replace(op, smaller)
            return
        whole = ExpandOp(smaller.results[0], shape=shape_of(op.result))
        rewriter.replace(op, [smaller, whole])


def _unexpanded(value: SSAValue) -> SSAValue:
    op = value.owner
    return op.input if isinstance(op, ExpandOp) and not has_layout(op.input) else value


@dataclass(frozen=True)
class SinkExpansionsPass(ModulePass):
    """
    Move expansions behind functions of elements, or leave them out where these expand.

    So a mask for each key stays one, instead of one for each pair of query and key.

    Level: graph -> graph. Needs: nothing.
    """

    name = "sink-expansions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, SinkExpansion())
