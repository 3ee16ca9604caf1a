"""Options of op definitions with several optional operands."""

from xdsl.irdl import AttrSizedOperandSegments, ParsePropInAttrDict

SEVERAL_OPERANDS = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
"""Say in a property which operands there are, and print no such property."""
