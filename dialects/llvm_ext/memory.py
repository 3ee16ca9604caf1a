"""Memory access: hints, block moves, masked access by pointer; calls by pointer."""

from collections.abc import Sequence
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import (
    I1,
    I8,
    I32,
    IndexType,
    IntegerAttr,
    MemRefType,
    SignlessIntegerConstraint,
    UnitAttr,
    VectorType,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    BaseAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, NoMemoryEffect
from xdsl.utils.exceptions import VerifyException

from glow.support.op_definition import define_op


@define_op
class PrefetchOp(IRDLOperation):
    """
    Hint that an element will be read soon (or written, with `write`).

    `locality` is 3 to keep it in all caches, 2 from the second level on, 1 from the
    third, 0 to use it once. It never faults, wherever the address lies.

    Shapes: base any memref, an index per axis.
    Errors: another number of indices, a locality out of 0 to 3.
    Source: LLVM's llvm.prefetch, MLIR's memref.prefetch.

    ```mlir
    llvm_ext.prefetch %base[%i] {locality = 2 : i32} : memref<?xf32>
    ```
    """

    name = "llvm_ext.prefetch"

    base = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    locality = prop_def(IntegerAttr.constr(i32), default_value=IntegerAttr(3, 32))
    write = opt_prop_def(UnitAttr)

    assembly_format = "$base `[` $indices `]` attr-dict `:` type($base)"
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        base: SSAValue,
        indices: list[SSAValue],
        locality: int = 3,
        *,
        write: bool = False,
    ):
        properties = {
            "locality": IntegerAttr(locality, 32),
            "write": UnitAttr() if write else None,
        }
        super().__init__(operands=[base, indices], properties=properties)

    def verify_(self) -> None:
        base: Any = self.base.type
        rank = base.get_num_dims()
        if len(self.indices) != rank:
            raise VerifyException(f"expected {rank} indices, got {len(self.indices)}")
        if not 0 <= self.locality.value.data <= 3:
            raise VerifyException(
                f"expected a locality from 0 to 3, got {self.locality.value.data}"
            )


@define_op
class BaseOp(IRDLOperation):
    """
    Return the buffer that begins `offset` bytes behind a pointer.

    The pointer is the start of `source` or, where `entry` is given, the pointer of that
    number in `source`, which is then a table of pointers that nothing writes to.

    Shapes: source memref<?xi8>, or memref<?xmemref<?xi8>> for a table; result any.
    Errors: an entry of what is not a table, or none of a table; a negative one.
    Source: memref.load and memref.view, which need two constants more.

    ```mlir
    %x = llvm_ext.base %arena {offset = 64 : i64} : memref<?xi8> to memref<?xf32>
    %w = llvm_ext.base %constants {entry = 3 : i64}
        : memref<?xmemref<?xi8>> to memref<?xf32>
    ```
    """

    name = "llvm_ext.base"

    source = operand_def(MemRefType)
    result = result_def(MemRefType)
    offset = prop_def(IntegerAttr.constr(i64), default_value=IntegerAttr(0, 64))
    entry = opt_prop_def(IntegerAttr.constr(i64))

    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(NoMemoryEffect())

    def verify_(self) -> None:
        source: Any = self.source.type
        is_table = isinstance(source.element_type, MemRefType)
        entry = None if self.entry is None else self.entry.value.data
        if is_table is (entry is None):
            what = "an entry of a table" if is_table else "no entry of bytes"
            raise VerifyException(f"expected {what}, got {entry}")
        if entry is not None and entry < 0:
            raise VerifyException(f"expected an entry of at least 0, got {entry}")


@define_op
class MemcpyOp(IRDLOperation):
    """
    Copy `bytes` bytes from the start of `source` to that of `target`, without overlap.

    Shapes: target and source memref<?xi8>, bytes index.
    Source: LLVM's llvm.memcpy.

    ```mlir
    llvm_ext.memcpy %target, %source, %bytes : memref<?xi8>
    ```
    """

    name = "llvm_ext.memcpy"

    T: ClassVar = VarConstraint("T", MemRefType.constr(I8))
    target = operand_def(T)
    source = operand_def(T)
    bytes = operand_def(IndexType)

    assembly_format = "$target `,` $source `,` $bytes attr-dict `:` type($target)"
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self, target: SSAValue, source: SSAValue, bytes: SSAValue):
        super().__init__(operands=[target, source, bytes])


@define_op
class MemsetOp(IRDLOperation):
    """
    Set `bytes` bytes from the start of `target` to `value`.

    Shapes: target memref<?xi8>, value i8, bytes index.
    Source: LLVM's llvm.memset.

    ```mlir
    llvm_ext.memset %target, %value, %bytes : memref<?xi8>
    ```
    """

    name = "llvm_ext.memset"

    target = operand_def(MemRefType.constr(I8))
    value = operand_def(I8)
    bytes = operand_def(IndexType)

    assembly_format = "$target `,` $value `,` $bytes attr-dict `:` type($target)"
    traits = traits_def(MemoryWriteEffect())

    def __init__(self, target: SSAValue, value: SSAValue, bytes: SSAValue):
        super().__init__(operands=[target, value, bytes])


