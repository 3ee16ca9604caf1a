"""Tensors with a data-dependent number of rows: the first ones count."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.ir import Operation, SSAValue

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.along_axis import AlongAxisOp, CumsumOp
from glow.dialects.graph.convolution import ConvolutionOp
from glow.dialects.graph.declaration import ElementwiseOp
from glow.dialects.graph.indexing import GatherOp
from glow.dialects.graph.joining import ConcatOp, SplitOp
from glow.dialects.graph.layer_norm import LastAxesNormOp
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.movement import ExpandOp, ReshapeOp, TransposeOp
from glow.dialects.graph.normalization import BatchNormOp
from glow.dialects.graph.pooling import GlobalPoolOp, PoolOp
from glow.dialects.graph.reduction import ReducingOp
from glow.dialects.graph.scattering import ScatterNdOp
from glow.dialects.graph.select import CastOp, DropoutOp
from glow.dialects.graph.slicing import SliceOp
from glow.dialects.graph.storage import SaveOp
from glow.dialects.graph.tensors import Tensor
from glow.formats.onnx.problems import Unsupported
from glow.support.types import element_of, is_float, normalize_axis, shape_of

_BROADCASTING = ElementwiseOp, LastAxesNormOp, MatMulOp

_FAULTS = frozenset({"graph.div", "graph.mod"})
"""Integer functions that might fail on rows that do not count."""


@dataclass(frozen=True)
class CountedAxis:
    """An axis along which the first `count` parts count."""

    axis: int
    count: SSAValue


class CountedRows(dict[SSAValue, CountedAxis]):
    """
    The values of which only the first rows count.

    An op that works row by row on such values gives more of them; others are refused.
    """

    def __init__(self, inputs_behind: Callable[[SSAValue], set[str]]):
        """`inputs_behind` gives the inputs that a value is computed from."""
        super().__init__()
        self._inputs_behind = inputs_behind

    def note(self, value: Tensor, axis: int, count: Tensor) -> Tensor:
        """Let only the first `count` parts of `value` along an axis count."""
        self[value.value] = CountedAxis(axis, count.value)
        return value

    def with_zeros(self, value: Tensor) -> Tensor:
        """Return `value` with 0 in rows that do not count, as these must not fault."""
        own = self.pop(value.value, None)
        if own is None:
            return value
        column = [1] * value.ndim
        column[own.axis] = -1
        places = np.arange(value.shape[own.axis], dtype=np.int64).reshape(column)
        count = value.writer.tensor(own.count)
        made = xp.where(count > places, value, value.writer.like(0, value))
        self[value.value] = self[made.value] = own
        return made

    def follow(self, op: Operation) -> None:
        """Note what `op` makes of such values; raise unless it works row by row."""
        read = [value for value in op.operands if value in self]
        if not read or isinstance(op, SaveOp):
            return
        counts = {self[value].count for value in read}
        axes = set(self._axes_after(op)) if len(counts) == 1 else {None}
        if len(axes) != 1 or None in axes:
            raise self.refusal(op.name, read)
        (axis,) = axes
        assert axis is not None
        for result in op.results:
            self[result] = CountedAxis(axis, self[read[0]].count)

    def refusal(self, what: str, values: Iterable[SSAValue]) -> Unsupported:
        """Return the error for something that does not work row by row on `values`."""
        counts = [self[value].count for value in values if value in self]
        return Unsupported(
            f"{what} of a data-dependent number of rows, expected an operator that "
            "works row by row, or an output of the model",
            set[str]().union(*map(self._inputs_behind, counts)),
        )

    def _axes_after(self, op: Operation) -> Iterator[int | None]:
        """Yield the axis of results that each operand's axis becomes; None: no axis."""
        found = {
            self._axis_after(op, index, self[value].axis)
            for index, value in enumerate(op.operands)
            if value in self
        }
        yield from found
        for index, value in enumerate(op.operands):
            if value not in self and isinstance(op, ConcatOp):
                yield None
            elif value not in self and isinstance(op, _BROADCASTING):
                yield from (None for axis in found if _has_rows(op, index, axis))

    def _axis_after(self, op: Operation, index: int, axis: int) -> int | None:
        shape = shape_of(op.operands[index])
        match op:
            case ElementwiseOp() if op.name not in _FAULTS or is_float(
                element_of(op.result)
            ):
                return axis - len(shape) + len(shape_of(op.result))
            case CastOp() | DropoutOp():
                return axis
            case TransposeOp():
                return op.permutation.index(axis)
            case ReshapeOp():
                return _after_reshape(shape, shape_of(op.result), axis)
            case SliceOp() if op.sizes[axis] == shape[axis] and op.steps[axis] == 1:
                return axis
            case GatherOp():
                own = normalize_axis(op.axis, len(shape_of(op.data)))
                if index == 1:
                    return own + axis
                more = len(shape_of(op.indices)) - 1
                return None if axis == own else axis + more * (axis > own)
            case ConcatOp() | SplitOp() | AlongAxisOp():
                return None if normalize_axis(op.axis, len(shape)) == axis else axis
            case LastAxesNormOp() if index == 0:
                return axis if axis < normalize_axis(op.axis, len(shape)) else None
            case ReducingOp() | ExpandOp():
                kept = op.axis_map(index)
                return kept.index(axis) if axis in kept else None
            case ConvolutionOp() | PoolOp() | GlobalPoolOp() | BatchNormOp():
                return 0 if axis == index == 0 else None
            case MatMulOp():
                return _after_product(op, index, axis)
            case _:
                return None


