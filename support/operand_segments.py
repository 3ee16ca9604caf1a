"""Operand slots of ops: optional and variadic ones, and what a slot holds."""

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.irdl import AttrSizedOperandSegments, ParsePropInAttrDict

SEVERAL_OPERANDS = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
"""The operands that are present are a property, which is not printed."""

Slot = SSAValue | Sequence[SSAValue] | None
