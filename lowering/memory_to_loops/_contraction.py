"""Calls of the plain kernel for products: what no faster one computes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.products import ConvOp, MatMulOp
from glow.lowering.memory_to_loops._epilogue import program_of
from glow.lowering.memory_to_loops.axes import Axis, nest_row
from glow.lowering.memory_to_loops.kernels.contraction import Contraction
from glow.lowering.memory_to_loops.main import Main


@dataclass(frozen=True)
class Slide:
    """
    A spatial axis of a convolution, as `kernels.contraction.Window` reads it.

    Units: strides in elements.
    """

    axis: Axis
    step: int
    pad: int
    dilation: int
    taps: int
    limit: int
    moves: tuple[int, int]

    def row(self) -> list[int]:
        window = [self.step, self.pad, self.dilation, self.taps, self.limit]
        return [*nest_row([self.axis]), *window, *self.moves]


@dataclass(frozen=True)
class Loops:
    """
    The loops of a contraction.

    Axes of `outer` and windows move left, right, bias, each extra and the result; those
    of `inner` left and right.
    """

    outer: Sequence[Axis]
    inner: Sequence[Axis]
    windows: Sequence[Slide] = ()
    begin: int = 0
    """Where the left factor begins."""


def call_contraction(
    main: Main, op: ConvOp | MatMulOp, factors: Sequence[SSAValue], loops: Loops
) -> None:
    """Append the call that multiplies `factors`, with the epilogue of `op`."""
    program = program_of(op.epilogue, buffer_type(factors[0]).element_type)
    kernel = Contraction(
        program,
        op.bias is not None,
        len(loops.outer),
        len(loops.windows),
        len(loops.inner),
    )
    row = [loops.begin, *nest_row(loops.outer)]
    for slide in loops.windows:
        row += slide.row()
    row += nest_row(loops.inner)
    bias = [] if op.bias is None else [op.bias]
    arguments = [main.base(b) for b in (*factors, *bias, *op.extras, op.result)]
    if program.divides_integers:
        arguments.append(main.fault)
        row.append(main.message(op, "integer division by zero"))
    main.call(kernel, arguments, row)
