"""A `main` as numbers: its calls and sections are data, so that shapes share code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from struct import pack
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    i64,
)
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from glow.dialects.llvm_ext.memory import BaseOp
from glow.dialects.team.sections import CallOp, SectionOp, StrandOp
from glow.lowering.loops_to_llvm.sections import pieces_together
from glow.lowering.loops_to_llvm.types import constant_of
from glow.support.attributes import string, unchecked
from glow.support.targets import target_of
from glow.support.walking import block_ops, free_ops, operands_of, ops_of

CALLS, NUMBERS, ROWS = "glow.calls", "glow.numbers", "glow.rows"
"""
The attributes that stand for a `main`: each kind of call, as the symbol of a kernel and
how each of its operands is found; all numbers; how many of these are rows.
"""

NUMBER, OF_ROWS, ARGUMENT, BYTES, ENTRY = "number", "rows", "a", "bytes", "entry"
"""
How an operand is found: `number` is the next number; `rows` the table of rows; `a 3`
argument 3 of `main`; `bytes 0` the next number of bytes into argument 0; `entry 2` the
entry of argument 2 that the next number names, plus bytes by the number after that.
"""

_SHARED = 6
"""Arguments of a `main` that threads share; the last but one is the team."""

_BETWEEN = {arith.ConstantOp, BaseOp, memref.GetGlobalOp}
"""Ops that may stand between calls: calls read their own operands."""

_Way = tuple[str, tuple[int, ...]]
"""How an operand is found, and the numbers that this takes."""


class _OtherOpError(Exception):
    """An op of `main` other than calls of kernels and their arguments."""


def replace_by_numbers(module: ModuleOp, target: str) -> bool:
    """
    Let attributes stand for the body of `main` of a module at the loops level.

    Numbers are the rows, then the calls in order, then -1. A call has the number of its
    kind, then what its operands take; in a shared `main` its units and those of a
    piece, too. A shared `main` has, for each section, how many strands there are and
    how many pieces these have; for each strand its number, its place in the section,
    its pieces, how many of these a call does at most, and how many numbers are between
    here and the next; then its calls. The end is a section without strands.
    Return False, and change nothing, for a `main` that does more than call kernels.
    """
    defined = [op for op in ops_of(module.ops, func.FuncOp) if op.body.blocks]
    tables = ops_of(module.ops, memref.GlobalOp)
    rows = tables[0].initial_value if len(tables) == 1 else None
    if len(defined) != 1 or not isinstance(rows, DenseIntOrFPElementsAttr):
        return False
    (main,) = defined
    if main.body.blocks.first is not main.body.blocks.last:
        return False
    numbers = _MainNumbers(target)
    block = main.body.block
    try:
        if len(block.args) == _SHARED:
            numbers.sections(block)
        else:
            numbers.calls(block)
    except _OtherOpError:
        return False
    given = cast(Sequence[int], rows.get_values())
    kinds = list(map(_strings, numbers.kinds))
    module.attributes[CALLS] = ArrayAttr(kinds)
    module.attributes[NUMBERS] = _array(given, numbers.found)
    module.attributes[ROWS] = IntegerAttr(len(given), i64)
    declared = func.FuncOp.external(main.sym_name.data, *_types_of(main))
    declared.location = main.location
    module.body.block.insert_op_after(declared, main)
    for op in (main, *tables):
        op.detach()
        free_ops(*op.regions)
    return True


@lru_cache(1 << 10)
def _strings(kind: tuple[str, ...]) -> ArrayAttr[StringAttr]:
    return ArrayAttr(map(string, kind))


def _array(*parts: Sequence[int]) -> DenseArrayBase[Any]:
    """Return numbers as an attribute, unchecked: xDSL would look at each of them."""
    data = b"".join(pack(f"<{len(part)}q", *part) for part in parts)
    return unchecked(DenseArrayBase, elt_type=i64, data=unchecked(BytesAttr, data=data))


def _types_of(main: func.FuncOp) -> tuple[Sequence[Any], Sequence[Any]]:
    return main.function_type.inputs.data, main.function_type.outputs.data


class _MainNumbers:
    """The kinds of calls met so far, and the numbers of all calls."""

    def __init__(self, target: str):
        self.kinds: dict[tuple[str, ...], int] = {}
        self.found: list[int] = []
        self._near_bytes = target_of(target).costs.strand_bytes
        self._ways: dict[int, _Way] = {}
        """By id, how values are found: hashing a value would call Python."""

    def sections(self, block: Block) -> None:
        """Add the sections of a `main` that threads share."""
        for op in _body(block):
            if type(op) is not SectionOp:
                raise _OtherOpError
            strands = cast(list[StrandOp], block_ops(op.body.block))
            pieces = [strand.pieces for strand in strands]
            self.found += (len(strands), sum(pieces))
            for order, (strand, count) in enumerate(zip(strands, pieces, strict=True)):
                self._strand(strand, order, count)
        self.found.append(0)

    def _strand(self, strand: StrandOp, order: int, pieces: int) -> None:
        together = pieces_together(strand, pieces, self._near_bytes)
        self.found += (strand.number.value.data, order, pieces, together, 0)
        start = len(self.found)
        for op in block_ops(strand.body.block):
            if type(op) is CallOp:
                step, units = op.step.value.data, op.units.value.data
                self._call(op.callee.string_value(), operands_of(op))
                self.found += (units, step)
            elif type(op) not in _BETWEEN:
                raise _OtherOpError
        self.found.append(-1)
        self.found[start - 1] = len(self.found) - start

    def calls(self, block: Block) -> None:
        """Add the calls of a `main` for one thread."""
        for op in _body(block):
            if type(op) is not func.CallOp or op.results:
                raise _OtherOpError
            self._call(op.callee.string_value(), operands_of(op))
        self.found.append(-1)

    def _call(self, symbol: str, operands: Sequence[SSAValue]) -> None:
        names = [symbol]
        at = len(self.found)
        self.found.append(0)
        for value in operands:
            way = self._ways.get(id(value))
            if way is None:
                way = self._ways[id(value)] = _way_to(value)
            names.append(way[0])
            self.found += way[1]
        self.found[at] = self.kinds.setdefault(tuple(names), len(self.kinds))


def _body(block: Block) -> Iterator[Operation]:
    """Yield the ops of `main` that do something, before it returns."""
    *ops, last = block_ops(block)
    if type(last) is not func.ReturnOp or operands_of(last):
        raise _OtherOpError
    return (op for op in ops if type(op) not in _BETWEEN)


def _way_to(value: SSAValue) -> _Way:
    """Return how an operand is found. Errors: _OtherOpError."""
    # By exact classes: those of xDSL are abstract, and slow to ask for.
    if type(value) is BlockArgument:
        return f"{ARGUMENT} {value.index}", ()
    owner: Any = value.owner
    kind = cast(type[Any], type(owner))
    if kind is BaseOp and type(source := operands_of(owner)[0]) is BlockArgument:
        properties = owner.properties
        offset, entry = properties["offset"].value.data, properties.get("entry")
        if entry is None:
            return f"{BYTES} {source.index}", (offset,)
        return f"{ENTRY} {source.index}", (entry.value.data, offset)
    if kind is arith.ConstantOp and (known := constant_of(value)) is not None:
        return NUMBER, (known,)
    if kind is memref.GetGlobalOp:
        return OF_ROWS, ()
    raise _OtherOpError


def calls_of(module: ModuleOp) -> list[tuple[str, ...]] | None:
    """Return the kinds of calls of a `main` that is numbers, None for another."""
    found = module.attributes.get(CALLS)
    if found is None:
        return None
    kinds = cast(ArrayAttr[ArrayAttr[StringAttr]], found)
    return [tuple([each.data for each in kind]) for kind in kinds]


def numbers_in(module: ModuleOp) -> NDArray[np.int64]:
    """Return the numbers of a `main` that `calls_of` has the kinds of."""
    found = cast(DenseArrayBase[Any], module.attributes[NUMBERS])
    return np.frombuffer(found.data.data, np.int64)
