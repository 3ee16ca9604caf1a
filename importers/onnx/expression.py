"""Arithmetic on values of a node, for operators that are formulas of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partialmethod
from typing import Any, cast

import numpy as np
from xdsl.ir import SSAValue

from glow.dialects.graph import binary, comparison, logic, movement, select, unary
from glow.dialects.graph.base import GraphOp
from glow.importers.onnx.node import Node
from glow.support.types import dtype_of, element_of, element_type_of, shape_of


@dataclass(frozen=True)
class Expression:
    """A value that Python's operators compute with; numbers take its element type."""

    node: Node
    value: SSAValue

    @property
    def dtype(self) -> np.dtype[Any]:
        return dtype_of(element_of(self.value))

    @property
    def shape(self) -> tuple[int, ...]:
        return shape_of(self.value)

    def to(self, op: type[GraphOp], *others: Any, **parameters: Any) -> Expression:
        """Return what `op` makes of this and `others`."""
        operands = (self._operand(other) for other in others)
        found = self.node.emit(op, self.value, *operands, **parameters)
        return Expression(self.node, found)

    def _from(self, op: type[GraphOp], other: Any) -> Expression:
        return Expression(self.node, self._operand(other)).to(op, self)

    def _operand(self, other: Any) -> SSAValue:
        if isinstance(other, Expression):
            return other.value
        if isinstance(other, SSAValue):
            return cast(SSAValue, other)
        return self.node.literal(other, self.dtype)

    def __add__(self, other: Any) -> Expression:
        return self.to(binary.AddOp, other)

    def __radd__(self, other: Any) -> Expression:
        return self.to(binary.AddOp, other)

    def __sub__(self, other: Any) -> Expression:
        return self.to(binary.SubOp, other)

    def __rsub__(self, other: Any) -> Expression:
        return self._from(binary.SubOp, other)

    def __mul__(self, other: Any) -> Expression:
        return self.to(binary.MulOp, other)

    def __rmul__(self, other: Any) -> Expression:
        return self.to(binary.MulOp, other)

    def __truediv__(self, other: Any) -> Expression:
        return self.to(binary.DivOp, other)

    def __pow__(self, other: Any) -> Expression:
        return self.to(binary.PowOp, other)

    def __rpow__(self, other: Any) -> Expression:
        return self._from(binary.PowOp, other)

    def __mod__(self, other: Any) -> Expression:
        """Return what is left over, with the sign of this."""
        return self.to(binary.ModOp, other, fmod=True)

    def __and__(self, other: Any) -> Expression:
        return self.to(logic.AndOp, other)

    def __lt__(self, other: Any) -> Expression:
        return self.to(comparison.LessOp, other)

    def __le__(self, other: Any) -> Expression:
        return self.to(comparison.LessOrEqualOp, other)

    def __gt__(self, other: Any) -> Expression:
        return self.to(comparison.GreaterOp, other)

    def __ge__(self, other: Any) -> Expression:
        return self.to(comparison.GreaterOrEqualOp, other)

    equals = partialmethod(to, comparison.EqualOp)
    at_least = partialmethod(to, binary.MaxOp)
    at_most = partialmethod(to, binary.MinOp)
    floor = partialmethod(to, unary.FloorOp)
    round = partialmethod(to, unary.RoundOp)
    sqrt = partialmethod(to, unary.SqrtOp)

    def choose(self, yes: Any, no: Any) -> Expression:
        """Return `yes` where this is true, else `no`; one of them is no number."""
        typed = yes if isinstance(yes, Expression) else no
        yes, no = (typed._operand(value) for value in (yes, no))
        return self.to(select.WhereOp, yes, no)

    def cast(self, dtype: Any) -> Expression:
        return self.to(select.CastOp, to=element_type_of(np.dtype(dtype)))

    def reshape(self, *shape: int) -> Expression:
        return self.to(movement.ReshapeOp, shape=shape)

    def expand(self, shape: Sequence[int]) -> Expression:
        return self.to(movement.ExpandOp, shape=tuple(shape))


def input_of(node: Node, index: int) -> Expression:
    """Return an input of a node, to compute with."""
    return Expression(node, node.input(index))
