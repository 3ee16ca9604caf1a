"""Calls of the plain kernel for products: what no faster one computes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from xdsl.ir import SSAValue

from glow.codegen.loops import Level
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.products import ConvOp, MatMulOp
from glow.lowering.memory_to_loops._epilogue import form_of
from glow.lowering.memory_to_loops.kernels.contraction import (
    Contraction,
    ContractionRow,
)
from glow.lowering.memory_to_loops.kernels.kernel import Work
from glow.lowering.memory_to_loops.main import Main


def call_contraction(
    main: Main,
    op: ConvOp | MatMulOp,
    factors: Sequence[SSAValue],
    row: ContractionRow[int],
) -> None:
    """Append the call that multiplies `factors`, with the epilogue of `op`."""
    left, right = (buffer_type(factor).element_type for factor in factors)
    form = form_of(op, left)
    bias = [] if op.bias is None else [op.bias]
    arguments = [main.base(b) for b in (*factors, *bias, *op.extras, op.result)]
    if form.program.divides_integers:
        arguments.append(main.fault)
        row = replace(row, code=main.message(op, "integer division by zero"))
    # The outermost loop is what is cut into pieces.
    outer = tuple(level for level in row.outer if level.extent > 1)
    row = replace(row, outer=outer)
    counts = len(outer), len(row.windows), len(row.inner)
    kernel = Contraction(form, left, right, *counts)
    main.call(kernel, arguments, row, _work(row))


def _work(row: ContractionRow[int]) -> Work:
    places: list[Level[int]] = [*row.outer, *(window.level for window in row.windows)]
    units, *others = [level.extent for level in places] or [1]
    taps = [window.taps for window in row.windows]
    return Work(units, prod(others) * prod(taps) * prod(n.extent for n in row.inner))
