"""Remove transforms that cancel, and those of constants by packing their bytes."""

from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Use
from xdsl.passes import ModulePass

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.movement import ReshapeOp
from glow.dialects.layout.attribute import same_bytes, strides_of_type
from glow.dialects.layout.transform import TransformOp
from glow.passes.layout._packed_constants import (
    StoredConstants,
    fold_transform_of_constant,
    fold_transform_of_splat,
)
from glow.passes.layout._raising import keeps_bytes_from, raise_transform
from glow.passes.layout.carrying import whole_layout_of
from glow.passes.patterns import Replacement, Results, rewrite
from glow.support.locations import fuse
from glow.support.types import tensor_type


def fold_transform_of_transform(op: TransformOp, new: Replacement) -> Results:
    """
    transform(transform(x)) -> transform(x), to the layout of the outer one

    It applies also where the inner one has other readers: that moves no more than
    before. Padding in between does not matter, as padding is always zero.
    """
    inner = op.input.owner
    if not isinstance(inner, TransformOp):
        return None
    new.location = fuse(inner.location, op.location)
    return new.insert(TransformOp.to(inner.input, tensor_type(op.result)))


def remove_identity_transform(op: TransformOp, new: Replacement) -> Results:
    """transform(x) -> x, where x has that layout"""
    return op.input if op.input.type == op.result.type else None


def remove_transform_of_no_byte(op: TransformOp, new: Replacement) -> None:
    """
    transform(x) -> x, where the bytes of x are the same in both layouts

    for readers that depend on bytes only. Symbols, functions and groups have types of
    their own, which state the layout of their operands.
    """
    if _is_same(op):
        new.rewriter.replace_uses_with_if(
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


class FoldLayoutTransformsPass(ModulePass):
    """
    Cancel transforms that follow each other; pack constants that are transformed.

    Two transforms become one, also through transposes and reshapes that keep bytes; a
    transform that moves no byte is removed. A constant is packed once per
    layout, and a splat stays one element. No rewrite adds a movement.

    Level: layout -> layout. Needs: nothing; cleans up after assign-layouts.
    """

    name = "fold-layout-transforms"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        stored = StoredConstants(op)
        rewrite(
            op,
            remove_identity_transform,
            fold_transform_of_transform,
            remove_transform_of_no_byte,
            partial(fold_transform_of_splat, constants=stored),
            partial(fold_transform_of_constant, constants=stored),
            raise_transform,
            on_layouts=True,
        )
