"""Bytes that ops of the memory level have to read and write, and where these lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from xdsl.ir import Operation, SSAValue

from glow.analysis.buffers import holder_of, root_of, size_bytes
from glow.dialects.graph.embedding import BagOp
from glow.dialects.memory.address import find_addressing
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import Kind, MemoryOp, buffer_type, count_of, extents_of
from glow.dialects.memory.elementwise import ZeroHaloOp
from glow.dialects.memory.products import ConvOp
from glow.dialects.memory.recurrent import RecurrentOp
from glow.dialects.memory.storage import AllocOp
from glow.support.types import dtype_of

_SKIPPING = ("embedding", "resize", "roi_align")
"""Ops beside those that only move which may leave out most of what they read."""


@dataclass(frozen=True)
class Access:
    """A buffer of an op, and how many of its bytes have to be touched."""

    buffer: SSAValue
    kind: Kind
    bytes: int
    times: int = 1
    """How many times in a row all of them have to be touched."""


def traffic_of(op: MemoryOp) -> list[Access]:
    """
    Return what `op` has to read and write, whatever its algorithm; no scratch.

    Which places of a buffer indices name is not known: at most as many bytes count as
    are written. Bags may name the same rows again and again.
    """
    room = {value for name in op.SCRATCH for value in _in_slot(op, name)}
    found = [
        Access(buffer, kind, _bytes(buffer))
        for buffer, kind in op.accesses()
        if buffer not in room
    ]
    if isinstance(op, ZeroHaloOp):
        size = size_bytes(buffer_type(op.result)) - _bytes(op.result)
        found = [Access(op.result, Kind.OUT, size)]
    if isinstance(op, ConvOp):  # the filter may be padded, or transformed
        size = extents_of(op.result)[1] * op.depth
        size *= dtype_of(buffer_type(op.filter).element_type).itemsize
        found = [replace(a, bytes=size) if a.buffer == op.filter else a for a in found]
    if isinstance(op, RecurrentOp):  # a step begins when the one before has ended
        steps = extents_of(op.rows)[0]
        again = {op.recurrence, getattr(op, "renewal", None)}
        found = [replace(a, times=steps) if a.buffer in again else a for a in found]
    if isinstance(op, ApplyOp) and (op.graph_class.MOVES or is_skipping(op)):
        read = sum(each.bytes for each in found if each.kind is Kind.IN)
        written = sum(each.bytes for each in found if each.kind is Kind.OUT)
        most = written if op.outs else read
        found = [replace(a, bytes=min(a.bytes, most)) for a in found]
    if isinstance(op, ApplyOp) and issubclass(op.graph_class, BagOp):
        table, (result,) = op.buffer("table"), op.outs
        rows = op.flops_before() // max(1, count_of(result))
        read = Access(table, Kind.IN, min(_bytes(table), _bytes(result)), max(1, rows))
        found = [read if a.buffer == table else a for a in found]
    return found


def is_skipping(op: ApplyOp) -> bool:
    """Return whether `op` may leave out most of what it could read."""
    return op.title.partition(".")[2] in _SKIPPING


def _bytes(buffer: SSAValue) -> int:
    """Return the bytes of the elements; what is broadcast is there once."""
    type_ = buffer_type(buffer)
    extents, addressing = type_.get_shape(), find_addressing(type_)
    strides = (1,) * len(extents) if addressing is None else addressing.strides
    if 0 in extents:
        return 0
    own = prod(n for n, stride in zip(extents, strides, strict=True) if stride)
    return own * dtype_of(type_.element_type).itemsize


def _in_slot(op: MemoryOp, name: str) -> list[SSAValue]:
    slot: object = getattr(op, name, None)
    if isinstance(slot, SSAValue):
        return [slot]
    return [] if slot is None else list(slot)  # pyright: ignore


Move = tuple[int, int, int]
"""
Bytes that an op touches, the bytes touched since their place last was, and 1 where the
op writes them.
"""


def moves_of(ops: Sequence[Operation]) -> list[list[Move]]:
    """
    Return what each of `ops` moves in a run that follows another one, in order.

    The second number tells how large a cache must be that still has the bytes: the
    bytes themselves, all that other ops touched meanwhile, each byte once, and half of
    the other arena bytes of the two ops that touch them, the last one before and this
    one. What comes from outside, such as weights, may be read before or after.
    """
    traffic = [traffic_of(op) if isinstance(op, MemoryOp) else [] for op in ops]
    roots = dict.fromkeys(root_of(a.buffer) for accesses in traffic for a in accesses)
    touches = _Touches(list(roots))
    for accesses in traffic:  # the run before
        list(touches.touch(accesses))
    return [list(touches.touch(accesses)) for accesses in traffic]


class _Touches:
    """Buffers, and when each was touched last; those of the arena share its bytes."""

    def __init__(self, roots: Sequence[SSAValue]):
        places: dict[object, int] = {}
        self._number: dict[SSAValue, int] = {}
        spans: list[tuple[int, int]] = []
        end = 1 << 62  # symbols lie outside the arena, apart from each other
        for root in roots:
            size = size_bytes(buffer_type(root))
            owner, key, first = root.owner, holder_of(root), end
            if isinstance(owner, AllocOp) and owner.offset is not None:
                first = owner.offset.value.data
            if key not in places:
                places[key] = len(spans)
                spans.append((first, first + size))
                end += size if first == end else 0
            self._number[root] = places[key]
        self._first, self._last = np.array(spans or [(0, 0)], dtype=np.int64).T
        self._in_arena = self._first < 1 << 62
        self._arena = int(self._last[self._in_arena].max(initial=0))
        self._touched = np.zeros(len(self._first), np.int64)
        self._bytes = np.zeros(len(self._first), np.int64)
        self._beside = np.zeros(len(self._first), np.int64)
        self._clock = 0

    def touch(self, accesses: Sequence[Access]) -> Iterator[Move]:
        """Yield the moves of one op, and note that it made them."""
        numbers = [self._number[root_of(access.buffer)] for access in accesses]
        parts = zip(accesses, numbers, strict=True)
        whole = sum(access.bytes for access, n in parts if self._in_arena[n])
        for access, number in zip(accesses, numbers, strict=True):
            distance = self._distance(number) + access.bytes
            distance += self._rest(whole, access, number) // 2
            yield access.bytes, distance, int(access.kind.writes)
            if access.times > 1:
                again = access.bytes * (access.times - 1)
                yield again, access.bytes, int(access.kind.writes)
        self._clock += 1
        self._bytes[numbers] = 0
        for access, number in zip(accesses, numbers, strict=True):
            self._touched[number] = self._clock
            self._bytes[number] = max(self._bytes[number], access.bytes)
            self._beside[number] = self._rest(whole, access, number)

    def _rest(self, whole: int, access: Access, number: int) -> int:
        """Return the arena bytes that an op touches, `whole`, without `access`."""
        return whole - access.bytes * int(self._in_arena[number])

    def _distance(self, number: int) -> int:
        """Return the bytes touched since the place of buffer `number` was."""
        shared = self._first < self._last[number]
        shared &= self._last > self._first[number]
        last = int(np.where(shared, self._touched, -1).argmax())
        since = self._touched > self._touched[last]
        inside = int(self._bytes[since & self._in_arena].sum())
        outside = int(self._bytes[since & ~self._in_arena].sum())
        return min(inside, self._arena) + outside + int(self._beside[last]) // 2
