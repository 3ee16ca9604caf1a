"""What ops along the lines of one axis share."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, MemRefType, UnitAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import AnyAttr, ParsePropInAttrDict, operand_def, prop_def

from glow.dialects.memory.address import same_place
from glow.dialects.memory.base import MemoryOp


class LineOp(MemoryOp):
    """Fill each line of the result from that of the input, which may be the same."""

    input = operand_def(MemRefType.constr(AnyAttr()))
    result = operand_def(MemRefType.constr(AnyAttr()))

    axis = prop_def(IntegerAttr.constr(i64))

    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = (
        "`ins` `(` $input `:` type($input) `)` `outs` `(` $result `:` "
        "type($result) `)` attr-dict"
    )

    def __init__(self, input: SSAValue, result: SSAValue, *, axis: int, **flags: bool):
        marks = {name: UnitAttr() if is_set else None for name, is_set in flags.items()}
        super().__init__(
            operands=[input, result],
            properties={"axis": IntegerAttr(axis, i64), **marks},
        )

    def in_place_pairs(self) -> list[tuple[SSAValue, SSAValue]]:
        pair = (self.input, self.result)
        return [pair] if same_place(*pair) else []
