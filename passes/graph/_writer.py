"""Writes several ops in the place of one."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from xdsl.ir import Operation, SSAValue

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.movement import ReshapeOp
from glow.dialects.graph.storage import LiteralOp, LoadOp
from glow.support.types import dtype_of, element_of, shape_of


@dataclass
class Writer:
    """Collects ops in order; each method returns the value of the op it adds."""

    ops: list[Operation] = field(default_factory=lambda: [])

    def add(self, op: GraphOp | LiteralOp | LoadOp) -> SSAValue:
        self.ops.append(op)
        return op.results[0]

    def discard(self) -> None:
        """Forget all ops, which are inserted nowhere, so that they use nothing."""
        for op in reversed(self.ops):
            op.erase()
        self.ops.clear()

    def like(self, value: SSAValue, number: float) -> SSAValue:
        """Add `number` with the elements that `value` has."""
        return self.add(LiteralOp(np.array(number, dtype_of(element_of(value)))))

    def reshaped(self, value: SSAValue, *shape: int) -> SSAValue:
        if shape_of(value) == shape:
            return value
        return self.add(ReshapeOp(value, shape=shape))

    def apply(
        self, op: type[GraphOp], first: SSAValue, second: SSAValue | float | None = None
    ) -> SSAValue:
        """Add an op without parameters; a number has the elements of `first`."""
        if second is None:
            return self.add(op(first))
        value = second if isinstance(second, SSAValue) else self.like(first, second)
        return self.add(op(first, value))
