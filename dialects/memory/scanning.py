"""Ops that go along lines: running sums, parts of matrices."""

from __future__ import annotations

from xdsl.dialects.builtin import MemRefType, UnitAttr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
)

from glow.dialects.memory._lines import LineOp
from glow.dialects.memory.address import same_place
from glow.dialects.memory.base import MemoryOp


@irdl_op_definition
class CumsumOp(LineOp):
    """
    The sum of the elements up to each one along `axis`; `exclusive`, without that one.

    Shapes: input any, result as input.

    ```mlir
    memory.cumsum ins(%x : memref<2x3xf32>) outs(%y : memref<2x3xf32>) {axis = 1 : i64}
    ```
    """

    name = "memory.cumsum"

    exclusive = opt_prop_def(UnitAttr)


@irdl_op_definition
class TriluOp(MemoryOp):
    """
    The part of each matrix on and above the `k`-th diagonal (upper) or below, else 0.

    Shapes: input [..., N, M], k one element, result as input.

    ```mlir
    memory.trilu ins(%x : memref<2x3xf32> diagonal %k : memref<i64>)
        outs(%y : memref<2x3xf32>) {upper}
    ```
    """

    name = "memory.trilu"

    input = operand_def(MemRefType.constr(AnyAttr()))
    k = opt_operand_def(MemRefType.constr(AnyAttr()))
    result = operand_def(MemRefType.constr(AnyAttr()))

    upper = opt_prop_def(UnitAttr)

    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = (
        "`ins` `(` $input `:` type($input) (`diagonal` $k^ `:` type($k))? `)` "
        "`outs` `(` $result `:` type($result) `)` attr-dict"
    )

    def __init__(
        self, input: SSAValue, k: SSAValue | None, result: SSAValue, *, upper: bool
    ):
        super().__init__(
            operands=[input, k, result],
            properties={"upper": UnitAttr() if upper else None},
        )

    def in_place_pairs(self) -> list[tuple[SSAValue, SSAValue]]:
        is_same = same_place(self.input, self.result)
        return [(self.input, self.result)] if is_same else []
