"""A `main` whose numbers are data, so that shapes of one model share its code."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    ModuleOp,
    i8,
    i64,
)
from xdsl.ir import BlockArgument, SSAValue

from glow.runtime.image import ENTRY

_ARENA, _CONSTANTS = 0, 2
_ARGUMENTS = 4
"""What a `main` for one thread is passed: arena, io, constants, fault."""


def split_numbers(module: ModuleOp, entry: int) -> tuple[str, NDArray[np.int64]] | None:
    """
    Return `main` of a module of the llvm dialect as LLVM IR, and the numbers it reads.

    The constants have these at `entry`: the rows, then, call by call, where operands
    lie, where rows start and how much is to be done. None for a `main` that is not one
    list of calls.
    """
    functions = [op for op in module.ops if isinstance(op, llvm.FuncOp)]
    defined = [op for op in functions if op.body.blocks]
    tables = [op for op in module.ops if isinstance(op, llvm.GlobalOp)]
    if [op.sym_name.data for op in defined] != [ENTRY] or len(tables) != 1:
        return None
    (main,), values = defined, tables[0].value
    is_list = main.body.blocks.first is main.body.blocks.last
    if not is_list or len(main.body.block.args) != _ARGUMENTS:
        return None
    if not isinstance(values, DenseIntOrFPElementsAttr):
        return None
    rows = np.array(values.get_values(), np.int64)
    calls = _Calls(entry, len(rows))
    try:
        lines = [line for op in main.body.block.ops for line in calls.lines_of(op)]
    except _OtherOpError:
        return None
    head = f"define void @{ENTRY}(ptr %a0, ptr %a1, ptr %a2, ptr %a3) nounwind {{"
    text = "\n".join([*sorted(calls.declared), head, *calls.start(), *lines, "}", ""])
    return text, np.concatenate([rows, np.array(calls.numbers, np.int64)])


class _OtherOpError(Exception):
    """Something else than a call of a kernel, and what it is passed."""


def _kind_of(value: SSAValue) -> str:
    if value.type == i64:
        return "i64"
    if not isinstance(value.type, llvm.LLVMPointerType):
        raise _OtherOpError
    return "ptr"


class _Calls:
    """
    Writes calls; each finds its operands for itself.

    That two calls are passed the same number is chance, and must not show in the text.
    """

    def __init__(self, entry: int, start: int):
        self.declared: set[str] = set()
        self.numbers: list[int] = []
        self._entry, self._start = entry, start
        self._count = 0

    def start(self) -> Iterator[str]:
        yield f"  %entry = getelementptr ptr, ptr %a{_CONSTANTS}, i64 {self._entry}"
        yield "  %numbers = load ptr, ptr %entry, align 8"

    def lines_of(self, op: object) -> Iterator[str]:
        """Yield the lines of a call, or of the end; what is passed comes with it."""
        match op:
            case llvm.CallOp() if op.callee is not None and not op.results:
                names: list[str] = []
                for value in op.args:
                    name = yield from self._operand(value)
                    names.append(f"{_kind_of(value)} {name}")
                symbol = op.callee.string_value()
                types = ", ".join(name.partition(" ")[0] for name in names)
                self.declared.add(f"declare void @{symbol}({types})")
                yield f"  call void @{symbol}({', '.join(names)})"
            case llvm.ReturnOp() if op.arg is None:
                yield "  ret void"
            case llvm.ConstantOp() | llvm.GEPOp() | llvm.LoadOp() | llvm.AddressOfOp():
                return
            case _:
                raise _OtherOpError

    def _operand(self, value: SSAValue) -> Generator[str, None, str]:
        """Yield the lines that find `value`; return its name."""
        if isinstance(value, BlockArgument) and value.index == _ARENA:
            return (yield from self._moved("i8", f"%a{_ARENA}", 0))
        return (yield from self._found(value))

    def _found(self, value: SSAValue) -> Generator[str, None, str]:
        if isinstance(value, BlockArgument):
            return f"%a{value.index}"
        match value.owner:
            case llvm.ConstantOp(value=IntegerAttr() as number) if value.type == i64:
                return (yield from self._number(number.value.data))
            case llvm.AddressOfOp():
                return "%numbers"
            case llvm.LoadOp() as op:
                at = yield from self._entry_at(op.ptr)
                return (yield from self._named(f"load ptr, ptr {at}, align 8"))
            case llvm.GEPOp() as op if not op.ssa_indices:
                base = yield from self._found(op.ptr)
                (index,) = op.rawConstantIndices.get_values()
                kind = "i8" if op.elem_type == i8 else "ptr"
                return (yield from self._moved(kind, base, index))
            case _:
                raise _OtherOpError

    def _entry_at(self, table: SSAValue) -> Generator[str, None, str]:
        """Find an entry of a table; the first is found as all others are."""
        if isinstance(table, BlockArgument):
            return (yield from self._moved("ptr", f"%a{table.index}", 0))
        return (yield from self._found(table))

    def _moved(self, kind: str, base: str, number: int) -> Generator[str, None, str]:
        index = yield from self._number(number)
        return (
            yield from self._named(f"getelementptr {kind}, ptr {base}, i64 {index}")
        )

    def _number(self, number: int) -> Generator[str, None, str]:
        at = self._start + len(self.numbers)
        self.numbers.append(number)
        place = yield from self._named(f"getelementptr i64, ptr %numbers, i64 {at}")
        return (yield from self._named(f"load i64, ptr {place}, align 8"))

    def _named(self, text: str) -> Generator[str, None, str]:
        self._count += 1
        yield f"  %v{self._count} = {text}"
        return f"%v{self._count}"