def _has_rows(op: Operation, index: int, axis: int | None) -> bool:
    """Return whether an operand has a part for each row along an axis of the result."""
    if axis is None:
        return False
    shape, whole = shape_of(op.operands[index]), shape_of(op.results[0])
    if isinstance(op, MatMulOp) and index == 1 and axis == len(whole) - 2:
        return False  # all rows are multiplied by it
    own = axis - len(whole) + len(shape)
    return own >= 0 and shape[own] != 1


def _after_product(op: MatMulOp, index: int, axis: int) -> int | None:
    """Return where rows of a factor, or of matrices in a batch, are in the product."""
    ranks = [len(shape_of(value)) for value in (op.lhs, op.rhs)]
    if index == 2 or min(ranks) < 2:
        return None
    is_row = index == 0 and axis == ranks[0] - 2 and not op.transpose_lhs
    if axis >= ranks[index] - 2 and not is_row:
        return None
    return axis - ranks[index] + len(shape_of(op.result))


def _after_reshape(
    before: tuple[int, ...], after: tuple[int, ...], axis: int
) -> int | None:
    """Return the axis that stays as it is; None if several could be it, or none."""
    wanted = prod(before[:axis]), before[axis], prod(before[axis + 1 :])
    found = [
        place
        for place, extent in enumerate(after)
        if (prod(after[:place]), extent, prod(after[place + 1 :])) == wanted
    ]
    if before == after:
        return axis
    return found[0] if len(found) == 1 else None


def places_of(condition: Tensor) -> tuple[Tensor, Tensor]:
    """
    Return where a row of bools is true, as [N] of i64, and how often it is.

    Places behind the last one are 0.
    """
    size = condition.size
    numbers = condition.astype(np.int64)
    if not size:
        return numbers, numbers.writer.tensor(np.int64(0))
    emit = condition.writer.emit
    running = emit(CumsumOp, numbers, axis=0)
    goal = xp.where(condition, running - 1, np.int64(size)).reshape(size, 1)
    empty = numbers.writer.tensor(np.zeros(size + 1, np.int64))
    places = emit(ScatterNdOp, empty, goal, np.arange(size, dtype=np.int64))
    return places[:size], running[size - 1]
