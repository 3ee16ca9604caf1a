"""Atomic access to integers that threads share, at the loops and llvm levels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import (
    IndexType,
    MemRefType,
    SignlessIntegerConstraint,
    StringAttr,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    BaseAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from glow.support.op_definition import define_op

_PLACE = MemRefType.constr(SignlessIntegerConstraint) | BaseAttr(LLVMPointerType)

RMW_KINDS = ("add", "umax")


class Atomic(IRDLOperation):
    """
    An access to one integer: of a memref, with an index per axis, or by pointer.

    A result is of the type `result`, or that of the last of `numbers`.
    """

    base = operand_def(_PLACE)
    indices = var_operand_def(IndexType)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        base: SSAValue,
        indices: Sequence[SSAValue],
        *numbers: SSAValue,
        result: Attribute | None = None,
        **properties: str,
    ):
        returned = result or numbers[-1].type
        super().__init__(
            operands=[*numbers, base, list(indices)],
            result_types=[returned] * len(self.get_irdl_definition().results),
            properties={name: StringAttr(text) for name, text in properties.items()},
        )

    @property
    def numbers(self) -> Sequence[SSAValue]:
        """The operands that are not part of the place."""
        return self.operands[: -1 - len(self.indices)]

    @property
    def bytes(self) -> int:
        """The size of the integer, and the least alignment of its place."""
        value: Any = (*self.results, *self.numbers)[0].type
        return value.bitwidth // 8

    def verify_(self) -> None:
        place: Any = self.base.type
        value: Any = (*self.results, *self.numbers)[0].type
        rank = 0
        if isinstance(place, MemRefType):
            rank, element = place.get_num_dims(), cast(Any, place).element_type
            if value != element:
                raise VerifyException(f"expected {element}, got {value}")
        if len(self.indices) != rank:
            raise VerifyException(f"expected {rank} indices, got {len(self.indices)}")
        if value.bitwidth not in (8, 16, 32, 64):
            raise VerifyException(f"expected an integer of 1 to 8 bytes, got {value}")


@define_op
class AtomicLoadOp(Atomic):
    """
    Load an integer, and see all that its writer wrote before it.

    All threads see these, additions and exchanges in one order (sequentially
    consistent).

    Shapes: base a memref of integers, with an index per axis, or a pointer.
    Errors: another number of indices, a result that is not the element.
    Source: LLVM's `load atomic seq_cst`.

    ```mlir
    %n = llvm_ext.atomic_load %words[%i] : memref<?xi64> -> i64
    ```
    """

    name = "llvm_ext.atomic_load"

    result = result_def(SignlessIntegerConstraint)

    assembly_format = (
        "$base `[` $indices `]` attr-dict `:` type($base) `->` type($result)"
    )


@define_op
class AtomicStoreOp(Atomic):
    """
    Store an integer; a thread that sees it sees all earlier writes, too (release).

    Shapes: base a memref of integers, with an index per axis, or a pointer.
    Errors: another number of indices, a value that is not the element.
    Source: LLVM's `store atomic release`.

    ```mlir
    llvm_ext.atomic_store %words[%i], %n : memref<?xi64>, i64
    ```
    """

    name = "llvm_ext.atomic_store"

    value = operand_def(SignlessIntegerConstraint)

    assembly_format = (
        "$base `[` $indices `]` `,` $value attr-dict `:` type($base) `,` type($value)"
    )


@define_op
class AtomicRMWOp(Atomic):
    """
    Add to an integer, or make it as large as another, and return what it was before.

    All threads see these, loads and exchanges in one order (sequentially consistent).

    Shapes: value and result the element; base as of `llvm_ext.atomic_load`.
    Errors: a kind that is not add or umax.
    Source: LLVM's atomicrmw.

    ```mlir
    %old = llvm_ext.atomic_rmw %words[%i], %n {kind = "add"} : memref<?xi64>, i64
    ```
    """

    name = "llvm_ext.atomic_rmw"

    T: ClassVar = VarConstraint("T", SignlessIntegerConstraint)
    value = operand_def(T)
    kind = prop_def(StringAttr)
    result = result_def(T)

    assembly_format = (
        "$base `[` $indices `]` `,` $value attr-dict `:` type($base) `,` type($value)"
    )
    irdl_options = (ParsePropInAttrDict(),)

    def verify_(self) -> None:
        super().verify_()
        if self.kind.data not in RMW_KINDS:
            known = ", ".join(RMW_KINDS)
            raise VerifyException(
                f"expected a kind out of {known}, got {self.kind.data}"
            )


@define_op
class CompareExchangeOp(Atomic):
    """
    Store `new` if the integer is `expected`; return what it was.

    All threads see these, loads and additions in one order (sequentially consistent).

    Shapes: expected, new and result the element; base as of `llvm_ext.atomic_load`.
    Source: LLVM's cmpxchg.

    ```mlir
    %old = llvm_ext.compare_exchange %words[%i], %a, %b : memref<?xi64>, i64
    ```
    """

    name = "llvm_ext.compare_exchange"

    T: ClassVar = VarConstraint("T", SignlessIntegerConstraint)
    expected = operand_def(T)
    new = operand_def(T)
    result = result_def(T)

    assembly_format = (
        "$base `[` $indices `]` `,` $expected `,` $new attr-dict"
        " `:` type($base) `,` type($new)"
    )
