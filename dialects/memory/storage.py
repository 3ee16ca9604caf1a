"""Storage of buffers: bound by the caller, constant, or part of the arena."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import IntegerAttr, SymbolRefAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import MemoryAllocEffect, MemoryFreeEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.placeholder import (
    INFER,
    Placeholder,
    StoredConstant,
    StoredValue,
)
from glow.dialects.layout.attribute import LayoutAttr, physical_shape_of
from glow.dialects.memory.address import find_addressing
from glow.dialects.memory.base import BUFFER, Buffer, buffer_type
from glow.support.attributes import integer, symbol_reference
from glow.support.op_construction import fill_op
from glow.support.op_definition import define_op


@define_op
class PlaceholderOp(Placeholder):
    """
    A named buffer from outside: a run reads it (in), writes it (out) or both (inout).

    Its residency is how long its value lives, as that of `graph.placeholder`; one that
    is "scratch" lies in the arena, and one that is "bound" with the constants.
    Errors: those of `graph.placeholder`; a direction that is not said.

    ```mlir
    memory.placeholder @data "in" : memref<1x3x224x224xf32>
    memory.placeholder @table "in" axes ["DATA_BATCH", "DATA_FEATURE"] : memref<4x8xf32>
    memory.placeholder @steps "inout" "resident" : memref<i64>
    ```
    """

    name = "memory.placeholder"

    type = prop_def(BUFFER)

    def verify_(self) -> None:
        if self.direction.data == INFER:
            raise VerifyException(
                "expected a direction; infer-io finds it at the graph level"
            )
        self.check(self.type)


@define_op
class ConstantOp(StoredConstant):
    """
    A named buffer whose bytes are known, in physical order; nothing may write to it.

    Errors: bytes of another type or size than the buffer, meanings of another number of
    axes.

    ```mlir
    memory.constant @w #graph.resource<
        "2e99758548972a8e8822ad47fa1017ff72f06f3ff6a016851f45c398732bc50c">
        : memref<64x3x7x7xf32>
    ```
    """

    name = "memory.constant"

    type = prop_def(BUFFER)


@define_op
class GetOp(StoredValue):
    """
    The buffer that placeholder or constant `symbol` names.

    ```mlir
    %x = memory.get @data : memref<1x3x224x224xf32>
    ```
    """

    name = "memory.get"

    result = result_def(BUFFER)


@define_op
class ReadyOp(IRDLOperation):
    """
    From here on placeholder `symbol` holds what it holds after the run.

    The op before it that writes to the placeholder is the final one; a caller may read
    an output already. `mark-outputs` places it.
    Errors: a symbol that is not an output, a second one for it, a write after it, an
    output without one where others have it (checked by `verify-memory`).

    ```mlir
    memory.ready @logits
    ```
    """

    name = "memory.ready"

    symbol = prop_def(SymbolRefAttr)

    traits = traits_def(MemoryWriteEffect())

    assembly_format = "$symbol attr-dict"

    def __init__(self, symbol: str):
        fill_op(self, properties={"symbol": symbol_reference(symbol)})


@define_op
class AllocOp(IRDLOperation):
    """
    A buffer of the run, undefined until written; `offset` places it in the arena.

    Units: offset in bytes from the start of the arena.

    ```mlir
    %b = memory.alloc {offset = 4096} : memref<1x64x56x56xf32>
    ```
    """

    name = "memory.alloc"

    offset = opt_prop_def(IntegerAttr.constr(i64))
    result = result_def(BUFFER)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryAllocEffect())

    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, type: Buffer, offset: int | None = None):
        placed = {} if offset is None else {"offset": integer(offset)}
        fill_op(self, result_types=[type], properties=placed)

    def verify_(self) -> None:
        if self.offset is not None and self.offset.value.data < 0:
            raise VerifyException(
                f"expected an offset of at least 0, got {self.offset.value.data}"
            )


@define_op
class DeallocOp(IRDLOperation):
    """
    End the life of a buffer; its bytes of the arena may serve another.

    Errors: a buffer that no `memory.alloc` made (checked by `verify-memory`).

    ```mlir
    memory.dealloc %b : memref<1x64x56x56xf32>
    ```
    """

    name = "memory.dealloc"

    buffer = operand_def(BUFFER)

    traits = traits_def(MemoryFreeEffect())

    assembly_format = "$buffer attr-dict `:` type($buffer)"

    def __init__(self, buffer: SSAValue):
        fill_op(self, operands=[buffer])


@define_op
class ViewOp(IRDLOperation):
    """
    Some elements of `source`, addressed in another way; nothing moves.

    The layout of the result counts from the start of the allocation. A slice, a
    permutation of axes, a broadcast (stride 0) and a reversal (negative stride) are
    views. What is blocked can only be seen whole: its axes permuted, merged or split.
    Errors: another element type, elements outside the source, a blocked source or
    result that stores another number of elements.
    Source: MLIR memref.subview, memref.transpose, memref.reinterpret_cast.

    ```mlir
    %v = memory.view %b : memref<8x4xf32> -> memref<4x2xf32, strided<[1, 4], offset: 8>>
    ```
    """

    name = "memory.view"

    source = operand_def(BUFFER)
    result = result_def(BUFFER)

    traits = traits_def(Pure())

    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def __init__(self, source: SSAValue, type: Buffer):
        fill_op(self, operands=[source], result_types=[type])

    def verify_(self) -> None:
        source, result = buffer_type(self.source), buffer_type(self.result)
        if source.element_type != result.element_type:
            raise VerifyException(
                f"expected elements of {source.element_type}, got {result.element_type}"
            )
        outer, inner = find_addressing(source), find_addressing(result)
        if outer is None or inner is None:
            sizes = [prod(physical_shape_of(type_)) for type_ in (source, result)]
            if sizes[0] != sizes[1]:
                raise VerifyException(
                    f"expected as many stored elements as {source}, got {result}"
                )
            return
        (low, high), (first, last) = outer.bounds, inner.bounds
        if isinstance(source.layout, LayoutAttr):  # what it stores, padding included
            low, high = 0, prod(physical_shape_of(source)) - 1
        if first <= last and not (low <= first and last <= high):
            raise VerifyException(
                f"expected elements within {low}..{high} of the allocation, "
                f"got {first}..{last}"
            )


StorageOp = PlaceholderOp | ConstantOp
