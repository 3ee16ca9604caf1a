"""When the outputs of a function at the memory level are ready."""

from xdsl.dialects.func import FuncOp

from glow.dialects.memory.base import MemoryOp
from glow.dialects.memory.storage import ReadyOp


def outputs_ready(function: FuncOp) -> dict[str, int]:
    """
    Return after how many instructions each output is ready, in the order of time.

    Instructions are the ops of the memory level that read or write buffers. Needs:
    mark-outputs.
    """
    ready: dict[str, int] = {}
    done = 0
    for op in function.body.block.ops:
        if isinstance(op, MemoryOp):
            done += 1
        elif isinstance(op, ReadyOp):
            ready[op.symbol.string_value()] = done
    return ready
