"""Movement of transforms above transposes and reshapes that keep bytes."""

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from glow.analysis.movements import keeps_bytes
from glow.dialects.graph.movement import ReshapeOp, TransposeOp
from glow.dialects.layout.attribute import same_bytes, with_layout
from glow.dialects.layout.transform import TransformOp
from glow.passes.layout._packed_constants import known_behind
from glow.passes.layout.carrying import layout_after, layout_before, whole_layout_of
from glow.passes.patterns import Replacement, Results
from glow.support.layout import Layout
from glow.support.locations import fuse
from glow.support.types import tensor_type

Movement = TransposeOp | ReshapeOp


def raise_transform(op: TransformOp, new: Replacement) -> Results:
    """
    transform(move(transform(x))) -> move(transform(x))

    where each op of `move` is a transpose or reshape that keeps bytes, and there is a
    layout above it that it gives the layout wanted below. Likewise where x is a
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


def _moves_above(value: SSAValue) -> tuple[list[Movement], SSAValue]:
    """Return the ops above `value` that keep bytes, and the value they begin with."""
    moves: list[Movement] = []
    while isinstance(value.owner, Movement) and keeps_bytes(value.owner):
        moves.append(value.owner)
        value = value.owner.input
    return moves, value


def keeps_bytes_from(op: Movement, layout: Layout) -> bool:
    """Return whether nothing moves if the operand of `op` has `layout`."""
    after = layout_after(op, layout)
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
        above = layout_before(move, below)
        if above is None:
            return None
        back = layout_after(move, above)
        if back is None or not same_bytes(back, below, tensor_type(move.result)):
            return None
        layouts.insert(0, above)
    return layouts
