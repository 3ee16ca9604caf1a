"""Lower `memory.ready`: a call that tells the caller, for outputs that it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from xdsl.dialects import memref

from glow.codegen.loops import N, when
from glow.codegen.values import INDEX, Value
from glow.codegen.writer import emit, perform
from glow.dialects.llvm_ext.memory import CallPointerOp
from glow.dialects.memory.storage import ReadyOp
from glow.lowering.memory_to_loops.kernels.kernel import Call, Kernel
from glow.lowering.memory_to_loops.main import Main, lowers


@dataclass(frozen=True)
class NotifyRow(Generic[N]):
    """The number of the output."""

    output: N


@dataclass(frozen=True)
class NotifyOutput(Kernel):
    """
    Call `hook` with the number of an output, unless it is null or the run failed.

    Unit: the call.
    """

    def write(self, call: Call[NotifyRow[Value]]) -> None:
        hook = call["hook"].base
        address = emit(memref.ExtractAlignedPointerAsIndexOp.get(hook))
        with when(Value((address,), INDEX) != 0), when(call["fault"][0] == 0):
            perform(CallPointerOp(hook, [call.row.output.ssa]))


@lowers(ReadyOp)
def lower_ready(main: Main, op: ReadyOp) -> None:
    number = main.storage.outputs.get(op.symbol.string_value())
    if number is not None:
        memory = {"hook": main.hook(), "fault": main.fault}
        main.call(NotifyOutput(), memory, NotifyRow(number), ordered=True)
