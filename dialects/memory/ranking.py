"""Ops that put elements into an order."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, MemRefType, UnitAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
)

from glow.dialects.memory.base import MemoryOp
from glow.support.operand_segments import SEVERAL_OPERANDS


@irdl_op_definition
class TopKOp(MemoryOp):
    """
    The k largest or smallest elements along `axis`, the best first, and where they are.

    Of equal ones the first comes first; NaN is larger than any number.

    Shapes: input any, values and indices as input with k along `axis`; `heap` [k] and
    `places` [k] are where one line is put into order. For small elements `places` is
    enough.

    ```mlir
    memory.top_k ins(%x : memref<2x8xf32>) outs(indices %i : memref<2x3xi64>)
        scratch(%h, %p : memref<3xf32>, memref<3xi64>) {axis = 1 : i64, largest}
    ```
    """

    name = "memory.top_k"

    input = operand_def(MemRefType.constr(AnyAttr()))
    values = opt_operand_def(MemRefType.constr(AnyAttr()))
    indices = opt_operand_def(MemRefType.constr(i64))
    heap = operand_def(MemRefType.constr(AnyAttr()))
    places = operand_def(MemRefType.constr(i64))

    axis = prop_def(IntegerAttr.constr(i64))
    largest = opt_prop_def(UnitAttr)

    WRITES: ClassVar = ("values", "indices", "heap", "places")

    irdl_options = SEVERAL_OPERANDS

    assembly_format = (
        "`ins` `(` $input `:` type($input) `)` "
        "`outs` `(` (`values` $values^ `:` type($values))? "
        "(`indices` $indices^ `:` type($indices))? `)` "
        "`scratch` `(` $heap `,` $places `:` type($heap) `,` type($places) `)` "
        "attr-dict"
    )

    def __init__(
        self,
        input: SSAValue,
        values: SSAValue | None,
        indices: SSAValue | None,
        heap: SSAValue,
        places: SSAValue,
        *,
        axis: int,
        largest: bool,
    ):
        super().__init__(
            operands=[input, values, indices, heap, places],
            properties={
                "axis": IntegerAttr(axis, i64),
                "largest": UnitAttr() if largest else None,
            },
        )
