"""Angles whose cosines exporters write twice, and the half that says all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import SSAValue

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.elementwise import BinaryOp, UnaryOp
from glow.dialects.graph.indexing import GatherOp
from glow.dialects.graph.joining import ConcatOp
from glow.dialects.graph.movement import ExpandOp, ReshapeOp, TileOp, TransposeOp
from glow.dialects.graph.select import CastOp
from glow.dialects.graph.slicing import SliceOp
from glow.passes.graph._constants import Constants
from glow.passes.graph._writer import Writer
from glow.support.types import normalize_axis, shape_of

Shape = tuple[int, ...]

Pairs = Literal["halves", "neighbours"]
"""Whether the elements of a pair are half of all apart, or stand together."""


@dataclass
class Halves:
    """Writes half of a last axis on which each number stands twice."""

    writer: Writer
    constants: Constants
    pairs: Pairs

    def of(self, value: SSAValue) -> SSAValue | None:
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

    def _known(self, value: SSAValue) -> SSAValue | None:
        array = self.constants.array_of(value)
        if array is None:
            return None
        first, second = np.split(array, 2, -1)
        if self.pairs == "neighbours":
            first, second = array[..., ::2], array[..., 1::2]
        if not (first == second).all():
            return None
        name = self.constants.symbol_of(value)
        half = np.ascontiguousarray(first)
        return self.writer.add(self.constants.make(half, name, UnknownLoc()))

    def _joined(self, op: ConcatOp) -> SSAValue | None:
        parts, axis = list(op.operands), op.parameters()["axis"]
        is_last = normalize_axis(axis, len(shape_of(op.results[0]))) == (
            len(shape_of(op.results[0])) - 1
        )
        is_twice = len(parts) == 2 and parts[0] is parts[1]
        return parts[0] if self.pairs == "halves" and is_last and is_twice else None

    def _reshaped(self, op: ReshapeOp) -> SSAValue | None:
        given, shape = shape_of(op.input), shape_of(op.result)
        if given and given[-1] == shape[-1]:
            return self._written(self.of(op.input), shape)
        is_paired = given[-2:] == (shape[-1] // 2, 2)
        if self.pairs == "neighbours" and is_paired:
            return self._written(_unrepeated(op.input), shape)
        return None

    def _written(
        self, half: SSAValue | None, shape: tuple[int, ...]
    ) -> SSAValue | None:
        if half is None:
            return None
        return self.writer.reshaped(half, *shape[:-1], shape[-1] // 2)

    def _kept(self, op: GraphOp) -> SSAValue | None:
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
        return None if half is None else self.writer.add(type(op)(half, **p))

    def _of_two(self, op: BinaryOp) -> SSAValue | None:
        width = shape_of(op.result)[-1]
        halves: list[SSAValue] = []
        for operand in (op.lhs, op.rhs):
            shape = shape_of(operand)
            is_wide = bool(shape) and shape[-1] == width
            half = self.of(operand) if is_wide else operand
            if half is None:
                return None
            halves.append(half)
        return self.writer.add(type(op)(*halves, **op.parameters()))

    def _gathered(self, op: GatherOp) -> SSAValue | None:
        rank, axis = len(shape_of(op.data)), op.parameters()["axis"]
        if normalize_axis(axis, rank) == rank - 1:
            return None
        half = self.of(op.data)
        if half is None:
            return None
        return self.writer.add(GatherOp(half, op.indices, axis=axis))


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
