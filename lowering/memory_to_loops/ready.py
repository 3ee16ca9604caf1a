"""Lower `memory.ready`: a call that tells the caller, for outputs that it takes."""

from __future__ import annotations

from glow.dialects.memory.storage import ReadyOp
from glow.lowering.memory_to_loops.kernels.notify import Notify, NotifyRow
from glow.lowering.memory_to_loops.main import Main, lowers


@lowers(ReadyOp)
def lower_ready(main: Main, op: ReadyOp) -> None:
    number = main.outputs.get(op.symbol.string_value())
    if number is not None:
        main.call(Notify(), [main.hook(), main.fault], NotifyRow(number))
