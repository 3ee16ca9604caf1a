"""Convolutions in which each output channel reads one input channel."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from glow.lowering.memory_to_loops.builder import Body
from glow.lowering.memory_to_loops.kernels.gemm import Gemm
from glow.lowering.memory_to_loops.kernels.microkernel import (
    Columns,
    Factors,
    multiply_lanes,
)


@dataclass(frozen=True)
class Depthwise(Gemm):
    """
    `result[row, column] = epilogue(bias[column] + sum of left * right per column)`.

    Rows and columns are those of a `Gemm`; a segment is one place of the window.
    """

    @property
    def prefix(self) -> str:
        return super().prefix.replace("gemm", "depthwise")

    @property
    def left_has_columns(self) -> bool:
        return True

    def multiply(
        self, b: Body, columns: Columns, factors: Factors, sums: Sequence[SSAValue]
    ) -> list[SSAValue]:
        return multiply_lanes(b, columns, factors, sums)
