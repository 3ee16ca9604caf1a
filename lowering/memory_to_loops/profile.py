"""What a profiled `main` notes: of which op each call is, and what the op computes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    StringAttr,
    bf16,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from glow.analysis.traffic import Move, moves_of
from glow.dialects.llvm_ext.time import CycleCounterOp
from glow.dialects.memory.base import MemoryOp, buffer_type, extents_of
from glow.dialects.memory.products import ConvOp, EpilogueOp
from glow.dialects.memory.storage import ReadyOp
from glow.lowering.convolution.winograd import FORMS, is_winograd_window
from glow.support.locations import name_of
from glow.support.targets import Target
from glow.support.types import dtype_of

GROUPS, RECORDS = "glow.groups", "glow.records"
RECORD_BYTES = 24
"""The worker, and the counter of cycles before and after the call, as i64."""


class ProfileWriter:
    """The ops of a function, and the piece of a call that each record is of."""

    def __init__(self, ops: Sequence[Operation], target: Target):
        self._groups = [
            _group(op, moves, target)
            for op, moves in zip(ops, moves_of(ops), strict=True)
        ]
        self._numbers = {op: number for number, op in enumerate(ops)}
        self._records: list[ArrayAttr[Attribute]] = []
        self._current = 0

    def begin(self, op: Operation) -> None:
        """Let what is added from here on be of `op`."""
        self._current = self._numbers[op]

    def add(self, kernel: str, piece: int) -> int:
        """Return the number of a new record: of a piece of a call of `kernel`."""
        entry = _number(self._current), StringAttr(kernel), _number(piece)
        self._records.append(ArrayAttr(entry))
        return len(self._records) - 1

    def attributes(self) -> dict[str, Attribute]:
        """Return what a module says of it."""
        return {GROUPS: ArrayAttr(self._groups), RECORDS: ArrayAttr(self._records)}


def _group(
    op: Operation, moves: Iterable[Move], target: Target
) -> ArrayAttr[Attribute]:
    """Return name, op, flops, extents, moves, and other ways to compute the same."""
    name, title, flops = name_of(op), op.name, 0
    extents: Sequence[int] = ()
    others: list[tuple[int, int]] = []
    if isinstance(op, ReadyOp):
        name = f"output {op.symbol.string_value()}"
    elif isinstance(op, MemoryOp):
        title, flops = op.title, op.flops()
        written = [value for value, kind in op.accesses() if kind.writes]
        extents = extents_of(written[-1]) if written else ()
    if isinstance(op, EpilogueOp):
        extents = (*extents, op.depth)
        others = list(_other_ways(op, target))
    lists = ([flops], extents, chain(*moves), chain(*others))
    arrays = (DenseArrayBase.from_list(i64, list(numbers)) for numbers in lists)
    return ArrayAttr([StringAttr(name), StringAttr(title), *arrays])


def _other_ways(op: EpilogueOp, target: Target) -> Iterable[tuple[int, int]]:
    """Yield operations of other algorithms, and bytes that they move besides."""
    element = buffer_type(op.operands[1]).element_type
    if target.multiplies_bf16 and element == bf16:
        yield op.flops() // 2, 0  # an instruction multiplies twice as many
    if not isinstance(op, ConvOp):
        return
    window, group = op.window, op.group.value.data
    if not is_winograd_window(window.kernel, window.strides, window.dilations, group):
        return
    result, inputs = extents_of(op.result), extents_of(op.input)[1]
    filter_bytes = inputs * result[1] * dtype_of(element).itemsize
    for form in FORMS:
        yield form.flops(inputs, result), (form.places - 9) * filter_bytes


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
