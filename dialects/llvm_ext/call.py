"""Calls of functions by address."""

from collections.abc import Sequence

from xdsl.dialects.builtin import I8, MemRefType
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect


@irdl_op_definition
class CallPointerOp(IRDLOperation):
    """
    Call the C function at `callee`, which returns nothing.

    Shapes: callee memref<?xi8>, whose start is the address.
    Source: LLVM's call of a pointer, MLIR's func.call_indirect.

    ```mlir
    llvm_ext.call_pointer %callee(%n) : memref<?xi8>, index
    ```
    """

    name = "llvm_ext.call_pointer"

    callee = operand_def(MemRefType.constr(I8))
    args = var_operand_def(AnyAttr())

    assembly_format = (
        "$callee `(` $args `)` attr-dict `:` type($callee) (`,` type($args)^)?"
    )
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self, callee: SSAValue, args: Sequence[SSAValue]):
        super().__init__(operands=[callee, list(args)])
