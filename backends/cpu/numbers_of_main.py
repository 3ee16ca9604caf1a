"""A `main` whose calls are data, so that models of the same kernels share its code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    ModuleOp,
    i8,
    i64,
)
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from glow.runtime.image import ENTRY
from glow.support.attributes import numbers_of
from glow.support.walking import block_ops, ops_of

_ARENA, _CONSTANTS, _SCRATCH = "a0", "a2", "a5"
_ARGUMENTS = 4
"""Arguments of a `main` for one thread: arena, io, constants, fault."""

ROWS, NUMBER = "rows", "number"
_BYTES, _POINTERS, _LOADED = " bytes", " pointers", " loaded"
_STEPS = {_BYTES.strip(): "i8", _POINTERS.strip(): "ptr"}
_PASSED = {llvm.ConstantOp, llvm.GEPOp, llvm.LoadOp, llvm.AddressOfOp}
"""Ops that may stand between calls: calls read their own operands."""

Path = tuple[str, tuple[int, ...]]
"""
How a call finds an operand: where it starts and each step from there, and the numbers
that the steps take. `a2 pointers loaded` is an entry of the third argument of `main`.
"""

_CallKind = tuple[str, tuple[str, ...]]
"""A kernel, and how each of its operands is found."""


def split_numbers(module: ModuleOp, entry: int) -> tuple[str, NDArray[np.int64]] | None:
    """
    Return `main` of a module of the llvm dialect as LLVM IR, and the numbers it reads.

    The code is a loop around one call of each kind. The constants have the numbers at
    `entry`: the rows, then, call by call, its kind, where operands lie, where rows
    start and how much is to be done. None for a `main` that is not one list of calls.
    """
    defined, rows = defined_in(module), rows_of(module)
    if [op.sym_name.data for op in defined] != [ENTRY] or rows is None:
        return None
    (main,) = defined
    is_list = main.body.blocks.first is main.body.blocks.last
    if not is_list or len(main.body.block.args) != _ARGUMENTS:
        return None
    try:
        kinds, numbers = _calls_in(main.body.block)
    except OtherOpError:
        return None
    text = "\n".join(_lines(kinds, entry, len(rows)))
    return text, np.concatenate([rows, np.array(numbers, np.int64)])


def defined_in(module: ModuleOp) -> list[llvm.FuncOp]:
    """Return the functions of a module that have bodies."""
    return [op for op in ops_of(module.ops, llvm.FuncOp) if op.body.blocks]


def rows_of(module: ModuleOp) -> NDArray[np.int64] | None:
    """Return the rows of numbers of a module, None if it has not one table of them."""
    tables = ops_of(module.ops, llvm.GlobalOp)
    values = tables[0].value if len(tables) == 1 else None
    if not isinstance(values, DenseIntOrFPElementsAttr):
        return None
    return np.array(values.get_values(), np.int64)


class OtherOpError(Exception):
    """An op of `main` other than calls of kernels and their arguments."""


def _calls_in(block: Block) -> tuple[Sequence[_CallKind], list[int]]:
    """Return the kinds of calls in `block`, in order, and the numbers of all calls."""
    kinds, numbers = dict[_CallKind, int](), list[int]()
    ways = dict[int, Path]()
    """How values are found, by id: to hash a value calls Python."""
    for op in block_ops(block):
        op_class = type(op)
        if op_class is llvm.CallOp:
            found: list[str] = []
            at = len(numbers)
            numbers.append(0)
            for value in op.operands:
                way = ways.get(id(value))
                if way is None:
                    way = ways[id(value)] = way_to(value)
                found.append(way[0])
                numbers += way[1]
            kind = _symbol_of(op), tuple(found)
            numbers[at] = kinds.setdefault(kind, len(kinds))
        elif op_class is llvm.ReturnOp and not op.operands:
            break
        elif op_class not in _PASSED:
            raise OtherOpError
    return list(kinds), [*numbers, len(kinds)]


def _symbol_of(op: Operation) -> str:
    assert isinstance(op, llvm.CallOp)
    if op.callee is None or op.results:
        raise OtherOpError
    return op.callee.string_value()


def way_to(value: SSAValue) -> Path:
    """Return how an operand is found. Errors: OtherOpError."""
    start, numbers = way = _way_to(value)
    # All of the arena are found alike, wherever they lie in it, and all of scratch.
    is_first = start in (_ARENA, _SCRATCH) and not numbers
    return (start + _BYTES, (0,)) if is_first else way


def _way_to(value: SSAValue) -> Path:
    # By exact classes: those of xDSL are abstract, and slow to ask for.
    if type(value) is BlockArgument:
        return f"a{value.index}", ()
    owner: Any = value.owner
    kind = cast(type[Any], type(owner))
    if kind is llvm.GEPOp and not owner.ssa_indices:
        start, numbers = _way_to(owner.ptr)
        (index,) = numbers_of(owner.rawConstantIndices)
        step = _BYTES if owner.elem_type == i8 else _POINTERS
        return start + step, (*numbers, index)
    if kind is llvm.ConstantOp and value.type == i64:
        return NUMBER, (owner.value.value.data,)
    if kind is llvm.AddressOfOp:
        return ROWS, ()
    if kind is llvm.LoadOp and type(value.type) is llvm.LLVMPointerType:
        start, numbers = _way_to(owner.ptr)
        if type(owner.ptr) is BlockArgument:  # the first entry, as all others
            start, numbers = start + _POINTERS, (0,)
        return start + _LOADED, numbers
    raise OtherOpError


def _lines(kinds: Sequence[_CallKind], entry: int, start: int) -> Iterator[str]:
    """Yield the lines of a `main` whose calls begin at number `start` of `entry`."""
    types = {symbol: ", ".join(map(type_of, ways)) for symbol, ways in kinds}
    for symbol in sorted(types):
        yield f"declare void @{symbol}({types[symbol]})"
    given = ", ".join(f"ptr %a{number}" for number in range(_ARGUMENTS))
    yield f"define void @{ENTRY}({given}) nounwind {{"
    yield "start:"
    yield f"  %entry = getelementptr ptr, ptr %{_CONSTANTS}, i64 {entry}"
    yield f"  %{ROWS} = load ptr, ptr %entry, align 8"
    yield f"  %first = getelementptr i64, ptr %{ROWS}, i64 {start}"
    yield "  br label %next"
    yield "next:"
    after = "".join(f", [%after{k}, %call{k}]" for k in range(len(kinds)))
    yield f"  %at = phi ptr [%first, %start]{after}"
    yield "  %kind = load i64, ptr %at, align 8"
    cases = " ".join(f"i64 {k}, label %call{k}" for k in range(len(kinds)))
    yield f"  switch i64 %kind, label %end [{cases}]"
    for number, (symbol, ways) in enumerate(kinds):
        yield from _CallWriter(number).lines_of(symbol, ways)
    yield from ("end:", "  ret void", "}", "")


def type_of(way: str) -> str:
    return "i64" if way == NUMBER else "ptr"


def follow(
    found: str,
    steps: Iterable[str],
    number: Callable[[], str],
    named: Callable[[str], str],
) -> str:
    """
    Write the steps of a way from what is `found`; return what is found there.

    `number` writes how the next number is read, `named` what a text computes; both
    return its name.
    """
    for step in steps:
        if step == _LOADED.strip():
            found = named(f"load ptr, ptr {found}, align 8")
        else:
            index = number()
            found = named(f"getelementptr {_STEPS[step]}, ptr {found}, i64 {index}")
    return found


class _CallWriter:
    """Writes the call of one kind; its numbers are those after that of the kind."""

    def __init__(self, kind: int):
        self._kind = kind
        self._lines = [f"call{kind}:"]
        self._numbers = 1

    def lines_of(self, symbol: str, ways: Iterable[str]) -> list[str]:
        passed = ", ".join([f"{type_of(way)} {self._found(way)}" for way in ways])
        end = f"  %after{self._kind} = getelementptr i64, ptr %at, i64 {self._numbers}"
        return [
            *self._lines,
            f"  call void @{symbol}({passed})",
            end,
            "  br label %next",
        ]

    def _found(self, way: str) -> str:
        """Write how an operand is found; return its name."""
        if way == NUMBER:
            return self._number()
        start, *steps = way.split()
        return follow(f"%{start}", steps, self._number, self._named)

    def _number(self) -> str:
        place = self._named(f"getelementptr i64, ptr %at, i64 {self._numbers}")
        self._numbers += 1
        return self._named(f"load i64, ptr {place}, align 8")

    def _named(self, text: str) -> str:
        name = f"%v{self._kind}.{len(self._lines)}"
        self._lines.append(f"  {name} = {text}")
        return name
