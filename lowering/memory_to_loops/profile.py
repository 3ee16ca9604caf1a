"""Notes of a profiled `main`: the op of each call, and what that computes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    StringAttr,
    bf16,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from glow.analysis.traffic import Move, moves_of
from glow.dialects.llvm_ext.time import CycleCounterOp
from glow.dialects.memory.base import MemoryOp, buffer_type, extents_of
from glow.dialects.memory.products import ConvOp, EpilogueOp
from glow.dialects.memory.storage import ReadyOp
from glow.dialects.team.notes import RECORD_WORDS, NoteOp
from glow.dialects.team.sections import CallOp, SectionOp
from glow.lowering.convolution.winograd import FORMS, is_winograd_window
from glow.lowering.memory_to_loops.lane_steps import lane_steps
from glow.support.locations import name_of
from glow.support.targets import Target
from glow.support.types import dtype_of

GROUPS, RECORDS = "glow.groups", "glow.records"
RECORD_BYTES = 8 * RECORD_WORDS


class ProfileWriter:
    """The ops of a function, and the piece of a call that each record is of."""

    def __init__(self, ops: Sequence[Operation], target: Target):
        self._groups = [
            _group(op, moves, target)
            for op, moves in zip(ops, moves_of(ops), strict=True)
        ]
        self._numbers = {op: number for number, op in enumerate(ops)}
        self._records: list[ArrayAttr[Attribute]] = []
        self._groups_of_calls: dict[CallOp, int] = {}
        self.current = 0
        """The group that calls are of."""

    def begin(self, op: Operation) -> None:
        """Count the calls that are added from here on to `op`."""
        self.current = self._numbers[op]

    def time(self, call: func.CallOp, base: SSAValue, group: int) -> list[Operation]:
        """Return `call` of a group, and around it what notes its time in a record."""
        word = RECORD_WORDS * len(self._records)
        self._add(group, call.callee.string_value())
        places = [
            arith.ConstantOp.from_int_and_width(word + n, IndexType()) for n in (1, 2)
        ]
        ops: list[Operation] = [*places, call]
        for place, at in zip(places, (2, 5), strict=True):
            counter = CycleCounterOp()
            store = memref.StoreOp.get(counter.result, base, [place.result])
            ops[at:at] = [counter, store]
        for op in ops:
            op.location = call.location
        return ops

    def read_near(self, group: int, size: int) -> None:
        """Let a group read from no farther than a cache of `size` bytes."""
        *others, moves, ways = self._groups[group]
        assert isinstance(moves, DenseArrayBase)
        found = np.reshape([int(n) for n in moves.get_values()], (-1, 3))
        is_read = found[:, 2] == 0
        found[is_read, 1] = np.minimum(found[is_read, 1], size)
        numbers = DenseArrayBase.from_list(i64, found.reshape(-1).tolist())
        self._groups[group] = ArrayAttr([*others, numbers, ways])

    def share(self, call: CallOp) -> None:
        """Let `call`, which threads share, be of the current op."""
        self._groups_of_calls[call] = self.current

    def time_pieces(self, sections: Sequence[SectionOp], base: SSAValue) -> None:
        """Let threads note the time of each piece of `sections` in a new record."""
        for section in sections:
            for strand in section.strands:
                numbers = section.number.value.data, strand.number.value.data
                for call in strand.calls:
                    note = NoteOp(base, len(self._records))
                    note.location = call.location
                    Rewriter.insert_op(note, InsertPoint.before(call))
                    group = self._groups_of_calls[call]
                    for piece in range(call.pieces):
                        self._add(group, call.callee.string_value(), piece, *numbers)

    def _add(
        self, group: int, kernel: str, piece: int = 0, section: int = 0, strand: int = 0
    ) -> None:
        """Add a record: of a piece of a call of `kernel`."""
        numbers = map(_number, (piece, section, strand))
        self._records.append(ArrayAttr((_number(group), StringAttr(kernel), *numbers)))

    def attributes(self) -> dict[str, Attribute]:
        """Return the attributes of a module that describe groups and records."""
        return {GROUPS: ArrayAttr(self._groups), RECORDS: ArrayAttr(self._records)}


def _group(
    op: Operation, moves: Iterable[Move], target: Target
) -> ArrayAttr[Attribute]:
    """Return name, op, flops, extents, moves, and ways to compute it."""
    name, title, flops = name_of(op), op.name, 0
    extents: Sequence[int] = ()
    ways: list[tuple[int, int]] = []
    if isinstance(op, ReadyOp):
        name = f"output {op.symbol.string_value()}"
    elif isinstance(op, MemoryOp):
        title, flops = op.title, op.flops()
        ways = list(_ways(op, target))
        written = [value for value, kind in op.accesses() if kind.writes]
        extents = extents_of(written[-1]) if written else ()
    if isinstance(op, EpilogueOp):
        extents = (*extents, op.depth)
    lists = ([flops], extents, chain(*moves), chain(*ways))
    arrays = (DenseArrayBase.from_list(i64, list(numbers)) for numbers in lists)
    return ArrayAttr([StringAttr(name), StringAttr(title), *arrays])


def _ways(op: MemoryOp, target: Target) -> Iterable[tuple[int, int]]:
    """Yield the steps of each algorithm, and bytes that it moves besides."""
    steps = lane_steps(op)
    yield steps, 0
    if not isinstance(op, EpilogueOp):
        return
    element = buffer_type(op.operands[1]).element_type
    if target.multiplies_bf16 and element == bf16:
        yield steps // 2, 0  # an instruction multiplies twice as many
    if not isinstance(op, ConvOp):
        return
    window, group = op.window, op.group.value.data
    if not is_winograd_window(window.kernel, window.strides, window.dilations, group):
        return
    result, inputs = extents_of(op.result), extents_of(op.input)[1]
    filter_bytes = inputs * result[1] * dtype_of(element).itemsize
    for form in FORMS:
        yield form.steps_of(inputs, result), (form.places - 9) * filter_bytes


def _number(value: int) -> IntegerAttr:
    return IntegerAttr(value, i64)
