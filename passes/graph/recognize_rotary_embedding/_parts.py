"""Slices of heads, and the pairs of elements that they make up."""

from dataclasses import dataclass, replace

from xdsl.ir import SSAValue

from glow.dialects.graph.joining import ConcatOp, SplitOp
from glow.dialects.graph.movement import ReshapeOp
from glow.dialects.graph.slicing import SliceOp
from glow.dialects.graph.unary import NegOp
from glow.passes.graph.recognize_rotary_embedding._halves import Pairs
from glow.support.types import normalize_axis, shape_of


@dataclass(frozen=True)
class HeadSlice:
    """The elements start, start + step, ... of the last axis of `source`."""

    source: SSAValue
    start: int
    step: int
    count: int
    is_negative: bool = False


def part_of(value: SSAValue) -> HeadSlice | None:
    """Return the part of another value that `value` is, perhaps negative."""
    match value.owner:
        case NegOp() as op:
            inner = part_of(op.input)
            return inner and replace(inner, is_negative=not inner.is_negative)
        case SliceOp() as op if shape_of(value):
            starts, steps = op.starts, op.steps
            last = (starts[-1], steps[-1], shape_of(value)[-1])
            is_along = shape_of(op.input)[:-1] == shape_of(value)[:-1]
            is_ahead = set(steps[:-1]) <= {1} and steps[-1] > 0
            return _cut(op.input, *last) if is_along and is_ahead else None
        case SplitOp() as op:
            sizes, rank = op.sizes, len(shape_of(op.input))
            if normalize_axis(op.axis, rank) != rank - 1:
                return None
            index = next(i for i, part in enumerate(op.results) if part is value)
            return _cut(op.input, sum(sizes[:index]), 1, sizes[index])
        case ReshapeOp() as op if _is_column(shape_of(op.input), shape_of(value)):
            return part_of(op.input)
        case _:
            return None


def _is_column(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Return whether shapes differ by a last axis of one."""
    return one in ((*other, 1), other) or other == (*one, 1)


def _cut(source: SSAValue, start: int, step: int, count: int) -> HeadSlice:
    """Return a part; of neighbors that are an axis of two, that of all elements."""
    pairs = source.owner
    is_one_of_two = count == 1 and len(shape_of(source)) > 1
    if isinstance(pairs, ReshapeOp) and is_one_of_two and shape_of(source)[-1] == 2:
        *outer, half, _ = shape_of(source)
        if shape_of(pairs.input) == (*outer, 2 * half):
            return HeadSlice(pairs.input, start, 2, half)
    return HeadSlice(source, start, step, count)


def pairs_of(first: HeadSlice | None, second: HeadSlice | None) -> Pairs | None:
    """Return how two parts make up a whole of pairs, or None where they do not."""
    if first is None or second is None or first.source is not second.source:
        return None
    width = shape_of(first.source)[-1]
    half = width // 2
    if first.count != half or second.count != half or width % 2:
        return None
    if (first.start, first.step) == (0, 1) and (second.start, second.step) == (half, 1):
        return "halves"
    if (first.start, first.step) == (0, 2) and (second.start, second.step) == (1, 2):
        return "interleaved"
    return None


def joined_pairs(value: SSAValue) -> tuple[SSAValue, SSAValue, Pairs] | None:
    """Return the firsts and the seconds of pairs that `value` is put together of."""
    op, pairs = value.owner, "halves"
    if isinstance(op, ReshapeOp):
        shape = shape_of(op.input)
        if len(shape) < 2 or shape[-1] != 2:
            return None
        if (*shape[:-2], 2 * shape[-2]) != shape_of(value):
            return None
        op, pairs = op.input.owner, "interleaved"
    if not isinstance(op, ConcatOp) or len(op.operands) != 2:
        return None
    rank = len(shape_of(op.results[0]))
    if normalize_axis(op.axis, rank) != rank - 1:
        return None
    first, second = op.operands
    if first.type != second.type:
        return None
    return first, second, "interleaved" if pairs == "interleaved" else "halves"
