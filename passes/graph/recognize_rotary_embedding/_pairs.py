"""Pairs of elements of a head: their parts, and tables that have a number for both."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from xdsl.ir import SSAValue

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.declaration import BinaryOp, UnaryOp
from glow.dialects.graph.indexing import GatherOp
from glow.dialects.graph.joining import ConcatOp, SplitOp
from glow.dialects.graph.movement import ExpandOp, ReshapeOp, TileOp, TransposeOp
from glow.dialects.graph.select import CastOp
from glow.dialects.graph.slicing import SliceOp
from glow.dialects.graph.tensors import Tensor, emit
from glow.dialects.graph.unary import NegOp
from glow.passes.patterns import Replacement
from glow.support.types import normalize_axis, shape_of

Pairs = Literal["halves", "interleaved"]
"""Whether the elements of a pair are half the axis apart, or neighbors."""


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
    """Return a part; of a source split into pairs, the part of it before the split."""
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
    """Return the first and the second elements of the pairs that make up `value`."""
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


@dataclass
class Halves:
    """Writes half of a last axis on which each number stands twice."""

    new: Replacement
    pairs: Pairs

    def of(self, value: SSAValue) -> Tensor | None:
        """Return one of each pair of `value`, or None where they may differ."""
        if not shape_of(value) or shape_of(value)[-1] % 2:
            return None
        match value.owner:
            case ConcatOp() as op:
                return self._joined(op)
            case ReshapeOp() as op:
                return self._reshaped(op)
            case UnaryOp() | CastOp() | TransposeOp() | ExpandOp() | SliceOp() as op:
                return self._kept(op)
            case BinaryOp() as op:
                return self._of_two(op)
            case GatherOp() as op:
                return self._gathered(op)
            case _:
                return self._known(value)

    def _known(self, value: SSAValue) -> Tensor | None:
        array = self.new.constants.array_of(value)
        if array is None:
            return None
        first, second = np.split(array, 2, -1)
        if self.pairs == "interleaved":
            first, second = array[..., ::2], array[..., 1::2]
        if not (first == second).all():
            return None
        name = self.new.constants.symbol_of(value)
        return self.new.tensor(self.new.constant(np.ascontiguousarray(first), name))

    def _joined(self, op: ConcatOp) -> Tensor | None:
        parts, rank = list(op.operands), len(shape_of(op.result))
        is_last = normalize_axis(op.axis, rank) == rank - 1
        is_twice = len(parts) == 2 and parts[0] is parts[1]
        if self.pairs != "halves" or not is_last or not is_twice:
            return None
        return self.new.tensor(parts[0])

    def _reshaped(self, op: ReshapeOp) -> Tensor | None:
        given, shape = shape_of(op.input), shape_of(op.result)
        half = None
        if given and given[-1] == shape[-1]:
            half = self.of(op.input)
        elif self.pairs == "interleaved" and given[-2:] == (shape[-1] // 2, 2):
            single = _unrepeated(op.input)
            half = None if single is None else self.new.tensor(single)
        return None if half is None else half.reshape(*shape[:-1], shape[-1] // 2)

    def _kept(self, op: GraphOp) -> Tensor | None:
        """Do to a half what `op` does, which leaves the last axis as it is."""
        (given,), (result,) = op.operands, op.results
        width, p = shape_of(result)[-1], op.parameters()
        rank = len(shape_of(given))
        if not rank or shape_of(given)[-1] != width:
            return None
        if isinstance(op, TransposeOp) and p["permutation"][-1] != rank - 1:
            return None
        if isinstance(op, SliceOp):
            p["sizes"] = (*p["sizes"][:-1], width // 2)
            if p["steps"][-1] != 1:
                return None
        if isinstance(op, ExpandOp):
            p["shape"] = (*shape_of(result)[:-1], width // 2)
        half = self.of(given)
        return None if half is None else emit(type(op), half, **p)

    def _of_two(self, op: BinaryOp) -> Tensor | None:
        width = shape_of(op.result)[-1]
        halves = [
            self.of(each) if shape_of(each)[-1:] == (width,) else self.new.tensor(each)
            for each in (op.lhs, op.rhs)
        ]
        if any(half is None for half in halves):
            return None
        return self.new.emit(type(op), *halves, **op.parameters())

    def _gathered(self, op: GatherOp) -> Tensor | None:
        rank = len(shape_of(op.data))
        if normalize_axis(op.axis, rank) == rank - 1:
            return None
        half = self.of(op.data)
        return None if half is None else xp.take(half, op.indices, op.axis)


def _unrepeated(value: SSAValue) -> SSAValue | None:
    """Return x, of last extent 1, where `value` repeats it twice along that axis."""
    match value.owner:
        case ExpandOp() as op if shape_of(op.input)[-1:] == (1,):
            whole = shape_of(op.input)[:-1] == shape_of(op.result)[:-1]
            return op.input if whole else None
        case TileOp() as op if shape_of(op.input)[-1:] == (1,):
            return op.input if set(op.repeats[:-1]) <= {1} else None
        case ConcatOp() as op if len(op.operands) == 2:
            first, second = op.operands
            is_one = first is second and shape_of(first)[-1:] == (1,)
            return first if is_one else None
        case _:
            return None
