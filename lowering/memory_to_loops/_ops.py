"""Lower the ops of a function one by one, each by the rule of its class."""

from __future__ import annotations

from functools import partial
from math import prod

from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, Operation
from xdsl.utils.exceptions import PassFailedException

from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import MemoryOp, extents_of
from glow.dialects.memory.storage import AllocOp, DeallocOp, GetOp, ViewOp
from glow.lowering.memory_to_loops.main import Main
from glow.lowering.memory_to_loops.rules import KernelRule, check_room, rule_of
from glow.support.walking import ops_of

# These only say where bytes lie; `Main.base` reads them off.
PASSIVE = (AllocOp, DeallocOp, GetOp, ViewOp, ReturnOp)


def active_ops(block: Block) -> list[Operation]:
    """Return the ops of `block` that code is written for."""
    ops = list(block.ops)
    passive = set(map(id, ops_of(ops, *PASSIVE)))
    return [op for op in ops if id(op) not in passive]


def lower_op(main: Main, op: Operation) -> None:
    """Append the calls that do `op`."""
    main.begin(op)
    main.lower(op, partial(_lower_new, op))


def _lower_new(op: Operation, main: Main) -> None:
    """Append the calls of an op that is like none before."""
    applied = op if isinstance(op, ApplyOp) else None
    if applied is not None and _computes_nothing(applied):
        return
    rule = rule_of(type(op) if applied is None else applied.graph_class)
    if rule is None:
        name = op.title if isinstance(op, MemoryOp) else op.name
        raise PassFailedException(f"memory-to-loops cannot lower {name}")
    if applied is not None:
        _check_kernel(rule, applied)
    rule.lower(main, op)


def _check_kernel(rule: KernelRule, op: ApplyOp) -> None:
    """Check that the kernel takes the epilogue and the scratch buffers of `op`."""
    if op.epilogue.blocks and rule.epilogue is None:
        raise PassFailedException(f"no kernel computes an epilogue after {op.title}")
    if rule.scratch is None:
        return
    rooms = rule.scratch(op.graph_op())
    if len(rooms) != len(op.scratch):
        raise PassFailedException(
            f"{op.title} expects {len(rooms)} scratch buffers, got {len(op.scratch)}"
        )
    for room, buffer in zip(rooms, op.scratch, strict=True):
        check_room(op, buffer, room.element_type, prod(room.get_shape()))


def _computes_nothing(op: ApplyOp) -> bool:
    """Whether no result has an element; indices of an update are checked anyway."""
    return not op.inouts and all(0 in extents_of(result) for result in op.outs)