@define_op
class MaskedLoadOp(IRDLOperation):
    """
    Load the lanes whose mask is 1; take others from `otherwise`, without an access.

    Shapes: pointer, a mask of i1, otherwise and result one vector type as long.
    Source: LLVM's llvm.masked.load.

    ```mlir
    %v = llvm_ext.masked_load %p, %m, %other {alignment = 4 : i32}
        : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
    ```
    """

    name = "llvm_ext.masked_load"

    T: ClassVar = VarConstraint("T", VectorType.constr(AnyAttr()))
    pointer = operand_def(LLVMPointerType)
    mask = operand_def(VectorType[I1])
    otherwise = operand_def(T)
    result = result_def(T)
    alignment = prop_def(IntegerAttr.constr(i32))

    assembly_format = (
        "$pointer `,` $mask `,` $otherwise attr-dict"
        " `:` functional-type(operands, results)"
    )
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryReadEffect())


@define_op
class MaskedStoreOp(IRDLOperation):
    """
    Store the lanes of `value` whose mask is 1; access no others.

    Shapes: pointer, a mask of i1, value a vector as long.
    Source: LLVM's llvm.masked.store; xDSL's takes floats only.

    ```mlir
    llvm_ext.masked_store %v, %p, %m {alignment = 4 : i32}
        : vector<8xi32>, !llvm.ptr, vector<8xi1>
    ```
    """

    name = "llvm_ext.masked_store"

    value = operand_def(VectorType)
    pointer = operand_def(LLVMPointerType)
    mask = operand_def(VectorType[I1])
    alignment = prop_def(IntegerAttr.constr(i32))

    assembly_format = "operands attr-dict `:` type(operands)"
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryWriteEffect())


@define_op
class GatherLanesOp(IRDLOperation):
    """
    Load the elements that lie `offsets` behind a place, each into its lane.

    Shapes: base a memref of one axis with an index, or a pointer without; offsets a
    vector of i32, in elements, not negative; result a vector as long.
    Errors: another number of indices or lanes; elements that memory does not have.
    Source: LLVM's llvm.masked.gather with all lanes, MLIR's vector.gather.

    ```mlir
    %v = llvm_ext.gather_lanes %base[%i], %offsets
        : (memref<?xf32>, vector<8xi32>) -> vector<8xf32>
    ```
    """

    name = "llvm_ext.gather_lanes"

    base = operand_def(MemRefType.constr() | BaseAttr(LLVMPointerType))
    at = var_operand_def(IndexType)
    offsets = operand_def(VectorType[I32])
    result = result_def(VectorType)

    assembly_format = (
        "$base `[` $at `]` `,` $offsets attr-dict"
        " `:` `(` type($base) `,` type($offsets) `)` `->` type($result)"
    )
    traits = traits_def(MemoryReadEffect())

    def __init__(
        self,
        base: SSAValue,
        at: SSAValue | None,
        offsets: SSAValue,
        result: Attribute,
    ):
        places = [] if at is None else [at]
        super().__init__(operands=[base, places, offsets], result_types=[result])

    def verify_(self) -> None:
        base: Any = self.base.type
        result, offsets = cast(Any, self.result.type), cast(Any, self.offsets.type)
        is_pointer = isinstance(base, LLVMPointerType)
        if not is_pointer and base.get_num_dims() != 1:
            raise VerifyException(f"expected a base of one axis, got {base}")
        if len(self.at) != (not is_pointer):
            raise VerifyException(
                f"expected {int(not is_pointer)} indices, got {len(self.at)}"
            )
        if not is_pointer and base.element_type != result.element_type:
            raise VerifyException(f"expected elements of {base}, got {result}")
        if result.get_shape() != offsets.get_shape():
            raise VerifyException(f"expected as many lanes as {offsets}, got {result}")


@define_op
class ExtractElementOp(IRDLOperation):
    """
    Return one lane of a vector.

    Shapes: vector of one axis, index an integer, result its element type.
    Errors: a result of another type.
    Source: LLVM's extractelement.

    ```mlir
    %x = llvm_ext.extractelement %v[%i] : vector<8xf32>, i64 -> f32
    ```
    """

    name = "llvm_ext.extractelement"

    vector = operand_def(VectorType)
    index = operand_def(SignlessIntegerConstraint)
    result = result_def(AnyAttr())

    assembly_format = (
        "$vector `[` $index `]` attr-dict"
        " `:` type($vector) `,` type($index) `->` type($result)"
    )
    traits = traits_def(NoMemoryEffect())

    def verify_(self) -> None:
        element = cast(VectorType[Attribute], self.vector.type).element_type
        if self.result.type != element:
            raise VerifyException(f"expected {element}, got {self.result.type}")


@define_op
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
