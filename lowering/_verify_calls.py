"""Checks of the calls in code that enters as text."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import func, llvm, memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from glow.dialects.llvm_ext.memory import BaseOp, CallPointerOp
from glow.dialects.team.sections import CallOp
from glow.lowering.loops_to_llvm.arithmetic import C_LIBRARY
from glow.lowering.memory_to_loops.kernels.library_function import declared_function
from glow.support.locations import name_of

AnyFunction = func.FuncOp | llvm.FuncOp


def call_problems(module: ModuleOp) -> list[str]:
    """Return a problem for each symbol or address that code may not call or make."""
    return [*_symbol_problems(module), *_address_problems(module)]


def shown(op: Operation) -> str:
    """Return the name of `op` and where it is from."""
    return f"{op.name} (from {name_of(op)})"


def _symbol_problems(module: ModuleOp) -> list[str]:
    known = {
        op.sym_name.data
        for op in module.ops
        if isinstance(op, AnyFunction) and op.body.blocks
    }
    tables = {op.sym_name.data for op in module.ops if isinstance(op, llvm.GlobalOp)}
    problems: dict[str, str] = {}
    for op in module.walk():
        match op:
            case func.CallOp() | llvm.CallOp() if op.callee is not None:
                symbol = op.callee.string_value()
                is_allowed = symbol in known or symbol in C_LIBRARY
                is_allowed = is_allowed or declared_function(symbol) is not None
            case CallOp():
                symbol = op.callee.string_value()
                is_allowed = symbol in known or declared_function(symbol) is not None
            case llvm.AddressOfOp():
                symbol = op.global_name.string_value()
                is_allowed = symbol in tables
            case _:
                continue
        if not is_allowed:
            problems[symbol] = (
                f"{shown(op)}: @{symbol} is neither of the module nor known only to "
                "compute; text that names it has to be trusted (--trust)"
            )
    return list(problems.values())


def _address_problems(module: ModuleOp) -> Iterator[str]:
    """Yield calls of addresses that code computed, and addresses made of numbers."""
    for op in module.walk():
        match op:
            case CallPointerOp():
                callee = op.callee
            case llvm.CallOp() if op.callee is None and op.args:
                callee = op.args[0]
            case llvm.IntToPtrOp():
                yield (
                    f"{shown(op)}: an address made of a number may be anywhere; "
                    "text that makes one has to be trusted (--trust)"
                )
                continue
            case _:
                continue
        if not _is_given(callee):
            yield (
                f"{shown(op)}: expected to call a pointer that a function is given "
                "or that was loaded; text that computes one has to be trusted (--trust)"
            )


def _is_given(pointer: SSAValue) -> bool:
    """Return whether `pointer` is an argument of a function, or is loaded."""
    match pointer.owner:
        case Block() as block:
            parent = block.parent_op()
            is_first = block.parent is not None and block is block.parent.blocks.first
            return isinstance(parent, AnyFunction) and is_first
        case BaseOp(entry=entry):
            return entry is not None
        case owner:
            return isinstance(owner, memref.LoadOp | llvm.LoadOp)
