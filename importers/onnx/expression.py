"""Arithmetic on values of a node, for operators that are formulas of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partialmethod
from typing import Any, cast

import numpy as np
from xdsl.ir import SSAValue

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.binary import (
    AddOp,
    DivOp,
    MaxOp,
    MinOp,
    ModOp,
    MulOp,
    PowOp,
    SubOp,
)
from glow.dialects.graph.comparison import (
    EqualOp,
    GreaterOp,
    GreaterOrEqualOp,
    LessOp,
    LessOrEqualOp,
)
from glow.dialects.graph.logic import AndOp
from glow.dialects.graph.movement import ExpandOp, ReshapeOp
from glow.dialects.graph.select import CastOp, WhereOp
from glow.dialects.graph.unary import FloorOp, RoundOp, SqrtOp
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
        return self.to(AddOp, other)

    def __radd__(self, other: Any) -> Expression:
        return self.to(AddOp, other)

    def __sub__(self, other: Any) -> Expression:
        return self.to(SubOp, other)

    def __rsub__(self, other: Any) -> Expression:
        return self._from(SubOp, other)

    def __mul__(self, other: Any) -> Expression:
        return self.to(MulOp, other)

    def __rmul__(self, other: Any) -> Expression:
        return self.to(MulOp, other)

    def __truediv__(self, other: Any) -> Expression:
        return self.to(DivOp, other)

    def __pow__(self, other: Any) -> Expression:
        return self.to(PowOp, other)

    def __rpow__(self, other: Any) -> Expression:
        return self._from(PowOp, other)

    def __mod__(self, other: Any) -> Expression:
        """Return what is left over, with the sign of this."""
        return self.to(ModOp, other, fmod=True)

    def __and__(self, other: Any) -> Expression:
        return self.to(AndOp, other)

    def __lt__(self, other: Any) -> Expression:
        return self.to(LessOp, other)

    def __le__(self, other: Any) -> Expression:
        return self.to(LessOrEqualOp, other)

    def __gt__(self, other: Any) -> Expression:
        return self.to(GreaterOp, other)

    def __ge__(self, other: Any) -> Expression:
        return self.to(GreaterOrEqualOp, other)

    equals = partialmethod(to, EqualOp)
    at_least = partialmethod(to, MaxOp)
    at_most = partialmethod(to, MinOp)
    floor = partialmethod(to, FloorOp)
    round = partialmethod(to, RoundOp)
    sqrt = partialmethod(to, SqrtOp)

    def choose(self, yes: Any, no: Any) -> Expression:
        """Return `yes` where this is true, else `no`; one of them is no number."""
        typed = yes if isinstance(yes, Expression) else no
        yes, no = (typed._operand(value) for value in (yes, no))
        return self.to(WhereOp, yes, no)

    def cast(self, dtype: Any) -> Expression:
        return self.to(CastOp, to=element_type_of(np.dtype(dtype)))

    def reshape(self, *shape: int) -> Expression:
        return self.to(ReshapeOp, shape=shape)

    def expand(self, shape: Sequence[int]) -> Expression:
        return self.to(ExpandOp, shape=tuple(shape))


def input_of(node: Node, index: int) -> Expression:
    """Return an input of a node, to compute with."""
    return Expression(node, node.input(index))
