"""Checks of code at the loops and llvm levels that enters as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import func, llvm, memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FixedBitwidthType,
    FunctionType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    i8,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMFunctionType, LLVMPointerType, LLVMVoidType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException

from glow.analysis.buffers import size_bytes
from glow.codegen.memory import flat
from glow.dialects.graph.placeholder import RESIDENCIES, RUN, ResourceAttr, check_bytes
from glow.dialects.llvm_ext.memory import BaseOp
from glow.dialects.team.notes import NoteOp
from glow.dialects.team.sections import CallOp, SectionOp, StrandOp
from glow.lowering._verify_calls import AnyFunction, call_problems, shown
from glow.lowering.loops_to_llvm.types import constant_of
from glow.lowering.memory_to_loops.profile import GROUPS, RECORD_BYTES, RECORDS

_TEAM = ("sections", "strands", "worker_bytes")
"""Attributes of a module with a `main` for several threads."""

_MOST_ALIGNED = 1 << 32
"""The largest alignment of LLVM."""

_POINTERS = flat(flat(i8))
_ALONE = [flat(i8), _POINTERS, _POINTERS, flat(i32)]
_SHARED = [*_ALONE, flat(i64), flat(i8)]
_MAINS = [FunctionType.from_lists(types, []) for types in (_ALONE, _SHARED)]
_LLVM_MAINS = [
    LLVMFunctionType([LLVMPointerType()] * len(types), LLVMVoidType())
    for types in (_ALONE, _SHARED)
]


@dataclass(frozen=True)
class VerifyCodePass(ModulePass):
    """
    Check code at the loops or llvm level for accesses outside its arguments.

    Checked are the signature, the constants and the arena that the module describes,
    the arguments of `@main`, each place in these tables and in what they point to that
    is a constant, alignments, and what code calls: functions of the module, kernels
    that this process has declared, intrinsics of LLVM, functions of the C library that
    only compute, and pointers that were given or loaded; no address is made of a
    number. With `trust`, any. Where a pointer leads that code adds to, or loads, is not
    checked. That strands of a section touch nothing which others write, their ops check
    themselves.

    Level: loops -> loops, or llvm -> llvm. Needs: nothing; changes nothing.
    Errors: every problem in one message.
    """

    name = "verify-code"

    trust: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        problems = [*_attribute_problems(op)]
        # What is checked next relies on these.
        problems = problems or [*_main_problems(op)]
        problems += _alignment_problems(op)
        problems += [] if self.trust else call_problems(op)
        if problems:
            raise VerifyException("; ".join(problems))


def _attribute_problems(module: ModuleOp) -> Iterator[str]:
    for name in ("arena_bytes", *_TEAM):
        number = module.attributes.get(f"glow.{name}", IntegerAttr(0, 64))
        if not isinstance(number, IntegerAttr) or number.value.data < 0:
            yield f"glow.{name}: expected an integer of at least 0, got {number}"
    for name, kind in (("constants", ResourceAttr), ("messages", StringAttr)):
        for each in _list(module, f"glow.{name}"):
            if not isinstance(each, kind):
                yield f"glow.{name}: expected a list of {kind.name}, got {each}"
    groups = _list(module, GROUPS)
    for entry in groups:
        numbers = (DenseArrayBase,) * 4
        if not _has_values(entry, StringAttr, StringAttr, *numbers):
            yield f"{GROUPS}: expected name, op and four arrays, got {entry}"
    for entry in _list(module, RECORDS):
        kinds = IntegerAttr, StringAttr, *(IntegerAttr,) * 3
        if not _has_values(entry, *kinds) or not (
            0 <= entry.data[0].value.data < len(groups)
        ):
            yield (
                f"{RECORDS}: expected the number of one of {len(groups)} groups, "
                f"a kernel, and numbers of piece, section and strand, got {entry}"
            )
    names: set[str] = set()
    for entry in _list(module, "glow.signature"):
        problem = _entry_problem(entry, _list(module, "glow.constants"))
        if problem is None and entry.data[0].data in names:
            problem = "expected names that differ"
        if problem is not None:
            yield f"glow.signature: {problem}, got {entry}"
        else:
            names.add(entry.data[0].data)


def _has_values(entry: Attribute, *kinds: type[Attribute]) -> bool:
    """Return whether `entry` is a list of attributes of these kinds."""
    if not isinstance(entry, ArrayAttr):
        return False
    values = cast(ArrayAttr[Attribute], entry).data
    pairs = zip(values, kinds, strict=False)
    return len(values) == len(kinds) and all(isinstance(v, k) for v, k in pairs)


def _list(module: ModuleOp, name: str) -> Sequence[Any]:
    attribute: Any = module.attributes.get(name)
    if isinstance(attribute, ArrayAttr):
        return cast(ArrayAttr[Any], attribute).data
    return [] if attribute is None else [attribute]


def _entry_problem(entry: Attribute, constants: Sequence[Any]) -> str | None:
    """Return why `entry` does not describe an array of the caller, or None."""
    match entry:
        case ArrayAttr(
            data=(
                StringAttr(),
                StringAttr(data=direction),
                MemRefType() as type_,
                *rest,
            )
        ):
            pass
        case _:
            return "expected a name, a direction and a buffer"
    residency = RUN
    for attribute in rest:
        match attribute:
            case StringAttr(data=residency):
                pass
            case IntegerAttr(value=number):
                if not 0 <= number.data < len(constants):
                    return f"expected the number of one of {len(constants)} constants"
                try:
                    check_bytes(constants[number.data], type_)
                except VerifyException as error:
                    return str(error)
            case ArrayAttr() if all(isinstance(a, StringAttr) for a in attribute):
                pass
            case _:
                return "expected a residency, the number of a constant, or axes"
    if direction not in RESIDENCIES.get(residency, ()):
        return "expected a direction that goes with the residency"
    return None


def _main_problems(module: ModuleOp) -> Iterator[str]:
    functions = (op for op in module.ops if isinstance(op, AnyFunction))
    for main in functions:
        if main.sym_name.data != "main":
            continue
        shared = any(f"glow.{name}" in module.attributes for name in _TEAM)
        mains = _MAINS if isinstance(main, func.FuncOp) else _LLVM_MAINS
        if main.function_type != mains[shared]:
            yield f"{shown(main)}: expected {mains[shared]}, got {main.function_type}"
        elif main.body.blocks:
            yield from _table_problems(module, main.body.blocks[0].args)
            yield from _section_problems(module, main)


def _table_problems(module: ModuleOp, tables: Sequence[SSAValue]) -> Iterator[str]:
    """Yield uses of what `main` is given at constant places that are outside of it."""
    arena, io, constants, _, *team = tables
    yield from _outside(arena, _number(module, "arena_bytes"), "the arena")
    for own in team[1:]:
        yield from _outside(own, _number(module, "worker_bytes"), "a worker's memory")
    sizes: list[int | None] = [
        size_bytes(entry.data[2]) for entry in _list(module, "glow.signature")
    ]
    # After the arrays of the caller come the function notified of outputs and, of
    # what is profiled, records.
    sizes.append(None)
    if RECORDS in module.attributes:
        sizes.append(RECORD_BYTES * len(_list(module, RECORDS)))
    yield from _entry_problems(io, sizes, "arrays of the signature")
    arrays = [constant.array for constant in _list(module, "glow.constants")]
    held = [None if array is None else array.nbytes for array in arrays]
    yield from _entry_problems(constants, held, "constants")


def _section_problems(module: ModuleOp, main: AnyFunction) -> Iterator[str]:
    """Yield numbers of sections, strands and records that the module has not."""
    count = len(_list(module, RECORDS))
    for note in (op for op in main.body.walk() if isinstance(op, NoteOp)):
        call, first = note.next_op, note.first.value.data
        if isinstance(call, CallOp) and first + call.pieces > count:
            yield (
                f"{shown(note)}: expected records 0 to {count - 1}, got {first} to "
                f"{first + call.pieces - 1}"
            )
    sections = [op for op in main.body.walk() if isinstance(op, SectionOp)]
    strands = [op for op in main.body.walk() if isinstance(op, StrandOp)]
    if not sections:
        return
    for name, ops in (("sections", sections), ("strands", strands)):
        numbers = [op.number.value.data for op in ops]
        if numbers != list(range(_number(module, name))):
            yield (
                f"{shown(main)}: expected {name} 0 to {_number(module, name) - 1} in "
                f"order, got {numbers}"
            )


def _number(module: ModuleOp, name: str) -> int:
    attribute = module.attributes.get(f"glow.{name}")
    return attribute.value.data if isinstance(attribute, IntegerAttr) else 0


def _entry_problems(
    table: SSAValue, sizes: Sequence[int | None], what: str
) -> Iterator[str]:
    for op, number, pointer in _entries(table):
        if not 0 <= number < len(sizes):
            yield f"{shown(op)}: entry {number} is none of {len(sizes)} {what}"
        elif (size := sizes[number]) is not None:
            yield from _outside(pointer, size, f"entry {number} of {what}")


def _outside(pointer: SSAValue, size: int, what: str) -> Iterator[str]:
    for op, start in _places(pointer):
        if not 0 <= start <= size:
            yield f"{shown(op)}: byte {start} lies outside {what}, of {size} bytes"


def _entries(table: SSAValue) -> Iterator[tuple[Operation, int, SSAValue]]:
    """Yield the loads of known entries of a table of pointers."""
    for use in table.uses:
        match use.operation:
            case BaseOp(entry=IntegerAttr(value=number)) as op:
                yield op, number.data, op.result
            case memref.LoadOp(indices=(index,)) as op:
                number = constant_of(index)
                if number is not None:
                    yield op, number, op.res
            case llvm.LoadOp() as op:
                yield op, 0, op.dereferenced_value
            case llvm.GEPOp(elem_type=LLVMPointerType()) as op:
                number = _only_index(op)
                loads = [inner.operation for inner in op.result.uses]
                for load in loads:
                    if isinstance(load, llvm.LoadOp) and number is not None:
                        yield op, number, load.dereferenced_value
            case _:
                pass


def _places(pointer: SSAValue) -> Iterator[tuple[Operation, int]]:
    """Yield what goes a known number of bytes on from a pointer."""
    if isinstance(pointer.owner, BaseOp):
        yield pointer.owner, pointer.owner.offset.value.data
    for use in pointer.uses:
        match use.operation:
            case BaseOp() as op:
                yield op, op.offset.value.data
            case memref.ViewOp() as op:
                start = constant_of(op.byte_shift)
                if start is not None:
                    yield op, start
            case llvm.GEPOp(elem_type=FixedBitwidthType() as element) as op:
                number = _only_index(op)
                if number is not None:
                    yield op, number * (-(-element.bitwidth // 8))
            case _:
                pass


def _only_index(op: llvm.GEPOp) -> int | None:
    """Return the index of `op` if it has one alone, which is known, else None."""
    indices = list(op.rawConstantIndices.iter_values())
    if len(indices) != 1:
        return None
    return constant_of(op.ssa_indices[0]) if op.ssa_indices else indices[0]


def _alignment_problems(module: ModuleOp) -> Iterator[str]:
    """Yield ops, such as loads, with an alignment that LLVM has none of."""
    for op in module.walk():
        alignment = op.properties.get("alignment", op.attributes.get("alignment"))
        if alignment is not None:
            size = alignment.value.data if isinstance(alignment, IntegerAttr) else 0
            if not 0 < size <= _MOST_ALIGNED or size & (size - 1):
                yield f"{shown(op)}: expected an alignment of a power of 2, got {size}"
