"""Calls of functions at the memory level: whether they fit, and the room they give."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from glow.analysis.buffers import size_bytes
from glow.analysis.calls import callees_first, calls_in
from glow.dialects.memory.base import MemoryOp, buffer_type
from glow.dialects.memory.control_flow import ControlFlowOp
from glow.dialects.memory.storage import GetOp
from glow.support.locations import name_of
from glow.support.walking import ops_in


def at(op: Operation, problem: str) -> str:
    """Return the message of a problem, which begins with the op that has it."""
    name = op.title if isinstance(op, MemoryOp) else op.name
    return f"{name} (from {name_of(op)}): {problem}"


def problems_of_calls(
    functions: Sequence[FuncOp], outside: Container[str]
) -> Iterator[str]:
    """
    Yield what is wrong with ops that call functions, and with the called functions.

    `outside` are the symbols that called functions may not name.
    """
    table = {f.sym_name.data: f for f in functions}
    calls = [op for function in functions for op in _calls_in(function)]
    called = {name for op in calls for name in op.callees}
    for name in [name for name in table if name in called]:
        for op in ops_in(table[name].body):
            if isinstance(op, GetOp) and op.symbol.string_value() in outside:
                yield at(op, f"is in @{name}, which an op calls: pass the buffer")
    for op in calls:
        for name in op.callees:
            if name not in table:
                yield at(op, f"no function with a body is named @{name}")
            elif (problem := op.problem_with(table[name])) is not None:
                yield at(op, f"@{name}: {problem}")
    try:
        callees_first(functions)
    except PassFailedException as error:
        yield str(error)


def rooms_of_callees(functions: Sequence[FuncOp]) -> dict[str, int]:
    """Return the bytes that called functions have for their allocations, by name."""
    rooms: dict[str, int] = {}
    for op in (op for function in functions for op in _calls_in(function)):
        for name in op.callees:
            room = 0 if op.frame is None else size_bytes(buffer_type(op.frame))
            rooms[name] = min(room, rooms.get(name, room))
    return rooms


def _calls_in(function: FuncOp) -> list[ControlFlowOp]:
    return [op for op in calls_in(function) if isinstance(op, ControlFlowOp)]
