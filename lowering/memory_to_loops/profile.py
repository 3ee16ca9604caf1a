"""What a profiled `main` notes: of which op each call is, and what the op computes."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import memref
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute, Operation, SSAValue

from glow.analysis.traffic import traffic_of
from glow.dialects.llvm_ext.time import CycleCounterOp
from glow.dialects.memory.base import MemoryOp
from glow.dialects.memory.storage import ReadyOp
from glow.support.locations import name_of

GROUPS, RECORDS = "glow.groups", "glow.records"
RECORD_BYTES = 24
"""The worker, and the counter of cycles before and after the call, as i64."""


@dataclass
class ProfileWriter:
    """The ops that have calls, and the piece of a call that each record is of."""

    groups: list[ArrayAttr[Attribute]] = field(default_factory=lambda: [])
    records: list[ArrayAttr[Attribute]] = field(default_factory=lambda: [])

    def begin(self, op: Operation) -> None:
        """Let what is added from here on be of `op`."""
        flops = moved = 0
        name, title = name_of(op), op.name
        if isinstance(op, ReadyOp):
            name = f"output {op.symbol.string_value()}"
        elif isinstance(op, MemoryOp):
            title, flops = op.title, op.flops()
            moved = sum(access.bytes for access in traffic_of(op))
        texts = StringAttr(name), StringAttr(title)
        self.groups.append(ArrayAttr([*texts, _number(flops), _number(moved)]))

    def add(self, kernel: str, piece: int) -> int:
        """Return the number of a new record: of a piece of a call of `kernel`."""
        entry = _number(len(self.groups) - 1), StringAttr(kernel), _number(piece)
        self.records.append(ArrayAttr(entry))
        return len(self.records) - 1

    def attributes(self) -> dict[str, Attribute]:
        """Return what a module says of it."""
        return {GROUPS: ArrayAttr(self.groups), RECORDS: ArrayAttr(self.records)}


def timed(
    call: Operation, records: SSAValue, first: SSAValue, last: SSAValue
) -> list[Operation]:
    """Return `call` and ops that store the time before and after it in `records`."""
    ops: list[Operation] = [call]
    for at, place in ((first, 0), (last, 3)):
        counter = CycleCounterOp()
        store = memref.StoreOp.get(counter.result, records, [at])
        ops[place:place] = [counter, store]
    for op in ops:
        op.location = call.location
    return ops


def _number(value: int) -> IntegerAttr:
    return IntegerAttr(value, i64)
