"""How a kernel reports data that it cannot go on with, and goes on."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Region, SSAValue

from glow.lowering.memory_to_loops.builder import Body

Report = Callable[[Body, SSAValue], None]
"""Appends ops that report a fault where a condition holds."""


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
