"""Options of op definitions with several optional operands."""

from xdsl.irdl import AttrSizedOperandSegments, ParsePropInAttrDict

SEVERAL_OPERANDS = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
"""The operands that are present are a property, which is not printed."""
