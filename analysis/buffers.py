"""Facts about buffers of a function: what each is a view of, when it is used."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import gcd, prod

from xdsl.ir import Block, Operation, SSAValue

from glow.dialects.layout.attribute import physical_shape_of
from glow.dialects.memory.address import Addressing, find_addressing
from glow.dialects.memory.base import Buffer, Kind, MemoryOp, buffer_type
from glow.dialects.memory.storage import AllocOp, DeallocOp, ViewOp
from glow.support.arrays import ALIGNMENT
from glow.support.types import dtype_of


def root_of(buffer: SSAValue) -> SSAValue:
    """Return the allocation or symbol's buffer that `buffer` is a view of."""
    while isinstance(buffer.owner, ViewOp):
        buffer = buffer.owner.source
    return buffer


def size_bytes(type_: Buffer) -> int:
    """Return the bytes of an allocation of `type_`, padding and halo included."""
    elements = prod(physical_shape_of(type_))
    return elements * dtype_of(type_.element_type).itemsize


@dataclass
class Lifetime:
    """From an allocation (by position) to the last op that uses it or a view of it."""

    alloc: AllocOp
    first: int
    last: int
    bytes: int


@dataclass
class Uses:
    """The ops of a block by position, and how long each allocation lives."""

    ops: list[Operation]
    lifetimes: dict[SSAValue, Lifetime] = field(default_factory=lambda: {})


def uses_of(block: Block) -> Uses:
    """Return the lifetimes of the allocations of `block`, in order of appearance."""
    uses = Uses(list(block.ops))
    for at, op in enumerate(uses.ops):
        if isinstance(op, AllocOp):
            bytes_ = -(-size_bytes(buffer_type(op.result)) // ALIGNMENT) * ALIGNMENT
            uses.lifetimes[op.result] = Lifetime(op, at, at, bytes_)
        elif not isinstance(op, ViewOp | DeallocOp):
            for value in op.operands:
                found = uses.lifetimes.get(root_of(value))
                if found is not None:
                    found.last = at
    return uses


def largest_live_bytes(lifetimes: Iterable[Lifetime]) -> int:
    """Return the most bytes live at once: no arena can be smaller."""
    changes: dict[int, int] = {}
    for found in lifetimes:
        changes[found.first] = changes.get(found.first, 0) + found.bytes
        changes[found.last + 1] = changes.get(found.last + 1, 0) - found.bytes
    live = most = 0
    for at in sorted(changes):
        live += changes[at]
        most = max(most, live)
    return most


def accesses_of(op: Operation) -> list[tuple[SSAValue, Kind]]:
    """Return the buffers that `op` reads or writes; none for what only names them."""
    return op.accesses() if isinstance(op, MemoryOp) else []


def may_overlap(first: SSAValue, second: SSAValue) -> bool:
    """Say whether two views of one allocation may share an element."""
    a, b = find_addressing(buffer_type(first)), find_addressing(buffer_type(second))
    if a is None or b is None:
        return True
    (low, high), (other_low, other_high) = a.bounds, b.bounds
    if high < other_low or other_high < low:
        return False
    return not any(_apart_modulo(a, b, period) for period in _periods(a, b))


def _periods(a: Addressing, b: Addressing) -> list[int]:
    return sorted({abs(s) for s in (*a.strides, *b.strides) if abs(s) > 1})


def _apart_modulo(a: Addressing, b: Addressing, period: int) -> bool:
    """Say whether addresses modulo `period` lie in disjoint intervals."""
    intervals: list[tuple[int, int]] = []
    for found in (a, b):
        start, span, step = found.offset, 0, 0
        for extent, stride in zip(found.shape, found.strides, strict=True):
            if extent == 1:
                continue
            if stride % period == 0:
                step = gcd(step, stride)
            elif stride > 0:
                span += (extent - 1) * stride
            else:
                return False
        low = start % period
        if low + span >= period:
            return False
        intervals.append((low, low + span))
    (low, high), (other_low, other_high) = intervals
    return high < other_low or other_high < low
