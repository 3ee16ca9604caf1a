"""Lower determinants: elimination in a copy of each matrix."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Generic

from glow.codegen.conditions import is_nan, select
from glow.codegen.functions import fma
from glow.codegen.loops import Level, N, Var, loop, nest, when
from glow.codegen.memory import Memory
from glow.codegen.strips import Strips
from glow.codegen.values import Value, absolute, constant
from glow.dialects.graph.linear import DetOp
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import Buffer
from glow.lowering.memory_to_loops.axes import axes_along, collapse
from glow.lowering.memory_to_loops.kernels.kernel import Call, Kernel, work_of
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.types import compute_type, element_of, shape_of


@dataclass(frozen=True)
class DetRow(Generic[N]):
    """
    Loops over matrices, their extent, and the strides of the input in one.

    Operands of the loops are the input and the result.
    """

    outer: tuple[Level[N], ...]
    extent: N
    row_stride: N
    column_stride: N


@dataclass(frozen=True)
class Det(Kernel):
    """
    Eliminate a copy of each matrix by its largest pivots; multiply these.

    Unit: an iteration of the outermost loop over matrices.
    Scratch: `copy` holds one matrix; pieces that run at once need their own.
    """

    strips: Strips

    def write(self, call: Call[DetRow[Value]]) -> None:
        row, x, copy = call.row, call["x"], call["copy"]
        extent = row.extent
        for start, to in nest(row.outer, 2, bounds=call.range):
            for i in loop(0, extent):
                for j in loop(0, extent):
                    at = start + i * row.row_stride + j * row.column_stride
                    copy[i * extent + j] = x[at]
            call["y"][to] = self._eliminated(copy, extent)

    def _eliminated(self, matrix: Memory, extent: Value) -> Value:
        """Return the product of the pivots, negated for each pair of swapped rows."""
        product = Var(constant(1, matrix.compute))
        for k in loop(0, extent, product):
            top = k * extent
            pivot, place = Var(matrix[top + k]), Var(k)
            for i in loop(k + 1, extent, pivot, place):
                other = matrix[i * extent + k]
                wins = (absolute(other) > absolute(pivot.value)) | is_nan(other)
                pivot.value = select(wins, other, pivot.value)
                place.value = select(wins, i, place.value)
            is_lower = place.value != k
            with when(is_lower):
                for j in loop(k, extent):
                    upper, lower = top + j, place.value * extent + j
                    kept = matrix[upper]
                    matrix[upper] = matrix[lower]
                    matrix[lower] = kept
            product.value *= select(is_lower, -pivot.value, pivot.value)
            for i in loop(k + 1, extent):
                start = i * extent
                # Below a pivot of 0 all elements are 0 already.
                factor = -matrix[start + k] / pivot.value
                factor = select(pivot.value == 0, 0, factor)
                for j, strip in self.strips.along(extent, start=k + 1):
                    rest = matrix.load(start + j, strip)
                    rest = fma(matrix.load(top + j, strip), factor, rest)
                    matrix.store(rest, start + j, strip)
        return product.value


def _scratch(op: DetOp) -> list[Buffer]:
    """Return room for one matrix."""
    return [Buffer(compute_type(element_of(op.input)), shape_of(op.input)[-2:])]


@lowers(DetOp, scratch=_scratch)
def lower_det(main: Main, op: ApplyOp) -> None:
    buffers = [op.buffer("input"), op.buffer("result"), *op.scratch]
    x, y = map(addressing_of, buffers[:2])
    axes = axes_along(y.shape, x.strides[:-2], y.strides)
    levels = tuple(collapse(axes, (1, 0)))
    strips = main.strips(buffers[-1])
    row = DetRow(levels, x.shape[-1], *x.strides[-2:])
    work = work_of(levels, prod(x.shape) * x.shape[-1])
    x, y, copy = buffers
    arguments = {"x": main.base(x), "y": main.base(y), "copy": main.own(copy)}
    main.call(Det(strips), arguments, row, work)
