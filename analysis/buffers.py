"""Facts about buffers of a function: what each is a view of, when it is used."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate
from math import gcd, prod
from typing import cast

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Block, Operation, SSAValue

from glow.dialects.layout.attribute import physical_shape_of
from glow.dialects.memory.address import Addressing, find_addressing
from glow.dialects.memory.base import Buffer, Kind, MemoryOp, buffer_type
from glow.dialects.memory.storage import AllocOp, DeallocOp, GetOp, ViewOp
from glow.support.arrays import ALIGNMENT
from glow.support.types import dtype_of
from glow.support.walking import operands_of

Holder = str | SSAValue
"""A symbol, or the value of an allocation or an argument."""


def root_of(buffer: SSAValue) -> SSAValue:
    """Return the allocation or symbol's buffer that `buffer` is a view of."""
    # By its exact class: buffers are asked for often, and few are views.
    while type(owner := buffer.owner) is ViewOp:
        buffer = owner.source
    return buffer


def symbol_of(buffer: SSAValue) -> str | None:
    """Return the symbol whose buffer `buffer` is a view of; None if there is none."""
    owner = root_of(buffer).owner
    if type(owner) is not GetOp:
        return None
    symbol = owner.properties["symbol"]  # the accessors of xDSL take longer
    assert type(symbol) is SymbolRefAttr
    return symbol.root_reference.data


def holder_of(buffer: SSAValue) -> Holder:
    """Return the symbol, allocation or argument that `buffer` is a view of."""
    root = root_of(buffer)
    symbol = symbol_of(root)
    return root if symbol is None else symbol


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
class Lifetimes:
    """The ops of a block by position, and how long each allocation lives."""

    ops: list[Operation]
    lifetimes: dict[SSAValue, Lifetime] = field(default_factory=lambda: {})


def uses_of(block: Block) -> Lifetimes:
    """Return the lifetimes of the allocations of `block`, in order of appearance."""
    uses = Lifetimes(list(block.ops))
    for at, op in enumerate(uses.ops):
        kind = type(op)
        if kind is AllocOp:
            alloc = cast(AllocOp, op)
            bytes_ = -(-size_bytes(buffer_type(alloc.result)) // ALIGNMENT) * ALIGNMENT
            uses.lifetimes[alloc.result] = Lifetime(alloc, at, at, bytes_)
        elif kind is not ViewOp and kind is not DeallocOp:
            for value in operands_of(op):
                lifetime = uses.lifetimes.get(root_of(value))
                if lifetime is not None:
                    lifetime.last = at
    return uses


def largest_live_bytes(lifetimes: Iterable[Lifetime]) -> int:
    """Return the most bytes live at once: no arena can be smaller."""
    changes: dict[int, int] = {}
    for lifetime in lifetimes:
        changes[lifetime.first] = changes.get(lifetime.first, 0) + lifetime.bytes
        changes[lifetime.last + 1] = changes.get(lifetime.last + 1, 0) - lifetime.bytes
    live = most = 0
    for at in sorted(changes):
        live += changes[at]
        most = max(most, live)
    return most


def accesses_of(op: Operation) -> list[tuple[SSAValue, Kind]]:
    """Return the buffers that `op` reads or writes; none if it only names them."""
    return op.accesses() if isinstance(op, MemoryOp) else []


def may_overlap(first: SSAValue, second: SSAValue) -> bool:
    """Return whether two views of one allocation may share an element."""
    a, b = find_addressing(buffer_type(first)), find_addressing(buffer_type(second))
    if a is None or b is None:
        return True
    (low, high), (other_low, other_high) = a.bounds, b.bounds
    if high < other_low or other_high < low:
        return False
    return not any(_apart_modulo(a, b, period) for period in _periods(a, b))


def _periods(a: Addressing, b: Addressing) -> set[int]:
    """Return periods to compare addresses by: strides, and gcds of the largest."""
    strides = sorted({abs(s) for s in (*a.strides, *b.strides)}, reverse=True)
    return {*strides, *accumulate(strides, gcd)} - {0, 1}


def _apart_modulo(a: Addressing, b: Addressing, period: int) -> bool:
    """Return whether addresses modulo `period` lie in disjoint intervals."""
    first, second = _residues(a, period), _residues(b, period)
    if first is None or second is None:
        return False
    return first[1] < second[0] or second[1] < first[0]


def _residues(a: Addressing, period: int) -> tuple[int, int] | None:
    """Return the interval of addresses modulo `period`, or None if it wraps around."""
    low, span = a.offset, 0
    for extent, stride in zip(a.shape, a.strides, strict=True):
        if stride % period:
            low += min(0, (extent - 1) * stride)
            span += (extent - 1) * abs(stride)
    low %= period
    return (low, low + span) if low + span < period else None
