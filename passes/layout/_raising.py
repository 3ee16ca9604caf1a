"""Movement of transforms above transposes and reshapes that keep bytes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
)
from xdsl.rewriter import Rewriter

from glow.dialects.graph.movement import ReshapeOp, TransposeOp
from glow.dialects.layout.attribute import same_bytes, with_layout
from glow.dialects.layout.transform import TransformOp
from glow.passes.layout._known_transforms import known_behind
from glow.passes.layout.carrying import whole_layout_of
from glow.support.layout import Layout, reshaped
from glow.support.locations import fuse
from glow.support.rewriting import op_type_rewrite_pattern
from glow.support.types import Tensor, shape_of, tensor_type

Movement = TransposeOp | ReshapeOp


class RaiseTransform(RewritePattern):
    """
    transform(move(transform(x))) -> move(transform(x))

    where each op of `move` is a transpose or reshape that keeps bytes, and there is a
    layout above it that it gives the layout wanted below. Likewise where x is a
    constant, which is packed at compile time. Other readers keep what they read; they
    share the movements, which cost nothing.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransformOp, rewriter: PatternRewriter, /) -> None:
        moves, source = _moves_above(op.input)
        if not moves:
            return
        below = _layouts_below(moves, whole_layout_of(op.result))
        if below is None:
            return
        inner, location = source.owner, op.location
        if isinstance(inner, TransformOp):
            source, location = inner.input, fuse(inner.location, location)
        elif known_behind(source) is None:
            return
        wanted, *below = below
        new: list[Operation] = []
        value = source
        if not same_bytes(whole_layout_of(source), wanted, tensor_type(source)):
            new.append(TransformOp(source, wanted))
            new[0].location = location
            value = new[0].results[0]
        for move, layout in zip(reversed(moves), below, strict=True):
            is_last = move is moves[0]
            type_ = (
                tensor_type(op.result) if is_last else with_layout(move.result, layout)
            )
            value = _again(move, value, type_, new)
        rewriter.replace(op, new, (value,))


def _moves_above(value: SSAValue) -> tuple[list[Movement], SSAValue]:
    """Return the ops above `value` that keep bytes, and the value they begin with."""
    moves: list[Movement] = []
    while isinstance(value.owner, Movement) and keeps_bytes(value.owner):
        moves.append(value.owner)
        value = value.owner.input
    return moves, value


def keeps_bytes(op: Movement) -> bool:
    """Return whether the layouts of operand and result show that nothing moves."""
    return keeps_bytes_from(op, whole_layout_of(op.input))


def keeps_bytes_from(op: Movement, layout: Layout) -> bool:
    """Return whether nothing moves if the operand of `op` has `layout`."""
    after = _after(op, layout)
    return after is not None and same_bytes(
        after, whole_layout_of(op.result), tensor_type(op.result)
    )


def _layouts_below(moves: Sequence[Movement], wanted: Layout) -> list[Layout] | None:
    """
    Return the layout above `moves` that ends as `wanted`, then that below each one.

    `moves` go up; None if there is no such layout.
    """
    layouts = [wanted]
    for move in moves:
        below = layouts[0]
        above = _before(move, below)
        if above is None:
            return None
        back = _after(move, above)
        if back is None or not same_bytes(back, below, tensor_type(move.result)):
            return None
        layouts.insert(0, above)
    return layouts


def _after(move: Movement, layout: Layout) -> Layout | None:
    if isinstance(move, TransposeOp):
        return layout.transposed(move.parameters()["permutation"])
    return reshaped(layout, shape_of(move.input), shape_of(move.result))


def _before(move: Movement, layout: Layout) -> Layout | None:
    if isinstance(move, TransposeOp):
        inverse = np.argsort(move.parameters()["permutation"])
        return layout.transposed([int(axis) for axis in inverse])
    return reshaped(layout, shape_of(move.result), shape_of(move.input))


def _again(
    move: Movement, value: SSAValue, type_: Tensor, new: list[Operation]
) -> SSAValue:
    """Append to `new` a copy of `move` on `value`, with a result of `type_`."""
    op = type(move)(value, **move.parameters())
    op.location = move.location
    result = Rewriter.replace_value_with_new_type(op.results[0], type_)
    new.append(op)
    return result
