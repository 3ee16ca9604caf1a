"""
Lower the loops level to the llvm dialect.

One walk over each function builds its `llvm.func` from a table of rules, one per op
type. Operands and types are converted as they are met, without casts. A memref is a
bare pointer to its first element; its type says how indices become an offset.
"""

from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from math import prod
from typing import Any, Literal

from xdsl.context import Context
from xdsl.dialects import func, llvm, memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    UnitAttr,
    VectorType,
)
from xdsl.ir import Attribute, Operation, Region
from xdsl.passes import ModulePass

from glow.lowering.loops_to_llvm.control import result_type
from glow.lowering.loops_to_llvm.numbers_of_main import replace_by_numbers
from glow.lowering.loops_to_llvm.sections import parts_of, sink_pointers
from glow.lowering.loops_to_llvm.state import Translation
from glow.lowering.loops_to_llvm.types import bits_of_floats, converted, stored
from glow.support.op_construction import build_op
from glow.support.targets import LINE_BYTES
from glow.support.types import is_narrow_float
from glow.support.walking import free_ops

# Each registers the rules of a dialect.
_RULES = ("arithmetic", "atomics", "control", "memory", "sections", "vectors")
for _rules in _RULES:
    import_module(f"{__name__}.{_rules}")

_EXTERNAL = llvm.LinkageAttr("external")
_INTERNAL = llvm.LinkageAttr("internal")
_C_CALLS = llvm.CallingConventionAttr("ccc")
_UNIT = UnitAttr()


@dataclass(frozen=True)
class LoopsToLlvmPass(ModulePass):
    """
    Replace every function and global by its counterpart in the llvm dialect.

    index becomes i64, a memref a pointer, an i1 in memory a byte, floats of 16 bits
    the i16 that has their bits. `fma` becomes llvm.fmuladd, which fuses where the
    target can. A loop is tested at its end, and in front unless it has the attribute
    `nonempty`.
    With `main=numbers`, a `@main` that only calls kernels has no body: attributes say
    what it calls, `glow.calls` and `glow.numbers`, for a backend of this process, which
    has code that reads them.

    Level: loops -> llvm. Needs: expand-math, for functions of f32 to be fast.
    Errors: an op without a rule, vectors of several axes, dynamic inner strides.
    """

    name = "loops-to-llvm"

    target: str = "cpu"
    main: Literal["code", "numbers"] = "code"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.main == "numbers":
            replace_by_numbers(op, self.target)
        externals: dict[str, llvm.FuncOp] = {}
        block = op.body.block
        for old in list(block.ops):
            made = _lowered(old, externals, self.target)
            for new in made:
                new.location = old.location
                block.insert_op_before(new, old)
            if made:
                old.detach()
                free_ops(*old.regions)
        known = {f.sym_name.data for f in block.ops if isinstance(f, llvm.FuncOp)}
        for declaration in externals.values():
            if declaration.sym_name.data not in known:
                block.add_op(declaration)


def _lowered(
    op: Operation, externals: dict[str, llvm.FuncOp], target: str
) -> list[Operation]:
    match op:
        case func.FuncOp() if op.is_declaration:
            return [_lower_function(op, externals, target)]
        case func.FuncOp():
            sink_pointers(op)
            parts = [_lower_function(part, externals, target) for part in parts_of(op)]
            return [*parts, _lower_function(op, externals, target)]
        case memref.GlobalOp():
            return [_lower_global(op)]
        case _:
            return []


def _lower_function(
    op: func.FuncOp, externals: dict[str, llvm.FuncOp], target: str
) -> llvm.FuncOp:
    """Return the LLVM function of `op`: internal and not inlined if it is private."""
    inputs = tuple([converted(type_) for type_ in op.function_type.inputs.data])
    type_ = _function_type(inputs, result_type(op.function_type.outputs.data))
    properties: dict[str, Attribute] = {"no_unwind": _UNIT}
    if op.arg_attrs is not None and any(entry.data for entry in op.arg_attrs):
        properties["arg_attrs"] = ArrayAttr(map(_argument_attributes, op.arg_attrs))
    visibility = op.sym_visibility
    is_private = visibility is not None and visibility.data == "private"
    linkage = _INTERNAL if is_private and not op.is_declaration else _EXTERNAL
    if linkage is _INTERNAL:
        properties["no_inline"] = _UNIT
    properties |= {"sym_name": op.sym_name, "function_type": type_}
    properties |= {"linkage": linkage, "CConv": _C_CALLS}
    made = build_op(llvm.FuncOp, properties=properties)
    if op.is_declaration:
        made.add_region(Region())
        return made
    state = Translation(externals, target)
    state.location = op.location
    blocks = list(op.body.blocks)
    state.blocks = {block: state.block_for(block) for block in blocks}
    for source, new in state.blocks.items():
        state.open(new)
        state.run(source)
    made.add_region(state.region)
    return made


# To check one takes xDSL longer than to find it, and kernels have few different ones.
_function_type = lru_cache(1 << 8)(llvm.LLVMFunctionType)


def _argument_attributes(entry: DictionaryAttr) -> DictionaryAttr:
    """Return the attributes that LLVM knows; others say nothing about code."""
    return DictionaryAttr(
        {name: value for name, value in entry.data.items() if name.startswith("llvm.")}
    )


def _lower_global(op: memref.GlobalOp) -> llvm.GlobalOp:
    """Return the table of `op` as an array; without a value it is all zero."""
    assert isinstance(op.type, MemRefType)
    count = prod(op.type.get_shape())
    element = stored(op.type.element_type)
    alignment = LINE_BYTES
    if isinstance(op.alignment, IntegerAttr):
        alignment = op.alignment.value.data
    value = None
    if isinstance(op.initial_value, DenseIntOrFPElementsAttr):
        type_: Any = VectorType(element, [count])
        if is_narrow_float(op.type.element_type):
            value = bits_of_floats(op.initial_value, type_)
        elif isinstance(op.type.element_type, IndexType):
            value = DenseIntOrFPElementsAttr(type_, op.initial_value.data)
        else:
            given = op.initial_value.get_values()
            values: Any = [abs(v) if isinstance(v, bool) else v for v in given]
            value = DenseIntOrFPElementsAttr.from_list(type_, values)
    return llvm.GlobalOp(
        llvm.LLVMArrayType(count, element),
        op.sym_name,
        "internal",
        constant=op.constant is not None,
        value=value,
        alignment=alignment,
    )
