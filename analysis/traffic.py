"""Bytes that an op of the memory level has to read and write, and from how far."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.ir import SSAValue

from glow.dialects.memory.address import find_addressing
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import Kind, MemoryOp, buffer_type
from glow.support.types import dtype_of

_SKIPPING = ("embedding", "embedding_bag", "resize", "roi_align", "sparse_lengths_sum")
"""Ops beside those that only move which may leave out most of what they read."""


@dataclass(frozen=True)
class Access:
    """A buffer of an op, and how many of its bytes have to be touched, each once."""

    buffer: SSAValue
    kind: Kind
    bytes: int


def traffic_of(op: MemoryOp) -> list[Access]:
    """
    Return what `op` has to read and write, whatever its algorithm; no scratch.

    Which places of a buffer an index names is not known: no more than is written.
    """
    room = {value for name in op.SCRATCH for value in _in_slot(op, name)}
    found = [
        Access(buffer, kind, _bytes(buffer))
        for buffer, kind in op.accesses()
        if buffer not in room
    ]
    if isinstance(op, ApplyOp) and (op.graph_class.MOVES or _is_skipping(op)):
        read = sum(each.bytes for each in found if each.kind is Kind.IN)
        written = sum(each.bytes for each in found if each.kind is Kind.OUT)
        most = written if op.outs else read
        found = [Access(a.buffer, a.kind, min(a.bytes, most)) for a in found]
    return found


def _is_skipping(op: ApplyOp) -> bool:
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
