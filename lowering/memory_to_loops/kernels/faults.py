"""How a kernel reports data that it cannot go on with, and goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Region, SSAValue

from glow.codegen.casts import convert
from glow.codegen.loops import when
from glow.codegen.memory import Memory
from glow.codegen.values import INDEX, Value, is_outside, select
from glow.lowering.memory_to_loops.builder import (
    OFFSETS,
    TABLE,
    Body,
    flat,
    function,
)
from glow.lowering.memory_to_loops.kernels.numbers import Numbers

Function = tuple[FuncOp, Body, dict[str, SSAValue]]
"""A function without a body, a builder at its start, and its arguments by name."""

Report = Callable[[Body, SSAValue], None]
"""Appends ops that report a fault where a condition holds."""


def reporting_function(symbol: str, buffers: Mapping[str, Attribute]) -> Function:
    """Return a function that may report a fault; `buffers` have these elements."""
    found = [(name, flat(element)) for name, element in buffers.items()]
    return function(
        symbol, [*found, ("fault", OFFSETS), ("rows", TABLE), ("at", INDEX)]
    )


def reporter(fault: SSAValue, code: SSAValue) -> Report:
    """Return a report that stores `code` into `fault`, unless that holds one."""

    def report(b: Body, condition: SSAValue) -> None:
        inner = Body(Block(), b.consts, b.entry)
        zero = inner.const(0)
        old = inner.load(fault, zero)
        is_free = inner.add(arith.CmpiOp(old, inner.scalar(0, i32), "eq"))
        cast = arith.IndexCastOp.create(operands=[code], result_types=[i32])
        new = inner.add(cast)
        inner.store(inner.add(arith.SelectOp(is_free, new, old)), fault, zero)
        inner.do(scf.YieldOp())
        b.do(scf.IfOp(condition, [], Region(inner.block)))

    return report


def checked_index(
    b: Body, value: SSAValue, extent: SSAValue, report: Report
) -> SSAValue:
    """Return an index counted from the front; reported and 0 if it is out of range."""
    cast = arith.IndexCastOp.create(operands=[value], result_types=[INDEX])
    n, zero = Numbers(b, INDEX), b.const(0)
    index = b.add(cast)
    from_end = b.sum(index, extent)
    index = n.select(n.compare("lt", index, zero), from_end, index)
    # A negative number is a large one without a sign.
    is_outside = b.add(arith.CmpiOp(index, extent, "uge"))
    report(b, is_outside)
    return n.select(is_outside, zero, index)


@dataclass(frozen=True)
class Fault:
    """Where a kernel stores `code` if data makes it fail, unless it holds another."""

    memory: Memory
    code: Value

    def report(self, condition: Value) -> None:
        """Store the code where the condition holds."""
        with when(condition):
            old = self.memory[0]
            self.memory[0] = select(old == 0, convert(self.code, i32), old)

    def checked(self, number: Value, extent: Value) -> Value:
        """Return an index counted from the front; reported and 0 if out of range."""
        place = convert(number, INDEX)
        place = select(place < 0, place + extent, place)
        is_wrong = is_outside(place, extent)
        self.report(is_wrong)
        return select(is_wrong, 0, place)
