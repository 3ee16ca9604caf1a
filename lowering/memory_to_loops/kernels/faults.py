"""Faults: what a kernel notes of data that it cannot use, before it goes on."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import i32

from glow.codegen.casts import convert
from glow.codegen.loops import when
from glow.codegen.memory import Memory
from glow.codegen.values import INDEX, Value, is_outside, select


@dataclass(frozen=True)
class Fault:
    """Where a kernel stores `code` if data makes it fail, unless it holds another."""

    memory: Memory
    code: Value

    def report(self, condition: Value) -> None:
        """Store the code where the condition holds."""
        with when(condition):
            old = self.memory[0]
            self.memory[0] = select(old == 0, convert(self.code, i32), old)

    def checked(self, number: Value, extent: Value) -> Value:
        """Return an index counted from the front; reported and 0 if out of range."""
        place = convert(number, INDEX)
        place = select(place < 0, place + extent, place)
        is_wrong = is_outside(place, extent)
        self.report(is_wrong)
        return select(is_wrong, 0, place)
