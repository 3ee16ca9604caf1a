"""Buffers on the stack, and hints to the cache."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.ir import Attribute

from glow.codegen.memory import Memory, flat
from glow.codegen.values import Value
from glow.codegen.writer import emit, perform
from glow.dialects.llvm_ext.memory import PrefetchOp
from glow.support.types import signless

_ALIGNMENT = 64


def on_stack(element: Attribute, size: int) -> Memory:
    """Return a buffer of `size` elements, the same one each time code comes by."""
    room = emit(memref.AllocaOp.get(signless(element), _ALIGNMENT, [size]))
    return Memory.of(emit(memref.CastOp.get(room, flat(element))), element)


def prefetch(memory: Memory, at: Value, locality: int = 3) -> None:
    """
    Let the line of an element be fetched; it need not exist.

    `locality` 3 is the first level of the cache, 2 the second.
    """
    perform(PrefetchOp(memory.base, [at.ssa], locality))
