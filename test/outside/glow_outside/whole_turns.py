"""A pass of this package, and where the default pipeline runs it."""

from glow.passes.patterns import Replacement, Results, RewritePass
from glow.pipeline import AddedStep, Step
from glow.support.types import normalize_axis, shape_of
from glow_outside.scaled_shift import ScaledShiftOp


def drop_whole_turns(op: ScaledShiftOp, new: Replacement) -> Results:
    """scaled_shift(x, s) by all positions of the axis -> x * s"""
    shape = shape_of(op.input)
    axis = normalize_axis(op.axis, len(shape))
    if op.places % (shape[axis] or 1):
        return None
    along = [1] * len(shape)
    along[axis] = shape[axis]
    return new.tensor(op.input) * new.tensor(op.scale).reshape(*along)


class DropWholeTurnsPass(RewritePass):
    """
    Replace each scaled shift by whole turns by a multiplication.

    Level: graph -> graph. Needs: nothing.
    """

    name = "drop-whole-turns"
    patterns = (drop_whole_turns,)


STEP = AddedStep(
    Step("drop-whole-turns", "A multiplication is fused.", optional=True),
    after="recognize-functions",
)
