"""Remove transforms that cancel, and those of constants by packing their bytes."""

from collections.abc import Sequence
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue, Use
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from glow.analysis.movements import (
    keeps_bytes,
    layout_after,
    layout_before,
    whole_layout_of,
)
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.movement import ReshapeOp, TransposeOp
from glow.dialects.layout.attribute import same_bytes, strides_of_type, with_layout
from glow.dialects.layout.transform import TransformOp
from glow.passes.layout._packed_constants import (
    StoredConstants,
    fold_transform_of_constant,
    fold_transform_of_splat,
    known_behind,
)
from glow.passes.patterns import Replacement, Results, rewrite
from glow.support.layout import Layout
from glow.support.locations import fuse
from glow.support.types import tensor_type

Rearrangement = TransposeOp | ReshapeOp


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
        return False  # extensions tell layouts apart
    if strides_of_type(op.input.type) is None:
        return False  # a target may want one and the same blocked layout everywhere
    return same_bytes(before, after, op.input.type)


def _reads_bytes(op: TransformOp, use: Use) -> bool:
    reader = use.operation
    if isinstance(reader, ReshapeOp):
        return keeps_bytes(reader, whole_layout_of(op.input))
    return isinstance(reader, GraphOp)


def raise_transform(op: TransformOp, new: Replacement) -> Results:
    """
    transform(move(transform(x))) -> move(transform(x))

    where each op of `move` is a transpose or reshape that keeps bytes, and some layout
    above it becomes the layout wanted below. Likewise where x is a
    constant, which is packed at compile time. Other readers keep what they read; they
    share the movements, which cost nothing.
    """
    moves, source = _moves_above(op.input)
    below = _layouts_below(moves, whole_layout_of(op.result)) if moves else None
    if below is None:
        return None
    inner, location = source.owner, op.location
    if isinstance(inner, TransformOp):
        source, location = inner.input, fuse(inner.location, location)
    elif known_behind(source) is None:
        return None
    wanted, *below = below
    value = source
    if not same_bytes(whole_layout_of(source), wanted, tensor_type(source)):
        transform = TransformOp(source, wanted)
        transform.location = location
        (value,) = new.insert(transform)
    for move, layout in zip(reversed(moves), below, strict=True):
        again = type(move)(value, **move.parameters())
        again.location = move.location
        type_ = op.result.type if move is moves[0] else with_layout(move.result, layout)
        value = Rewriter.replace_value_with_new_type(again.results[0], type_)
        new.insert(again)
    return value


def _moves_above(value: SSAValue) -> tuple[list[Rearrangement], SSAValue]:
    """Return the ops above `value` that keep bytes, and the value they begin with."""
    moves: list[Rearrangement] = []
    while isinstance(value.owner, Rearrangement) and keeps_bytes(value.owner):
        moves.append(value.owner)
        value = value.owner.input
    return moves, value


def _layouts_below(
    moves: Sequence[Rearrangement], wanted: Layout
) -> list[Layout] | None:
    """
    Return the layout above `moves` that ends as `wanted`, then that below each one.

    `moves` go up; None if there is no such layout.
    """
    layouts = [wanted]
    for move in moves:
        below = layouts[0]
        above = layout_before(move, below)
        if above is None:
            return None
        back = layout_after(move, above)
        if back is None or not same_bytes(back, below, tensor_type(move.result)):
            return None
        layouts.insert(0, above)
    return layouts


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
