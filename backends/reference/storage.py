"""Storage of the values of an interpreted run."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from xdsl.ir import SSAValue

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.fused import FusedOp

Array = NDArray[Any]


class TensorStorage:
    """Keeps each value as the tensor that it is; layouts do not matter."""

    def __init__(self) -> None:
        self._values: dict[SSAValue, Array] = {}

    def write(self, value: SSAValue, array: Array) -> None:
        self._values[value] = array

    def read(self, value: SSAValue) -> Array:
        return self._values[value]

    def free(self, value: SSAValue) -> None:
        del self._values[value]

    def evaluate(self, op: GraphOp | FusedOp) -> None:
        """Compute the results of `op` from its operands."""
        results = op.evaluate([self.read(operand) for operand in op.operands])
        for result, array in zip(op.results, results, strict=True):
            self.write(result, array)
