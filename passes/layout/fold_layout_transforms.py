"""Remove transforms that cancel, and those of constants by packing their bytes."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Use
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
)

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.movement import ReshapeOp
from glow.dialects.layout.attribute import same_bytes, strides_of_type
from glow.dialects.layout.transform import TransformOp
from glow.passes.layout._known_transforms import (
    FoldTransformOfConstant,
    FoldTransformOfSplat,
)
from glow.passes.layout._raising import RaiseTransform, keeps_bytes_from
from glow.passes.layout._stored import StoredConstants
from glow.passes.layout.carrying import whole_layout_of
from glow.support.locations import fuse
from glow.support.rewriting import op_type_rewrite_pattern, rewrite
from glow.support.types import tensor_type


class FoldTransformOfTransform(RewritePattern):
    """
    transform(transform(x)) -> transform(x), to the layout of the outer one

    It applies also where the inner one has other readers: that moves no more than
    before. Padding in between does not matter, as padding is always zero.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransformOp, rewriter: PatternRewriter, /) -> None:
        inner = op.input.owner
        if not isinstance(inner, TransformOp):
            return
        new = TransformOp.to(inner.input, tensor_type(op.result))
        new.location = fuse(inner.location, op.location)
        rewriter.replace(op, new)


class RemoveIdentityTransform(RewritePattern):
    """transform(x) -> x, where x has that layout"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransformOp, rewriter: PatternRewriter, /) -> None:
        if op.input.type == op.result.type:
            rewriter.replace(op, (), (op.input,))


class RemoveTransformOfNoByte(RewritePattern):
    """
    transform(x) -> x, where the bytes of x are the same in both layouts

    for readers that depend on bytes only. Symbols, functions and groups have types of
    their own, which state the layout of their operands.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransformOp, rewriter: PatternRewriter, /) -> None:
        if _is_same(op):
            rewriter.replace_uses_with_if(
                op.result, op.input, lambda use: _reads_bytes(op, use)
            )


def _is_same(op: TransformOp) -> bool:
    """Return whether `op` moves nothing, between layouts without blocks."""
    before, after = whole_layout_of(op.input), whole_layout_of(op.result)
    if before.has_extensions or after.has_extensions:
        return False  # they tell layouts apart
    if strides_of_type(op.input.type) is None:
        return False  # a target may want one and the same blocked layout everywhere
    return same_bytes(before, after, op.input.type)


def _reads_bytes(op: TransformOp, use: Use) -> bool:
    reader = use.operation
    if isinstance(reader, ReshapeOp):
        return keeps_bytes_from(reader, whole_layout_of(op.input))
    return isinstance(reader, GraphOp)


@dataclass(frozen=True)
class FoldLayoutTransformsPass(ModulePass):
    """
    Cancel transforms that follow each other; pack constants that are transformed.

    Two transforms become one, also with transposes and reshapes between them that keep
    bytes; a transform that moves no byte is removed. A constant is packed once per
    layout, and a splat stays one element. No rewrite adds a movement.

    Level: layout -> layout. Needs: nothing; cleans up after assign-layouts.
    """

    name = "fold-layout-transforms"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        constants = StoredConstants(op)
        rewrite(
            op,
            RemoveIdentityTransform(),
            FoldTransformOfTransform(),
            RemoveTransformOfNoByte(),
            FoldTransformOfSplat(constants),
            FoldTransformOfConstant(constants),
            RaiseTransform(),
        )
