"""Rules for functions and globals."""

from collections.abc import Iterator
from typing import Any

from xdsl.dialects import func, llvm, memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IntegerAttr,
    MemRefType,
    UnitAttr,
    VectorType,
)
from xdsl.ir import Attribute

from glow.lowering.loops_to_llvm.control import result_type
from glow.lowering.loops_to_llvm.state import (
    Externals,
    Lowering,
    bits_of_floats,
    converted,
    stored,
)
from glow.support.types import is_narrow_float

_EXTERNAL = llvm.LinkageAttr("external")
_INTERNAL = llvm.LinkageAttr("internal")
_TABLE_ALIGNMENT = 64


def lower_function(op: func.FuncOp, externals: Externals) -> llvm.FuncOp:
    """
    Return the LLVM function of `op`.

    A private function with a body is internal and not inlined: kernels are shared.
    """
    inputs = [converted(type_) for type_ in op.function_type.inputs.data]
    output = result_type(op.function_type.outputs.data)
    type_ = llvm.LLVMFunctionType(inputs, output)
    properties: dict[str, Attribute | None] = {"no_unwind": UnitAttr()}
    if op.arg_attrs is not None and any(entry.data for entry in op.arg_attrs):
        properties["arg_attrs"] = ArrayAttr(map(_argument_attributes, op.arg_attrs))
    visibility = op.sym_visibility
    is_private = visibility is not None and visibility.data == "private"
    linkage = _INTERNAL if is_private and not op.is_declaration else _EXTERNAL
    if linkage is _INTERNAL:
        properties["no_inline"] = UnitAttr()
    state = Lowering(externals)
    state.location = op.location
    blocks = list(op.body.blocks)
    state.blocks = {block: state.block_for(block) for block in blocks}
    for source, new in state.blocks.items():
        state.open(new)
        state.run(source)
    return llvm.FuncOp(
        op.sym_name, type_, linkage, body=state.region, other_props=properties
    )


def _argument_attributes(entry: DictionaryAttr) -> DictionaryAttr:
    """Return the attributes that LLVM knows; others say nothing about code."""
    return DictionaryAttr(
        {name: value for name, value in entry.data.items() if name.startswith("llvm.")}
    )


def lower_global(op: memref.GlobalOp) -> llvm.GlobalOp:
    """Return the table of `op` as an array; without a value it is all zero."""
    assert isinstance(op.type, MemRefType)
    count = _element_count(op.type)
    element = stored(op.type.element_type)
    alignment = _TABLE_ALIGNMENT
    if isinstance(op.alignment, IntegerAttr):
        alignment = op.alignment.value.data
    value = None
    if isinstance(op.initial_value, DenseIntOrFPElementsAttr):
        type_: Any = VectorType(element, [count])
        if is_narrow_float(op.type.element_type):
            value = bits_of_floats(op.initial_value, type_)
        else:
            values = list(_values(op.initial_value))
            value = DenseIntOrFPElementsAttr.from_list(type_, values)
    return llvm.GlobalOp(
        llvm.LLVMArrayType(count, element),
        op.sym_name,
        "internal",
        constant=op.constant is not None,
        value=value,
        alignment=alignment,
    )


def _element_count(type_: MemRefType[Any]) -> int:
    count = 1
    for extent in type_.get_shape():
        count *= extent
    return count


def _values(dense: DenseIntOrFPElementsAttr) -> Iterator[Any]:
    for value in dense.get_values():
        yield abs(value) if isinstance(value, bool) else value
