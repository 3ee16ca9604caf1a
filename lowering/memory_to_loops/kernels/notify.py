"""Tell the caller that an output is ready, if it wants to know."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Region, SSAValue

from glow.dialects.llvm_ext.call import CallPointerOp
from glow.lowering.memory_to_loops.builder import (
    BYTES,
    INDEX,
    OFFSETS,
    TABLE,
    Body,
    function,
)
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.nest import Row


@dataclass(frozen=True)
class Notify(Kernel):
    """
    Call `hook` with the number of an output, unless it is null or the run failed.

    Row: the number.
    """

    @property
    def prefix(self) -> str:
        return "notify"

    def build(self) -> FuncOp:
        arguments = [
            ("hook", BYTES),
            ("fault", OFFSETS),
            ("rows", TABLE),
            ("at", INDEX),
        ]
        op, b, args = function(self.symbol, arguments)
        address = b.add(memref.ExtractAlignedPointerAsIndexOp.get(args["hook"]))
        is_set = b.add(arith.CmpiOp(address, b.const(0), "ne"))
        asked = Body(Block(), b.consts, b.entry)
        fault = asked.load(args["fault"], asked.const(0))
        is_fine = asked.add(arith.CmpiOp(fault, asked.scalar(0, i32), "eq"))
        told = Body(Block(), b.consts, b.entry)
        number = Row(told, args).next("output")
        told.do(CallPointerOp(args["hook"], [number]))
        _only_if(asked, is_fine, told)
        _only_if(b, is_set, asked)
        b.do(func.ReturnOp())
        return op


def _only_if(b: Body, condition: SSAValue, inner: Body) -> None:
    inner.do(scf.YieldOp())
    b.do(scf.IfOp(condition, [], Region(inner.block)))
