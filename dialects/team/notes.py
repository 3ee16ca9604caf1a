"""Notes of when pieces of calls begin and end, made by the thread that runs them."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, MemRefType, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    EqAttrConstraint,
    IRDLOperation,
    operand_def,
    prop_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from glow.support.op_definition import define_op

RECORD_WORDS = 3
"""The words of a record: the worker, and the counter of cycles before and after."""


@define_op
class NoteOp(IRDLOperation):
    """
    Note which worker does each piece of the strand's next call, its begin and its end.

    Records have three words of 64 bits: the number of the worker, and the processor's
    counter before and after. Record `first` + n is that of piece n.

    Errors: a number below 0, no call after it.

    ```mlir
    team.strand 0 {
      team.note %records from 12 : memref<?xi64>
      team.call @relu(%x, %rows) units 16 step 4 cost 900
          : memref<?xf32>, memref<?xindex>
    }
    ```
    """

    name = "team.note"

    records = operand_def(MemRefType.constr(EqAttrConstraint(i64)))
    first = prop_def(IntegerAttr.constr(i64))

    assembly_format = "$records `from` $first attr-dict `:` type($records)"
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self, records: SSAValue, first: int):
        super().__init__(
            operands=[records], properties={"first": IntegerAttr(first, i64)}
        )

    def verify_(self) -> None:
        if self.first.value.data < 0:
            raise VerifyException(
                f"expected a record of at least 0, got {self.first.value.data}"
            )
        after = self.next_op
        if after is None or after.name != "team.call":
            got = "nothing" if after is None else after.name
            raise VerifyException(f"expected team.call after it, got {got}")
