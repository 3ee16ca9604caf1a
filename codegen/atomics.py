"""Atomic access to integers that threads share."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from glow.codegen.casts import convert
from glow.codegen.memory import Memory
from glow.codegen.values import Value, constant, index
from glow.codegen.writer import emit, perform
from glow.dialects.llvm_ext.atomics import (
    AtomicLoadOp,
    AtomicRMWOp,
    AtomicStoreOp,
    CompareExchangeOp,
)
from glow.support.types import signless

AnyInteger = Value | int


def atomic_load(memory: Memory, at: AnyInteger) -> Value:
    """Load an integer, and see all that its writer wrote before it."""
    op = AtomicLoadOp(*_place(memory, at), result=signless(memory.element))
    return _loaded(memory, emit(op))


def atomic_store(memory: Memory, at: AnyInteger, value: AnyInteger) -> None:
    """Store an integer; a thread that loads it sees all that was written before."""
    perform(AtomicStoreOp(*_place(memory, at), _stored(memory, value)))


def fetch_add(memory: Memory, at: AnyInteger, value: AnyInteger) -> Value:
    """Add to an integer; return what it was."""
    op = AtomicRMWOp(*_place(memory, at), _stored(memory, value), kind="add")
    return _loaded(memory, emit(op))


def raise_to(memory: Memory, at: AnyInteger, value: AnyInteger) -> None:
    """Make an unsigned integer at least `value`."""
    emit(AtomicRMWOp(*_place(memory, at), _stored(memory, value), kind="umax"))


def exchange_if(
    memory: Memory, at: AnyInteger, expected: AnyInteger, new: AnyInteger
) -> Value:
    """Store `new` if the integer is `expected`; return whether it was."""
    values = _stored(memory, expected), _stored(memory, new)
    old = _loaded(memory, emit(CompareExchangeOp(*_place(memory, at), *values)))
    return old == expected


def _place(memory: Memory, at: AnyInteger) -> tuple[SSAValue, Sequence[SSAValue]]:
    return memory.base, [index(at).ssa]


def _stored(memory: Memory, value: AnyInteger) -> SSAValue:
    if not isinstance(value, Value):
        value = constant(value, memory.compute)
    return convert(value, memory.element).ssa


def _loaded(memory: Memory, value: SSAValue) -> Value:
    return convert(Value((value,), memory.element), memory.compute)
