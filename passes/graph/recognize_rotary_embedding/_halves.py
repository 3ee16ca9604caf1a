"""Half of a table of angles in which each number stands twice."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from xdsl.ir import SSAValue

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.declaration import BinaryOp, UnaryOp
from glow.dialects.graph.indexing import GatherOp
from glow.dialects.graph.joining import ConcatOp
from glow.dialects.graph.movement import ExpandOp, ReshapeOp, TileOp, TransposeOp
from glow.dialects.graph.select import CastOp
from glow.dialects.graph.slicing import SliceOp
from glow.dialects.graph.tensors import Tensor, emit
from glow.passes.patterns import Replacement
from glow.support.types import normalize_axis, shape_of

Shape = tuple[int, ...]

Pairs = Literal["halves", "interleaved"]
"""Whether the elements of a pair are half of all apart, or stand together."""


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
    """Return x, its last axis of one, where `value` repeats it along that twice."""
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
