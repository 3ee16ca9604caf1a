"""The processor's counter of time."""

from xdsl.dialects.builtin import IntegerType
from xdsl.irdl import IRDLOperation, result_def, traits_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect

from glow.support.op_definition import define_op


@define_op
class CycleCounterOp(IRDLOperation):
    """
    Read the counter of the processor that grows at a constant rate.

    That is the time stamp counter of x86 and the virtual count of Arm. Calls before and
    after stay there, but the processor may still be at work on the last instructions.

    Shapes: result i64. Units: ticks, whose length the code does not know.
    Source: LLVM's llvm.readcyclecounter.

    ```mlir
    %t = llvm_ext.cycle_counter : i64
    ```
    """

    name = "llvm_ext.cycle_counter"

    result = result_def(IntegerType(64))

    assembly_format = "attr-dict `:` type($result)"
    # Not to be moved across calls.
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self) -> None:
        super().__init__(result_types=[IntegerType(64)])
