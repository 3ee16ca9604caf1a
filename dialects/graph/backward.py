"""Arguments of gradient rules: an op's values, and the gradients of its results."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.ir import SSAValue


@dataclass(frozen=True)
class Backward:
    """
    An op on the way back from a loss: its values, and the gradients of its results.

    Operands, results and parameters are attributes by their names, `b.lhs`, `b.axis`,
    values as tensors to compute with, None where an optional one is absent.
    """

    op: Any
    incoming: Sequence[Any]
    """The gradient of each present result, None for one that the loss ignores."""
    active: Container[SSAValue]
    """The values whose gradients are wanted."""
    writer: Any
    """Where ops of the gradient go."""
    xp: Any
    """The functions of `dialects/graph/array_api.py`, which imports most ops."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in (*self.op.operand_names(), *self.op.result_names()):
            value = getattr(self.op, name)
            if isinstance(value, SSAValue):
                return self.writer.tensor(value)
            return (
                None if value is None else [self.writer.tensor(each) for each in value]
            )
        return self.op.parameters()[name]

    @property
    def g(self) -> Any:
        """The gradient of the only result, or of the first one; 0 if it has none."""
        return self.gradient_of(0)

    def gradient_of(self, result: int) -> Any:
        """Return the gradient of a result by its number among the present ones."""
        found = self.incoming[result]
        if found is not None:
            return found
        return self.zeros(self.writer.tensor(self.op.results[result]))

    def needs(self, name: str) -> bool:
        """Return whether the gradient of an operand is wanted."""
        return getattr(self.op, name) in self.active

    def known(self, name: str) -> Any:
        """Return the array that an operand is in each run, or None."""
        return self.writer.constants.array_of(getattr(self.op, name))

    def emit(self, op: Any, *slots: Any, **parameters: Any) -> Any:
        """Append an op with one result where the gradient is written."""
        return self.writer.emit(op, *slots, **parameters)

    def zeros(self, like: Any) -> Any:
        """Return zeros of the type of a tensor."""
        return self.xp.broadcast_to(self.writer.like(0, like), like.shape)


GradientRule = Callable[[Backward], Any]
"""
The gradients of an op's operands: one tensor, or a tuple with one for each slot.

None, or what a tuple leaves out, is a gradient of 0; a slot of several operands has a
list. A gradient may have the axes of the result: it is summed over those along which
the operand was broadcast, repeated along those that it lacks, and converted to the
operand's elements. A text says why this op has none.
"""
