"""Tell the caller that an output is ready, if it wants to know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic

from xdsl.dialects import memref
from xdsl.dialects.builtin import i8

from glow.codegen.loops import N, when
from glow.codegen.values import INDEX, Value
from glow.codegen.writer import emit, perform
from glow.dialects.llvm_ext.call import CallPointerOp
from glow.lowering.memory_to_loops.kernels.kernel import (
    FAULT,
    Call,
    Kernel,
    Operand,
)


@dataclass(frozen=True)
class NotifyRow(Generic[N]):
    """The number of the output."""

    output: N


@dataclass(frozen=True)
class Notify(Kernel):
    """
    Call `hook` with the number of an output, unless it is null or the run failed.

    Unit: the call.
    """

    @property
    def prefix(self) -> str:
        return "notify"

    def operands(self) -> Mapping[str, Operand]:
        return {"hook": Operand(i8), "fault": FAULT}

    def row(self) -> NotifyRow[int]:
        return NotifyRow(0)

    def write(self, call: Call, row: NotifyRow[Value]) -> None:
        hook = call["hook"].base
        address = emit(memref.ExtractAlignedPointerAsIndexOp.get(hook))
        with when(Value((address,), INDEX) != 0), when(call["fault"][0] == 0):
            perform(CallPointerOp(hook, [row.output.ssa]))
