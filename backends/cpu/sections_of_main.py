"""A `main` that threads share, whose numbers are data: shapes share its code."""

from __future__ import annotations

from collections.abc import Container
from typing import cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from glow.backends.cpu.llvm_ir import text_of
from glow.backends.cpu.llvm_ops import WRITERS
from glow.backends.cpu.llvm_text import LlvmWriter
from glow.backends.cpu.numbers_of_main import (
    NUMBER,
    ROWS,
    OtherOpError,
    defined_in,
    follow,
    rows_of,
    way_to,
)
from glow.support.walking import operands_of

_ARGUMENTS = 6
"""Arguments of such a `main`: arena, io, constants, fault, team, scratch."""

_FOUND = {llvm.ConstantOp, llvm.GEPOp, llvm.AddressOfOp}
"""Ops whose results are found where they are used, as pointers in tables are."""
_WRITTEN = {
    *(llvm.ReturnOp, llvm.BrOp, llvm.CondBrOp, llvm.LoadOp),
    *(llvm.ICmpOp, llvm.MulOp, llvm.AddOp, llvm.SelectOp),
}


def split_sections(
    module: ModuleOp, entry: int
) -> tuple[str, NDArray[np.int64]] | None:
    """
    Return `main` of a module of the llvm dialect as LLVM IR, and the numbers it reads.

    The constants have these at `entry`: the rows, then what each op is passed, in the
    order of the text, which is equal where sections have the same strands. None for a
    `main` that is not shared, or does more than take pieces and call kernels.
    """
    defined, rows = defined_in(module), rows_of(module)
    sizes = {len(op.body.blocks[0].args) for op in defined}
    if sizes != {_ARGUMENTS} or rows is None:
        return None
    names = {op.sym_name.data for op in defined}
    writer = _SectionWriter(names, entry, len(rows))
    try:
        for op in defined:
            writer.function(op, op.linkage.linkage.data)
    except OtherOpError:
        return None
    text = text_of(writer, names)
    return text, np.concatenate([rows, np.array(writer.numbers, np.int64)])


class _SectionWriter(LlvmWriter):
    """
    Writes functions whose ops find their operands for themselves.

    That two are passed the same number is chance, and must not show in the text.
    """

    def __init__(self, functions: Container[str], entry: int, start: int):
        super().__init__(WRITERS)
        self.numbers: list[int] = []
        self._functions = functions
        self._entry, self._start = entry, start
        self._found = 0

    def operation(self, op: Operation) -> None:
        block = op.parent
        assert block is not None
        if block.prev_block is None and op is block.first_op:
            self._begin(block)
        if _is_found(op):
            return
        if type(op) is llvm.CallOp:
            self._call(op)
            return
        if type(op) not in _WRITTEN:
            raise OtherOpError
        for value in operands_of(op):
            self.names[value] = self._operand(value)
        super().operation(op)

    def _call(self, op: llvm.CallOp) -> None:
        """Write a call; two of its operands may happen to be one value."""
        if op.callee is None:
            raise OtherOpError
        symbol, types = op.callee.string_value(), [self.type(v.type) for v in op.args]
        # A part of `main` is passed the arguments of this one.
        find = _argument if symbol in self._functions else self._operand
        names = [find(value) for value in op.args]
        result = self.type(op.results[0].type) if op.results else "void"
        self.callees[symbol] = f"declare {result} @{symbol}({', '.join(types)})"
        given = ", ".join(map(" ".join, zip(types, names, strict=True)))
        self.define(op, f"call {result} @{symbol}({given})")

    def _begin(self, block: Block) -> None:
        """Find the rows, and the numbers behind them."""
        constants = _argument(block.args[2])
        self.line(f"%entry = getelementptr ptr, ptr {constants}, i64 {self._entry}")
        self.line(f"%{ROWS} = load ptr, ptr %entry, align 8")
        self.line(f"%numbers = getelementptr i64, ptr %{ROWS}, i64 {self._start}")

    def _operand(self, value: SSAValue) -> str:
        """Write how an operand is found, if no op wrote it; return its name."""
        owner = value.owner
        if not _is_found(value if type(owner) is Block else owner):
            return self.names[value]
        way, numbers = way_to(value)
        at = len(self.numbers)
        self.numbers += numbers
        places = iter(range(at, len(self.numbers)))
        if way == NUMBER:
            return self._number(at)
        start, *steps = way.split()
        first = f"%{start.removeprefix('a')}"  # the writer counts arguments
        return follow(first, steps, lambda: self._number(next(places)), self._named)

    def _number(self, at: int) -> str:
        place = self._named(f"getelementptr i64, ptr %numbers, i64 {at}")
        return self._named(f"load i64, ptr {place}, align 8")

    def _named(self, text: str) -> str:
        self._found += 1
        name = f"%v{self._found}"
        self.line(f"{name} = {text}")
        return name


def _is_found(by: Operation | Block | SSAValue) -> bool:
    """Return whether what an op computes, or an argument, is found where it is used."""
    kind = type(by)
    if kind is BlockArgument:
        return cast(BlockArgument, by).block.prev_block is None
    if kind is llvm.LoadOp:
        (loaded,) = cast(llvm.LoadOp, by).results
        return type(loaded.type) is llvm.LLVMPointerType
    return kind in _FOUND


def _argument(value: SSAValue) -> str:
    if not isinstance(value, BlockArgument) or value.block.prev_block is not None:
        raise OtherOpError
    return f"%{value.index}"
